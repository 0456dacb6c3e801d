/**
 * Assembles the followers of a run: the descriptions, if a listener will read them, and the followers of the calling
 * program, such as a search index.
 */
import type { Clock } from '../../core/clock.ts';
import type { Follower } from '../../followers/follower.ts';
import { RunFollowers } from '../../followers/run-followers.ts';
import type { Store } from '../../store/contract.ts';
import { type Describer, descriptionFollower } from './description-follower.ts';

/** Makes the followers of the calling program, over the store of the run. */
export type OwnFollowers = (store: Store) => readonly Follower<unknown>[];

export interface FollowersWanted {
  /**
   * Null: nobody waits for descriptions. Readers describe what they read, and `orbweaver follow` describes the rest.
   */
  readonly describer: Describer | null;
  readonly own?: OwnFollowers | undefined;
  readonly onMove?: () => void;
}

export function followersOfRun(store: Store, clock: Clock, { describer, own, onMove }: FollowersWanted): RunFollowers {
  const described = describer === null ? [] : [descriptionFollower(store, describer)];
  return new RunFollowers(store, [...described, ...(own?.(store) ?? [])], clock, onMove);
}
