/**
 * The time of a cluster: that of the server with the store, told by this machine's even clock and what it is behind the server's. In:
 * what the server said the time was, and when it was asked and answered. Out: the same time in every thread.
 *
 * The server looked at its clock at some instant between question and answer, so each answer says between which bounds the offset
 * lies. While it lies between all of them it is left alone: quick answers set it, slow ones leave it, and it is off by no more than half
 * of the quickest round trip of late. What this machine's own clock shows is of no account.
 *
 * What always holds: delays are counted by this clock, so it is set forward slowly, by a thousandth of the time that passes, and a small
 * correction backwards makes it stand still. It jumps only where it is off by more than `LONGEST_SLOW_MS` forward, or `LONGEST_STAND_MS`
 * back, as after a failover to a server with another time; gates take a request that lies ahead for one of now.
 */
import { type Clock, monotonicMs, systemClock } from '../../core/clock.ts';

const LONGEST_STAND_MS = 1_000;
const LONGEST_SLOW_MS = 60_000;
const SLOWLY = 0.001;

/** The offset from which on it moves, the one it moves to, and since when, by the even clock. */
const [FROM, TO, SINCE] = [0, 1, 2] as const;
/** Of two clocks against each other, at worst. */
const DRIFT = 0.000_2;

export class ClusterClock implements Clock {
  readonly memory: SharedArrayBuffer;
  readonly #offset: Float64Array;
  readonly #localMs: () => number;
  #lastMs = 0;
  /** Bounds of the offset, as of when they were told. Of the one who tells the time alone. */
  #leastMs = Number.NEGATIVE_INFINITY;
  #mostMs = Number.POSITIVE_INFINITY;
  #toldAtMs = 0;
  #isSet = false;

  constructor(memory = new SharedArrayBuffer(24), localMs: () => number = monotonicMs) {
    this.memory = memory;
    this.#offset = new Float64Array(memory);
    this.#localMs = localMs;
  }

  now = (): number => {
    // Whole: the store keeps times in whole milliseconds.
    const localMs = this.#localMs();
    const nowMs = Math.floor(localMs + this.#offsetAt(localMs));
    if (nowMs < this.#lastMs && this.#lastMs - nowMs <= LONGEST_STAND_MS) return this.#lastMs;
    this.#lastMs = nowMs;
    return nowMs;
  };

  /** What it is known to be behind the server's, while it is set forward: a time that others compare with theirs is so much later. */
  get behindMs(): number {
    return Math.ceil(Math.max(0, this.#offset[TO]! - this.#offsetAt(this.#localMs())));
  }

  #offsetAt(localMs: number): number {
    const [fromMs, toMs] = [this.#offset[FROM]!, this.#offset[TO]!];
    return Math.min(toMs, fromMs + SLOWLY * Math.max(0, localMs - this.#offset[SINCE]!));
  }

  #move(toMs: number, localMs: number): void {
    const nowMs = this.#offsetAt(localMs);
    const isSlow = this.#isSet && toMs > nowMs && toMs - nowMs <= LONGEST_SLOW_MS;
    // In this order: another thread that reads in between sees no jump.
    this.#offset[SINCE] = localMs;
    this.#offset[FROM] = isSlow ? nowMs : toMs;
    this.#offset[TO] = toMs;
    this.#isSet = true;
  }

  after(ms: number, callback: () => void): () => void {
    return systemClock.after(ms, callback);
  }

  /** The server said it was `serverMs`, asked and answered at these moments of the even clock. */
  told(serverMs: number, askedAtMs: number, answeredAtMs: number): void {
    const driftMs = DRIFT * Math.max(0, answeredAtMs - this.#toldAtMs);
    const [leastMs, mostMs] = [serverMs - answeredAtMs, serverMs - askedAtMs];
    const before = { leastMs: this.#leastMs - driftMs, mostMs: this.#mostMs + driftMs };
    // What was known no longer holds, where the server's clock was set.
    const agrees = leastMs <= before.mostMs && mostMs >= before.leastMs;
    this.#leastMs = agrees ? Math.max(leastMs, before.leastMs) : leastMs;
    this.#mostMs = agrees ? Math.min(mostMs, before.mostMs) : mostMs;
    this.#toldAtMs = answeredAtMs;
    const offsetMs = this.#offset[TO]!;
    if (this.#isSet && offsetMs >= this.#leastMs && offsetMs <= this.#mostMs) return;
    this.#move((this.#leastMs + this.#mostMs) / 2, answeredAtMs);
  }
}
