/**
 * The times of stages, summed (M6). In: the ends of stages in this thread. Out: for each stage a count, the time, and a
 * histogram with fixed buckets. The sums are in shared memory, so the controller reads the sums of a unit at any time:
 * no message has to be written, and the sums of a unit that died are not lost.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { STAGE_END, STAGE_UNITS, type StageEnd, type StageName } from './stage-events.ts';

/** The upper bounds of the buckets. A last bucket has all longer times. */
export const STAGE_BUCKETS_MS = [0.1, 0.3, 1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000] as const;

export interface StageTiming {
  readonly stage: StageName;
  readonly unit: (typeof STAGE_UNITS)[StageName];
  /** How often the stage has ended. */
  readonly count: number;
  /** The time from start to end, of all of them. Stages that wait, such as `fetch`, overlap. */
  readonly tookMs: number;
  /** How many took at most as long as each bound in STAGE_BUCKETS_MS and longer than the bound before. */
  readonly buckets: readonly number[];
}

const STAGES = Object.keys(STAGE_UNITS) as readonly StageName[];
const BUCKETS = STAGE_BUCKETS_MS.length + 1;
/** A stage has the sum of its times, and then its buckets. */
const SLOTS = 1 + BUCKETS;
const OFFSETS = Object.fromEntries(STAGES.map((stage, at) => [stage, at * SLOTS])) as Record<StageName, number>;

export class StageTimes {
  readonly memory: SharedArrayBuffer;
  readonly #sums: Float64Array;

  constructor(memory = new SharedArrayBuffer(STAGES.length * SLOTS * Float64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#sums = new Float64Array(memory);
  }

  /** Counts the stages that end in this thread until the returned function is called. */
  listen(): () => void {
    const onEnd = (event: unknown): void => this.count(event as StageEnd);
    subscribe(STAGE_END, onEnd);
    return () => void unsubscribe(STAGE_END, onEnd);
  }

  count({ stage, tookMs }: Pick<StageEnd, 'stage' | 'tookMs'>): void {
    const at = OFFSETS[stage];
    let bucket = 0;
    while (bucket < STAGE_BUCKETS_MS.length && tookMs > STAGE_BUCKETS_MS[bucket]!) bucket++;
    this.#sums[at]! += tookMs;
    this.#sums[at + 1 + bucket]!++;
  }

  add(other: StageTimes): void {
    for (const [at, sum] of other.#sums.entries()) this.#sums[at]! += sum;
  }

  /** The stages that have ended at least once, in the order in which a URL passes them. */
  read(): readonly StageTiming[] {
    return STAGES.flatMap((stage) => {
      const at = OFFSETS[stage];
      const buckets = [...this.#sums.subarray(at + 1, at + SLOTS)];
      const count = buckets.reduce((sum, one) => sum + one, 0);
      return count === 0 ? [] : [{ stage, unit: STAGE_UNITS[stage], count, tookMs: this.#sums[at]!, buckets }];
    });
  }
}
