/**
 * The followers of one run. In: followers, and a call after each commit. Out: at the end of the run, how far each came.
 * Followers do not wait for each other, and the run waits for them only at its end, for a limited time.
 */
import type { Clock } from '../core/clock.ts';
import type { Follower, PositionStore } from './follower.ts';
import { FollowerQueue, type FollowerReport } from './follower-queue.ts';

export class RunFollowers {
  readonly #queues: readonly FollowerQueue<unknown>[];

  /** `onMove` is called when a follower has come further. */
  constructor(
    store: PositionStore,
    followers: readonly Follower<unknown>[],
    clock: Clock,
    onMove: () => void = () => {},
  ) {
    this.#queues = followers.map((follower) => new FollowerQueue(store, follower, clock, onMove));
  }

  /** Call this when there may be news. It is cheap enough to call after each commit. */
  wake(): void {
    for (const queue of this.#queues) queue.wake();
  }

  /** Called after the last commit. What is left after this time waits for the next run. Throws errors of the store. */
  async finish(giveUpAfterMs: number): Promise<readonly FollowerReport[]> {
    const ended = await Promise.allSettled(this.#queues.map((queue) => queue.finish(giveUpAfterMs)));
    const broken = ended.find((end) => end.status === 'rejected');
    if (broken !== undefined) throw broken.reason;
    return ended.filter((end) => end.status === 'fulfilled').map(({ value }) => value);
  }

  /** The run is interrupted: work in progress is given up at once. */
  stop(): void {
    for (const queue of this.#queues) queue.stop();
  }

  /** Call this before the store closes, whether or not the run failed. */
  async close(): Promise<void> {
    this.stop();
    for (const queue of this.#queues) await queue.ended;
  }
}

/** One line for each follower that has not reached the end, for the user. */
export function leftoversOf(reports: readonly FollowerReport[]): readonly string[] {
  return reports
    .filter(({ isDone }) => !isDone)
    .map(({ name, failure }) => `${name}: not finished: ${failure ?? 'the run ended before'}; the next run continues`);
}
