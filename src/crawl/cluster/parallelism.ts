/**
 * How much a worker does in parallel (W12): the number of threads and of requests in progress, between limits. In:
 * measurements since the last call (load of the threads, pages, failures, memory). Out: the new numbers.
 *
 * The rules for requests, in order:
 * - Memory is short: one third fewer.
 * - More requests fail than usual, among enough answers: one third fewer. The usual failures
 *   are caused by the web and are no reason.
 * - Not all allowed requests are in progress: something else is the limit, and the number stays.
 * - Otherwise a trial starts. One quarter more stays only if it brings more pages per second, and one fifth fewer stays
 *   if it brings as many: requests that a full network line, a busy processor or a slow store cannot serve would only
 *   wait and use memory. After a failed trial there is a pause before the next.
 *
 * The time of an answer is not used: a line that was full from the start has never shown how fast it can be.
 *
 * A thread is added when the existing ones are almost fully busy, twice in a row. A thread is removed when
 * one thread fewer would be at most half busy, thirty times in a row: a thread takes a while to start and
 * to warm up, so a short calm is not enough.
 */
export interface Measured {
  /** Share of the time in which threads are busy, averaged over the threads, from 0 to 1. */
  readonly busyShare: number;
  /** Requests in progress divided by allowed requests, from 0 to 1. */
  readonly usedShare: number;
  readonly answers: number;
  /** Requests without an answer of the server: timeouts, and connections that failed or broke. */
  readonly failures: number;
  /** Used share of the memory that the process can have, from 0 to 1. */
  readonly memoryShare: number;
}

const LEAST_WINDOW = 16;
const MEMORY_SHORT = 0.8;
const ENOUGH_ANSWERS = 20;
/** Above the usual share of failures. */
const MANY_FAIL = 0.15;
const USED = 0.8;
const SHRINK = 0.67;
const [MORE, FEWER] = [1.25, 0.8];
/** A trial lasts this many measurements, because one says too little. */
const TRY_MEASUREMENTS = 3;
const PAUSE_TRIES = 4;
/** The gain that makes more requests worthwhile, and the loss up to which fewer requests count as equal. */
const [GAIN, LOSS] = [1.05, 0.97];
const BUSY = 0.85;
const BUSY_MEASUREMENTS = 2;
const CALM = 0.5;
const CALM_MEASUREMENTS = 30;
/** How much one measurement changes the usual share of failures. */
const FOLLOW = 0.05;

type Trial = 'none' | 'more' | 'fewer';

export class Parallelism {
  readonly #maxUnits: number;
  readonly #maxWindow: number;
  units = 1;
  window: number;
  #answers = 0;
  #failures = 0;
  #usualFailures = 0;
  #trial: Trial = 'none';
  #isFewerNext = false;
  #triedMeasurements = 0;
  #pages = 0;
  #pause = 0;
  /** Before the trial: the pages in as many measurements, and the window. */
  #pagesBefore = 0;
  #windowBefore = 0;
  #busyMeasurements = 0;
  #calmMeasurements = 0;

  constructor(max: { readonly units: number; readonly window: number }) {
    this.#maxUnits = max.units;
    this.#maxWindow = max.window;
    this.window = Math.min(max.window, Math.max(LEAST_WINDOW, Math.round(max.window / 4)));
  }

  adjust(measured: Measured): void {
    const isShort = measured.memoryShare >= MEMORY_SHORT;
    if (isShort || this.#isFailing(measured)) this.#shrink();
    else if (measured.usedShare >= USED) this.#tryOut(measured.answers - measured.failures);
    this.#setUnits(measured.busyShare, isShort);
  }

  #isFailing({ answers, failures }: Measured): boolean {
    this.#answers += answers;
    this.#failures += failures;
    if (this.#answers < ENOUGH_ANSWERS) return false;
    const share = this.#failures / this.#answers;
    this.#answers = 0;
    this.#failures = 0;
    const isMore = share > this.#usualFailures + MANY_FAIL;
    this.#usualFailures += FOLLOW * (share - this.#usualFailures);
    return isMore;
  }

  #shrink(): void {
    this.#setWindow(this.window * SHRINK);
    this.#trial = 'none';
    this.#pause = PAUSE_TRIES;
    this.#beginCounting();
  }

  #tryOut(pages: number): void {
    this.#pages += pages;
    if (++this.#triedMeasurements < TRY_MEASUREMENTS) return;
    const came = this.#pages;
    this.#beginCounting();
    if (this.#trial !== 'none' && !this.#isWorthIt(came)) {
      this.#setWindow(this.#windowBefore);
      this.#isFewerNext = this.#trial === 'more';
      this.#pause = this.#isFewerNext ? 1 : PAUSE_TRIES;
      this.#trial = 'none';
      return;
    }
    if (this.#pause > 0) {
      this.#pause--;
      return;
    }
    if (this.#trial === 'none') this.#trial = this.#isFewerNext ? 'fewer' : 'more';
    this.#isFewerNext = false;
    this.#pagesBefore = came;
    this.#windowBefore = this.window;
    this.#setWindow(this.window * (this.#trial === 'more' ? MORE : FEWER));
    // At a limit there is nothing to try.
    if (this.window !== this.#windowBefore) return;
    this.#isFewerNext = this.#trial === 'more';
    this.#pause = PAUSE_TRIES;
    this.#trial = 'none';
  }

  #isWorthIt(came: number): boolean {
    return came >= this.#pagesBefore * (this.#trial === 'more' ? GAIN : LOSS);
  }

  #beginCounting(): void {
    this.#pages = 0;
    this.#triedMeasurements = 0;
  }

  #setWindow(wanted: number): void {
    const whole = wanted > this.window ? Math.ceil(wanted) : Math.floor(wanted);
    this.window = Math.min(this.#maxWindow, Math.max(LEAST_WINDOW, whole));
  }

  #setUnits(busyShare: number, isShort: boolean): void {
    this.#busyMeasurements = busyShare >= BUSY ? this.#busyMeasurements + 1 : 0;
    const withOneFewer = (busyShare * this.units) / Math.max(1, this.units - 1);
    this.#calmMeasurements = withOneFewer <= CALM ? this.#calmMeasurements + 1 : 0;
    if (isShort || this.#calmMeasurements >= CALM_MEASUREMENTS) {
      this.units = Math.max(1, this.units - 1);
      this.#calmMeasurements = 0;
    } else if (this.#busyMeasurements >= BUSY_MEASUREMENTS) {
      this.units = Math.min(this.#maxUnits, this.units + 1);
      this.#busyMeasurements = 0;
    }
  }
}
