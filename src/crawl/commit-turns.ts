/**
 * When the controller's next turn begins: at once, or, where each costs a store across a network about the same however much it brings, only
 * after a while, or as soon as enough has gathered. In: calls for a turn. Out: turns, never nearer to each other than that.
 */

/** Results that are worth a turn of their own. */
const ENOUGH = 64;

export class Turns {
  readonly #gatherMs: number;
  readonly #begin: () => void;
  #lastMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;

  constructor(gatherMs: number, begin: () => void) {
    this.#gatherMs = gatherMs;
    this.#begin = begin;
  }

  /** There is one to come, and it has not begun. `gathered`: results that wait for it; `isUrgent`: nothing more will come. */
  call(gathered: number, isUrgent: boolean): void {
    const waitMs = this.#lastMs + this.#gatherMs - performance.now();
    if (waitMs <= 0 || isUrgent || gathered >= ENOUGH) setImmediate(() => this.#start());
    else this.#timer = setTimeout(() => this.#start(), waitMs);
  }

  /** More has come while it waits to begin. */
  more(gathered: number, isUrgent: boolean): void {
    if (this.#timer === null || (gathered < ENOUGH && !isUrgent)) return;
    clearTimeout(this.#timer);
    this.#start();
  }

  /** No more turns. */
  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #start(): void {
    this.#timer = null;
    this.#lastMs = performance.now();
    this.#begin();
  }
}
