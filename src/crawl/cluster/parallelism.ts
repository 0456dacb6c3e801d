/**
 * How much a worker does at once (W12): threads and requests under way, between limits, from what was measured since the last look. In: how
 * busy its threads are, how many pages come, how many fail, how much memory is taken. Out: how many of each from now on.
 *
 * The rule for requests, in the order in which it is asked:
 * - Memory is short: a third fewer.
 * - More fails than usual, of enough answers to tell: a third fewer. What usually fails is the web's doing and no reason.
 * - They are not all under way: others than they are the limit, and they stay as they are.
 * - Otherwise it is tried out. A quarter more stay only if they bring more pages a second, and a fifth fewer stay if they bring as many:
 *   what a full line, a busy processor or a slow store does not carry would only wait, and take memory. After a try that failed there
 *   is a pause before the next.
 * How long answers take is not asked: a line that was full from the beginning has never shown how quick it can be.
 *
 * A thread is added when those there are have hardly a pause, twice in a row, and let go when one fewer would have pauses half of the
 * time, thirty times in a row: it takes a while to start and to warm up, so it is not let go for a short calm.
 */
export interface Measured {
  /** Of the time, on average over the threads, from 0 to 1. */
  readonly busyShare: number;
  /** Requests under way, of those allowed, from 0 to 1. */
  readonly usedShare: number;
  readonly answers: number;
  /** Of them, those without an answer of the server: time-outs, connections that broke or never came. */
  readonly failures: number;
  /** Of the memory that the process can have, from 0 to 1. */
  readonly memoryShare: number;
}

const LEAST_WINDOW = 16;
const MEMORY_SHORT = 0.8;
const ENOUGH_ANSWERS = 20;
/** Above what is usual. */
const MANY_FAIL = 0.15;
const USED = 0.8;
const SHRINK = 0.67;
const [MORE, FEWER] = [1.25, 0.8];
/** A try lasts so many looks; one look says too little. */
const TRY_LOOKS = 3;
const PAUSE_TRIES = 4;
/** From which gain on more are worth it, and up to which loss fewer are as good. */
const [GAIN, LOSS] = [1.05, 0.97];
const BUSY = 0.85;
const BUSY_LOOKS = 2;
const CALM = 0.5;
const CALM_LOOKS = 30;
/** What is usual follows what is seen, by so much a look. */
const FOLLOW = 0.05;

type Trial = 'none' | 'more' | 'fewer';

export class Parallelism {
  readonly #mostUnits: number;
  readonly #mostWindow: number;
  units = 1;
  window: number;
  #answers = 0;
  #failures = 0;
  #usualFailures = 0;
  #trial: Trial = 'none';
  #isFewerNext = false;
  #triedLooks = 0;
  #pages = 0;
  #pause = 0;
  /** Before the trial: pages in as many looks, and how many requests there were. */
  #pagesBefore = 0;
  #windowBefore = 0;
  #busyLooks = 0;
  #calmLooks = 0;

  constructor(most: { readonly units: number; readonly window: number }) {
    this.#mostUnits = most.units;
    this.#mostWindow = most.window;
    this.window = Math.min(most.window, Math.max(LEAST_WINDOW, Math.round(most.window / 4)));
  }

  look(measured: Measured): void {
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
    if (++this.#triedLooks < TRY_LOOKS) return;
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
    this.#triedLooks = 0;
  }

  #setWindow(wanted: number): void {
    const whole = wanted > this.window ? Math.ceil(wanted) : Math.floor(wanted);
    this.window = Math.min(this.#mostWindow, Math.max(LEAST_WINDOW, whole));
  }

  #setUnits(busyShare: number, isShort: boolean): void {
    this.#busyLooks = busyShare >= BUSY ? this.#busyLooks + 1 : 0;
    const withOneFewer = (busyShare * this.units) / Math.max(1, this.units - 1);
    this.#calmLooks = withOneFewer <= CALM ? this.#calmLooks + 1 : 0;
    if (isShort || this.#calmLooks >= CALM_LOOKS) {
      this.units = Math.max(1, this.units - 1);
      this.#calmLooks = 0;
    } else if (this.#busyLooks >= BUSY_LOOKS) {
      this.units = Math.min(this.#mostUnits, this.units + 1);
      this.#busyLooks = 0;
    }
  }
}
