/** Recent pages per second, from a count that is sampled once a second. */
const SAMPLES = 10;

export class Pace {
  readonly #counts: number[] = [];

  see(pages: number): void {
    this.#counts.push(pages);
    if (this.#counts.length > SAMPLES + 1) this.#counts.shift();
  }

  get pagesPerSecond(): number {
    const seconds = this.#counts.length - 1;
    if (seconds < 1) return 0;
    return Number(((this.#counts.at(-1)! - this.#counts[0]!) / seconds).toFixed(1));
  }
}

/**
 * How long servers take to answer, estimated from the requests in progress and the
 * requests that ended between two measurements.
 */

/** The value before the first measurement, and the limits of plausible values. */
const [USUAL_MS, QUICKEST_MS, SLOWEST_MS] = [250, 20, 20_000];

export class AnswerTime {
  ms = USUAL_MS;

  see(answers: number, underWay: number, sinceMs: number): void {
    if (answers === 0 || underWay === 0) return;
    const seenMs = (underWay * sinceMs) / answers;
    const plausibleMs = Math.min(SLOWEST_MS, Math.max(QUICKEST_MS, seenMs));
    this.ms += (plausibleMs - this.ms) / 2;
  }
}
