/**
 * Limits the memory that all bodies in progress use together. Each body has its own limit, but a hundred servers that
 * send ten megabytes each need a gigabyte. Over the budget, a connection that delivers more is paused until another
 * body is done. TCP flow control then makes the server wait.
 *
 * What always holds: pages of usual size are never paused, whatever other servers send. At
 * least one of the large bodies is always read, so that the others get their turn. A body that
 * arrives slowly cannot be that one while it is small.
 */
export interface Pausable {
  pause(): void;
  resume(): void;
}

/** The budget of one fetcher. It is a few times the largest body, and far more than pages of usual size ever need. */
const MAX_HELD_BYTES = 48 * 1024 * 1024;
/**
 * Far more than most pages need. At the default concurrency, the bodies of a unit's window stay
 * below the budget even if all of them have this size.
 */
const USUAL_BODY_BYTES = 256 * 1024;

export class BodyBudget {
  readonly #maxBytes: number;
  readonly #usualBytes: number;
  readonly #held = new Map<Pausable, number>();
  readonly #paused = new Set<Pausable>();
  #totalBytes = 0;
  /** Number of bodies above the usual size that are not paused. */
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

  /** Called when a body is complete or given up. */
  ended(body: Pausable): void {
    const bytes = this.#held.get(body);
    if (bytes === undefined) return;
    this.#held.delete(body);
    this.#totalBytes -= bytes;
    // Its connection may be used again, so it must not stay paused.
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
