/**
 * How much memory all bodies under way may take together. Each is limited by itself, but a hundred servers that send ten
 * megabytes each are a gigabyte. Over the budget, a connection that brings more is not read from until another body is
 * done: TCP makes its server wait. One body is always read, so the rest get their turn.
 */
export interface Pausable {
  pause(): void;
  resume(): void;
}

/** Of one fetcher: a few times the largest body, and far more than pages of usual size ever take. */
export const MAX_HELD_BYTES = 48 * 1024 * 1024;

export class BodyBudget {
  readonly #maxBytes: number;
  readonly #held = new Map<Pausable, number>();
  readonly #paused = new Set<Pausable>();
  #totalBytes = 0;

  constructor(maxBytes = MAX_HELD_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  grew(body: Pausable, bytes: number): void {
    this.#totalBytes += bytes;
    this.#held.set(body, (this.#held.get(body) ?? 0) + bytes);
    if (this.#totalBytes <= this.#maxBytes || this.#paused.has(body)) return;
    if (this.#held.size - this.#paused.size <= 1) return;
    this.#paused.add(body);
    body.pause();
  }

  /** It is complete, or given up. */
  ended(body: Pausable): void {
    const bytes = this.#held.get(body);
    if (bytes === undefined) return;
    this.#held.delete(body);
    this.#totalBytes -= bytes;
    // Its connection may be used again.
    if (this.#paused.delete(body)) body.resume();
    for (const waiting of this.#paused) {
      if (this.#totalBytes > this.#maxBytes && this.#held.size > this.#paused.size) return;
      this.#paused.delete(waiting);
      waiting.resume();
    }
  }
}
