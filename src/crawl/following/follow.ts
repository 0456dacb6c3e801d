/**
 * Runs the followers of a copy without a crawl or refresh (`orbweaver follow`): they continue at their positions, or at
 * the beginning after a reset. In: the place of the crawl. Out: how far each follower came.
 */
import { systemClock } from '../../core/clock.ts';
import { OrbweaverError } from '../../core/errors.ts';
import type { OptionSource } from '../../core/options/option-table.ts';
import { type FollowerReport, HELD_ELSEWHERE } from '../../followers/follower-queue.ts';
import { HeldPosition } from '../../followers/held-position.ts';
import type { Store } from '../../store/contract.ts';
import { settleRulesOf } from '../apply-rules.ts';
import type { CrawlPlace } from '../place/crawl-place.ts';
import { openStoreAt, withStoreAt } from '../place/open-store.ts';
import { type Stoppable, stoppable } from '../stoppable.ts';
import { DescriberThread } from './describer-thread.ts';
import { DESCRIPTIONS, FOLLOWER_VERSION } from './description-follower.ts';
import { followersOfRun, type OwnFollowers } from './followers-of-run.ts';
import { searchFollower } from './search/search-follower.ts';

export interface FollowRequest {
  readonly place: CrawlPlace;
  readonly sources: readonly OptionSource[];
  /** The followers begin again. */
  readonly reset: boolean;
  /** Followers of the calling program. */
  readonly followers?: OwnFollowers;
}

export interface FollowSummary {
  readonly ending: 'done' | 'interrupted';
  readonly followers: readonly FollowerReport[];
  readonly seconds: number;
}

/** Nobody waits for the end of a run here. A timer cannot wait longer. */
const NO_LIMIT_MS = 2 ** 31 - 1;

export function startFollow(request: FollowRequest): Stoppable<FollowSummary> {
  return stoppable(async (onStart) => {
    const startMs = performance.now();
    const { place, sources, reset, followers: own } = request;
    // Reading comes first: a folder without a crawl is refused, and no crawl is created in it.
    const { options, refresh } = await withStoreAt(place, (reader) => settleRulesOf(reader, sources));
    const store = await openStore(place);
    try {
      if (reset) await resetDescriptions(store);
      // Nothing else runs here, and the user waits.
      const describer = new DescriberThread({ place, sizes: options, refresh }, true);
      const search = options.search ? await searchFollower(store, place, options, { settles: true }) : null;
      if (reset) await search?.rebuild();
      const followers = followersOfRun(store, systemClock, { describer, search, own });
      let isStopped = false;
      const stop = (): void => {
        isStopped = true;
        followers.stop();
      };
      onStart({ drain: stop, abort: stop });
      try {
        const reports = await followers.finish(NO_LIMIT_MS);
        const seconds = (performance.now() - startMs) / 1_000;
        return { ending: isStopped ? 'interrupted' : 'done', followers: reports, seconds };
      } finally {
        await followers.close();
        await describer.end();
      }
    } finally {
      await store.close();
    }
  });
}

async function resetDescriptions(store: Store): Promise<void> {
  const held = new HeldPosition(store, { name: DESCRIPTIONS, version: FOLLOWER_VERSION }, systemClock);
  if (!(await held.hold())) throw new OrbweaverError('ERR_LOCKED', `${DESCRIPTIONS}: ${HELD_ELSEWHERE}; wait for it`);
  await held.move(null);
  await held.release();
}

async function openStore(place: CrawlPlace): Promise<Store> {
  if (place.cluster === null) return openStoreAt(place.dir);
  return (await (await import('../place/cluster-store.ts')).openCluster(place.cluster, 'work')).store;
}
