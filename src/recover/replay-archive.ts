/**
 * Adds all indexed responses to the store in the order of time, then computes the ranks as a crawl does at its end. In:
 * an open store, seeds and rules. Out: counts. What always holds: when it is stopped, everything that was added is
 * committed, and the next run continues after it.
 */
import { systemClock } from '../core/clock.ts';
import type { SettledRules } from '../core/options/stored-rules.ts';
import { orderFor, planCrawl, topicIfReadable } from '../crawl/crawl-plan.ts';
import { lessonsInForce, movedSeeds, seedsNoted } from '../crawl/earlier-runs.ts';
import { LinkJudge } from '../crawl/links/link-judge.ts';
import { placeAt } from '../crawl/place/crawl-place.ts';
import { RECOVERING_NOTE } from '../crawl/place/open-store.ts';
import { SoleProcess } from '../crawl/process-role.ts';
import { PageRankKeeper } from '../crawl/ranking/page-rank-keeper.ts';
import { Ranker } from '../crawl/ranking/ranker.ts';
import type { RecoverableStore } from '../store/recoverable.ts';
import { CommitQueue } from './commit-queue.ts';
import type { Position } from './record-index.ts';
import { Replay, type ReplaySetup } from './replay.ts';

export interface Replaying extends Pick<ReplaySetup, 'store' | 'index' | 'runOf'> {
  /** The rules of the crawl, which are already in the store. */
  readonly settled: SettledRules;
  readonly dir: string;
  readonly isRebuilt: boolean;
  readonly seeds: readonly string[];
  readonly isStopped: () => boolean;
  readonly onProgress: (records: number, ofRecords: number) => void;
}

export async function replayArchive(replaying: Replaying): Promise<Replay['counts']> {
  const { dir, store, isRebuilt, index, settled, seeds, runOf, isStopped, onProgress } = replaying;
  const { options, refresh } = settled;
  const order = orderFor(options);
  const counts = await store.counts();
  const known = Object.values(counts.states).reduce((sum, count) => sum + count, 0);
  const ranker = new Ranker(order, store, counts.states.fetched + counts.states.duplicate, known);
  await ranker.rebuild(seeds.length);
  await planCrawl({ store, written: seeds, settled, order, ranker, counts, clock: systemClock });
  const allSeeds = [...(await seedsNoted(store)), ...(await movedSeeds(store))];
  // Secrets are not stored, so only their names say that the crawl was logged in.
  const links = new LinkJudge(options, allSeeds, await lessonsInForce(store), [], settled.rules.secrets);
  const { owner } = new SoleProcess(store, systemClock);
  const committed = await store.archiveFiles();
  const at = await positionIn(store, isRebuilt);
  const onWritten = async (): Promise<void> => {
    const { position } = replay;
    if (isRebuilt && position !== null) await store.setNote(RECOVERING_NOTE, JSON.stringify(position));
  };
  const queue = new CommitQueue({ store, options, links, ranker, owner, committed, onWritten });
  const topic = await topicIfReadable(options);
  const replay: Replay = new Replay({
    store,
    place: placeAt(dir),
    options,
    refresh,
    links,
    topic: topic && new (await import('../crawl/links/topic-judge.ts')).TopicJudge(topic, options),
    index,
    queue,
    runOf,
  });
  const total = index.count;
  let records = 0;
  for (const row of index.after(at)) {
    if (isStopped()) break;
    await replay.add(row);
    onProgress(++records, total);
    // Lets signals and timers run, because reads and commits are synchronous.
    if (records % 64 === 0) await new Promise(setImmediate);
  }
  if (isStopped()) await queue.flush();
  else await replay.finish();
  await queue.release();
  if (!isStopped()) {
    while (await store.settleCanonicals(Date.now()));
    await store.rerank(await ranker.newRanks(true));
    await new PageRankKeeper(store, ranker).finish();
    await store.setNote('order', order.name);
  }
  return replay.counts;
}

/**
 * The position that an interrupted recovery reached, or null at the start. Additions to an intact
 * copy are compared one by one.
 */
async function positionIn(store: RecoverableStore, isRebuilt: boolean): Promise<Position | null> {
  const noted = isRebuilt ? (JSON.parse((await store.note(RECOVERING_NOTE)) ?? '{}') as Partial<Position>) : {};
  const { orderMs, file, offset } = noted;
  return orderMs === undefined || file === undefined || offset === undefined ? null : { orderMs, file, offset };
}
