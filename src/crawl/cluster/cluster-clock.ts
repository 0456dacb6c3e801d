/**
 * The time of a cluster: that of the server with the store, told by this machine's even clock and what it is behind the server's. In:
 * what the server said the time was, and when it was asked and answered. Out: the same time in every thread.
 *
 * The server looked at its clock at some instant between question and answer, so each answer says between which bounds the offset
 * lies. While it lies between all of them it is left alone: quick answers set it, slow ones leave it, and it is off by no more than half
 * of the quickest round trip of late. What this machine's own clock shows is of no account.
 *
 * What always holds: a small correction backwards makes the clock stand still, not go back. It goes back only if the server's did by
 * more than `LONGEST_STAND_MS`, as after a failover to a server that is behind; gates take a request that lies ahead for one of now.
 */
import { type Clock, monotonicMs, systemClock } from '../../core/clock.ts';

const LONGEST_STAND_MS = 1_000;
/** Of two clocks against each other, at worst. */
const DRIFT = 0.000_2;

export class ClusterClock implements Clock {
  readonly memory: SharedArrayBuffer;
  readonly #offsetMs: Float64Array;
  readonly #localMs: () => number;
  #lastMs = 0;
  /** Bounds of the offset, as of when they were told. Of the one who tells the time alone. */
  #leastMs = Number.NEGATIVE_INFINITY;
  #mostMs = Number.POSITIVE_INFINITY;
  #toldAtMs = 0;

  constructor(memory = new SharedArrayBuffer(8), localMs: () => number = monotonicMs) {
    this.memory = memory;
    this.#offsetMs = new Float64Array(memory);
    this.#localMs = localMs;
  }

  now = (): number => {
    // Whole: the store keeps times in whole milliseconds.
    const nowMs = Math.floor(this.#localMs() + this.#offsetMs[0]!);
    if (nowMs < this.#lastMs && this.#lastMs - nowMs <= LONGEST_STAND_MS) return this.#lastMs;
    this.#lastMs = nowMs;
    return nowMs;
  };

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
    const offsetMs = this.#offsetMs[0]!;
    if (offsetMs >= this.#leastMs && offsetMs <= this.#mostMs) return;
    this.#offsetMs[0] = (this.#leastMs + this.#mostMs) / 2;
  }
}
