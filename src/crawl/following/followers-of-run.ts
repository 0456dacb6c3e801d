/**
 * Assembles the followers of a run: the search index, the descriptions, if a listener will read them, and the followers
 * of the calling program.
 */
import type { Clock } from '../../core/clock.ts';
import type { Follower } from '../../followers/follower.ts';
import { RunFollowers } from '../../followers/run-followers.ts';
import type { Store } from '../../store/contract.ts';
import { type Describer, descriptionFollower } from './description-follower.ts';
import type { SearchFollower } from './search/search-follower.ts';

/** Makes the followers of the calling program, over the store of the run. */
export type OwnFollowers = (store: Store) => readonly Follower<unknown>[];

export interface FollowersWanted {
  /**
   * Null: nobody waits for descriptions. Readers describe what they read, and `orbweaver follow` describes the rest.
   */
  readonly describer: Describer | null;
  /** Null: the run keeps no index. */
  readonly search: SearchFollower | null;
  readonly own?: OwnFollowers | undefined;
  readonly onMove?: () => void;
}

export function followersOfRun(store: Store, clock: Clock, wanted: FollowersWanted): RunFollowers {
  const { describer, search, own, onMove } = wanted;
  const described = describer === null ? [] : [descriptionFollower(store, describer)];
  const indexed = search === null ? [] : [search];
  return new RunFollowers(store, [...described, ...indexed, ...(own?.(store) ?? [])], clock, onMove);
}
