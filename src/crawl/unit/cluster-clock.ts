/**
 * The time of a cluster: the time of the database server, computed from the monotonic clock of this machine and an
 * offset. In: a time of the server, and when it was requested and received. Out: the same time in every thread.
 *
 * The server read its clock at some moment between request and answer, so each answer gives bounds for the offset. The
 * offset stays the same while it lies within all bounds: quick answers set it, slow answers leave it. Its error is at
 * most half of the quickest recent round trip. The wall clock of this machine is not used.
 *
 * What always holds: delays are counted by this clock. So it is set forward slowly, by a thousandth of the time that
 * passes, and it stands still for a small correction backwards. It jumps only if it is off by more than
 * `MAX_SLOW_MS` forward or `MAX_STAND_MS` back, for example after a failover to a server with another time.
 * Gates treat a request in the future as a request of this moment.
 */
import { type Clock, monotonicMs, systemClock } from '../../core/clock.ts';
import type { Cluster } from '../../store/cluster.ts';

const MAX_STAND_MS = 1_000;
const MAX_SLOW_MS = 60_000;
const SLOWLY = 0.001;

/** The offset at the start of a correction, the offset at its end, and its start on the monotonic clock. */
const [FROM, TO, SINCE] = [0, 1, 2] as const;
/** The largest drift between two clocks. */
const DRIFT = 0.000_2;

export class ClusterClock implements Clock {
  readonly memory: SharedArrayBuffer;
  readonly #offset: Float64Array;
  readonly #localMs: () => number;
  #lastMs = 0;
  /** Bounds of the offset at `#measuredAtMs`. Only the thread that calls `measure` uses them. */
  #minMs = Number.NEGATIVE_INFINITY;
  #maxMs = Number.POSITIVE_INFINITY;
  #measuredAtMs = 0;
  #isSet = false;

  constructor(memory = new SharedArrayBuffer(24), localMs: () => number = monotonicMs) {
    this.memory = memory;
    this.#offset = new Float64Array(memory);
    this.#localMs = localMs;
  }

  now = (): number => {
    // The store keeps times in whole milliseconds.
    const localMs = this.#localMs();
    const nowMs = Math.floor(localMs + this.#offsetAt(localMs));
    if (nowMs < this.#lastMs && this.#lastMs - nowMs <= MAX_STAND_MS) return this.#lastMs;
    this.#lastMs = nowMs;
    return nowMs;
  };

  /**
   * How much this clock is behind the server's clock while it is set forward. Add
   * it to a time that others compare with their time.
   */
  get behindMs(): number {
    return Math.ceil(Math.max(0, this.#offset[TO]! - this.#offsetAt(this.#localMs())));
  }

  #offsetAt(localMs: number): number {
    const [fromMs, toMs] = [this.#offset[FROM]!, this.#offset[TO]!];
    return Math.min(toMs, fromMs + SLOWLY * Math.max(0, localMs - this.#offset[SINCE]!));
  }

  #move(toMs: number, localMs: number): void {
    const nowMs = this.#offsetAt(localMs);
    const isSlow = this.#isSet && toMs > nowMs && toMs - nowMs <= MAX_SLOW_MS;
    // This order prevents a jump for another thread that reads in between.
    this.#offset[SINCE] = localMs;
    this.#offset[FROM] = isSlow ? nowMs : toMs;
    this.#offset[TO] = toMs;
    this.#isSet = true;
  }

  after(ms: number, callback: () => void): () => void {
    return systemClock.after(ms, callback);
  }

  /** Takes a time of the server, with the times of request and answer on the monotonic clock. */
  measure(serverMs: number, askedAtMs: number, answeredAtMs: number): void {
    const driftMs = DRIFT * Math.max(0, answeredAtMs - this.#measuredAtMs);
    const [minMs, maxMs] = [serverMs - answeredAtMs, serverMs - askedAtMs];
    const before = { minMs: this.#minMs - driftMs, maxMs: this.#maxMs + driftMs };
    // If the server's clock was set, the earlier bounds no longer hold.
    const agrees = minMs <= before.maxMs && maxMs >= before.minMs;
    this.#minMs = agrees ? Math.max(minMs, before.minMs) : minMs;
    this.#maxMs = agrees ? Math.min(maxMs, before.maxMs) : maxMs;
    this.#measuredAtMs = answeredAtMs;
    const offsetMs = this.#offset[TO]!;
    if (this.#isSet && offsetMs >= this.#minMs && offsetMs <= this.#maxMs) return;
    this.#move((this.#minMs + this.#maxMs) / 2, answeredAtMs);
  }
}

/** The quickest of a few answers gives the most exact time. The clock is not in use yet, so it may jump. */
const FIRST_QUESTIONS = 4;

export async function setClock(
  clock: ClusterClock,
  cluster: Pick<Cluster, 'nowMs'>,
  localMs: () => number = monotonicMs,
): Promise<void> {
  const answers: [serverMs: number, askedAtMs: number, answeredAtMs: number][] = [];
  for (let i = 0; i < FIRST_QUESTIONS; i++) {
    const askedAtMs = localMs();
    answers.push([await cluster.nowMs(), askedAtMs, localMs()]);
  }
  answers.sort(([, a, b], [, c, d]) => b - a - (d - c));
  for (const answer of answers) clock.measure(...answer);
}
