/**
 * How much memory all bodies under way may take together. Each is limited by itself, but a hundred servers that send ten
 * megabytes each are a gigabyte. Over the budget, a connection that brings more is not read from until another body is
 * done: TCP makes its server wait.
 *
 * What always holds: pages of usual size are never made to wait, whatever the others send, and of the large bodies one is
 * always read, so the rest get their turn. A body that only drips is not that one as long as it is small.
 */
export interface Pausable {
  pause(): void;
  resume(): void;
}

/** Of one fetcher: a few times the largest body, and far more than pages of usual size ever take. */
export const MAX_HELD_BYTES = 48 * 1024 * 1024;
/** Far more than most pages take; at the default concurrency a unit's window full of such bodies is less than the budget. */
export const USUAL_BODY_BYTES = 256 * 1024;

export class BodyBudget {
  readonly #maxBytes: number;
  readonly #usualBytes: number;
  readonly #held = new Map<Pausable, number>();
  readonly #paused = new Set<Pausable>();
  #totalBytes = 0;
  /** Bodies beyond the usual size that are read from. */
  #largeRead = 0;

  constructor(maxBytes = MAX_HELD_BYTES, usualBytes = USUAL_BODY_BYTES) {
    this.#maxBytes = maxBytes;
    this.#usualBytes = usualBytes;
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  grew(body: Pausable, bytes: number): void {
    const before = this.#held.get(body) ?? 0;
    this.#totalBytes += bytes;
    this.#held.set(body, before + bytes);
    if (!this.#isLarge(before + bytes)) return;
    if (!this.#isLarge(before)) this.#largeRead++;
    if (this.#totalBytes <= this.#maxBytes || this.#largeRead <= 1 || this.#paused.has(body)) return;
    this.#paused.add(body);
    this.#largeRead--;
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
    else if (this.#isLarge(bytes)) this.#largeRead--;
    for (const waiting of this.#paused) {
      if (this.#totalBytes > this.#maxBytes && this.#largeRead > 0) return;
      this.#paused.delete(waiting);
      this.#largeRead++;
      waiting.resume();
    }
  }

  #isLarge(bytes: number): boolean {
    return bytes > this.#usualBytes;
  }
}
