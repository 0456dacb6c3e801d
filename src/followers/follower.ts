/**
 * Followers (C12): work that happens after commits. In: what commits changed, in order. Out: whatever the follower
 * makes of it, such as deliveries, descriptions or an index.
 *
 * What always holds:
 * - A follower has a position in the store, which moves only after the follower has done its work. What it stores in
 *   the same store moves with the position in one transaction. A crash at any moment repeats at most one batch.
 * - One owner at a time follows under one name, because a position is held with a lease (held-position.ts).
 * - A follower that was added late, fell behind or starts again ends with what the copy says: `changesAfter` reads
 *   every change that was logged, `pagesAfter` reads the current state of every page (sources.ts).
 */
import type { ChangeDescription, Store } from '../store/contract.ts';

export type PositionStore = Pick<Store, 'holdFollower' | 'moveFollower' | 'releaseFollower'>;

export interface Follower<Item> {
  /** The position is stored under this name. */
  readonly name: string;
  /** A follower whose results have another meaning gets another version, and starts again. */
  readonly version: number;
  readonly source: FollowerSource<Item>;
  /** The number of items in a batch. */
  readonly batchItems: number;
  /** After reaching the end, the follower rests so long before it reads again, so that more items make up a batch. */
  readonly restMs?: number;
  /** At the end of a run, the follower gives up after so many failures in a row; absent: when the time is over. */
  readonly lastTries?: number;
  /** Where the position is stored; absent for a position in the store. */
  readonly positions?: PositionStore;
  /**
   * Does the work for these items. It may be called again with the same items. An item that cannot be worked on is left
   * out; after a thrown error the whole batch is repeated later. `signal` says that nobody waits for the result.
   */
  follow(items: readonly Item[], signal: AbortSignal): Promise<FollowerResults>;
}

/** What the store keeps together with the new position. */
export interface FollowerResults {
  readonly described?: readonly ChangeDescription[];
}

export interface FollowerSource<Item> {
  /** The next items after a position; null is the beginning. */
  read(position: string | null, limit: number): Promise<SourceBatch<Item>>;
}

export interface SourceBatch<Item> {
  readonly items: readonly Item[];
  /** The position after these items. */
  readonly position: string | null;
  /** Whether there are no more items now. */
  readonly isEnd: boolean;
}
