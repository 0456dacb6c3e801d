/**
 * Brings the search index of a copy up to date without a crawl or refresh (`orbweaver index`). It reads the store and
 * writes only the index, so it also works for a crawl in a database, on any machine that can read the archive. In: the
 * place of the crawl. Out: how far the index came, and the pages that it could not read.
 */
import { systemClock } from '../../../core/clock.ts';
import { OrbweaverError } from '../../../core/errors.ts';
import type { OptionSource } from '../../../core/options/option-table.ts';
import type { FollowerReport } from '../../../followers/follower-queue.ts';
import { RunFollowers } from '../../../followers/run-followers.ts';
import { settleRulesOf } from '../../apply-rules.ts';
import type { CrawlPlace } from '../../place/crawl-place.ts';
import { withStoreAt } from '../../place/open-store.ts';
import { type Stoppable, stoppable } from '../../stoppable.ts';
import type { UnreadSummary } from './index-notes.ts';
import type { IndexPlace } from './indexer-messages.ts';
import { SearchFollower } from './search-follower.ts';

export interface IndexRequest {
  readonly place: CrawlPlace;
  readonly sources: readonly OptionSource[];
  /** Begin again with an empty index. */
  readonly rebuild: boolean;
  /** The index of the pages as they are now (the default), or of all stored versions. */
  readonly kind?: IndexPlace['kind'];
}

export interface IndexSummary {
  readonly ending: 'done' | 'interrupted';
  readonly followers: readonly FollowerReport[];
  /** Pages in the index, or versions of pages. */
  readonly pages: number;
  /** Pages that are not in it because they could not be read. */
  readonly unread: UnreadSummary;
  readonly seconds: number;
}

/** Nobody waits for the end of a run here. A timer cannot wait longer. */
const NO_LIMIT_MS = 2 ** 31 - 1;

export function startIndex({ place, sources, rebuild, kind = 'pages' }: IndexRequest): Stoppable<IndexSummary> {
  return stoppable((onStart) =>
    withStoreAt(place, async (store) => {
      const startMs = performance.now();
      const { options } = await settleRulesOf(store, sources);
      let isStopped = false;
      let followers: RunFollowers | null = null;
      const search = await SearchFollower.over(store, place, options, { settles: true, kind });
      const stop = (): void => {
        isStopped = true;
        search.stop();
        followers?.stop();
      };
      onStart({ drain: stop, abort: stop });
      try {
        const isOpen = rebuild ? await search.rebuild() : await search.open();
        if (!isOpen) {
          const message = `another process is writing the search index in ${place.dir}; wait for it`;
          throw new OrbweaverError('ERR_LOCKED', message);
        }
        await search.retryUnread();
        const queues = new RunFollowers(NO_POSITIONS, [search], systemClock);
        followers = queues;
        if (isStopped) queues.stop();
        const reports = await queues.finish(NO_LIMIT_MS).finally(() => queues.close());
        return {
          ending: isStopped ? 'interrupted' : 'done',
          followers: reports,
          ...search.result,
          seconds: (performance.now() - startMs) / 1_000,
        };
      } finally {
        await search.releaseFollower();
      }
    }),
  );
}

/** The position is in the index. */
const NO_POSITIONS = {
  holdFollower: async () => null,
  moveFollower: async () => false,
  releaseFollower: async () => {},
};
