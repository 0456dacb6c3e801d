/**
 * Decides when the next turn of the controller begins. A commit to a store across a network costs about the same for
 * one result as for many, so a turn may wait for a while, or until enough results have gathered. In: calls for a turn.
 * Out: turns that are at least `gatherMs` apart, unless a call is urgent or brings enough results.
 */

/** A turn with this many results does not wait. */
const ENOUGH = 64;

export class CommitTurns {
  readonly #gatherMs: number;
  readonly #begin: () => void;
  #lastMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;

  constructor(gatherMs: number, begin: () => void) {
    this.#gatherMs = gatherMs;
    this.#begin = begin;
  }

  /**
   * Schedules a turn; the one before it has ended. `gathered`: results that wait for
   * the turn. `isUrgent`: no more results will come.
   */
  call(gathered: number, isUrgent: boolean): void {
    const waitMs = this.#lastMs + this.#gatherMs - performance.now();
    if (waitMs <= 0 || isUrgent || gathered >= ENOUGH) setImmediate(() => this.#start());
    else this.#timer = setTimeout(() => this.#start(), waitMs);
  }

  /** More results have arrived while the scheduled turn waits. */
  more(gathered: number, isUrgent: boolean): void {
    if (this.#timer === null || (gathered < ENOUGH && !isUrgent)) return;
    clearTimeout(this.#timer);
    this.#start();
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #start(): void {
    this.#timer = null;
    this.#lastMs = performance.now();
    this.#begin();
  }
}
