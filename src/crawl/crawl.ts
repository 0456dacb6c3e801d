/**
 * A crawl from start to end: open the folder, mend what a crash left, make the seeds known, run the controller and its
 * units, sum up. Running it again on the same folder goes on where it stopped.
 */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { shareArchive } from '../archive/share-archive.ts';
import { systemClock } from '../core/clock.ts';
import type { CrawlOptions } from '../core/options.ts';
import type { Order } from '../frontier/order.ts';
import type { FoundUrl } from '../store/contract.ts';
import type { ClusterEntry } from './cluster/cluster-entry.ts';
import { CommittedPayloads } from './committed-payloads.ts';
import { Controller } from './controller.ts';
import { crawlInfo } from './crawl-identity.ts';
import { placeAt } from './crawl-place.ts';
import { normalizeSeeds, orderFor, planCrawl, seedsNoted, topicOf } from './crawl-plan.ts';
import { type CrawlSummary, reportProgress, sumUp } from './crawl-summary.ts';
import { lessonsInForce, movedSeeds } from './earlier-runs.ts';
import { mendArchive } from './mend-archive.ts';
import { openStoreAt } from './open-store.ts';
import { applyReplaced, privateRuleOf, refuseClosedSeeds, settlePrivate, warnOfClosedSeeds } from './private-seeds.ts';
import { Ranker } from './ranker.ts';
import { RunCounter } from './run-counter.ts';
import { Alone } from './standing.ts';
import { type Brake, type Stoppable, stoppable } from './stoppable.ts';
import { UnitThread } from './unit-thread.ts';
import type { CrawlWatch } from './watchers/crawl-watch.ts';
import type { WatchersSetup } from './watchers/line-setup.ts';
import { forgetCursors, worthAsking } from './watchers/worth-asking.ts';
import { FrontierWork } from './work.ts';

export interface CrawlRequest {
  readonly dir: string;
  /** As the user wrote them; none goes on with the seeds of the folder. */
  readonly seeds: readonly string[];
  readonly options: CrawlOptions;
  /** In the place of `--order`: one of the caller's own. */
  readonly order?: Order;
  /** In the place of the folder's own store: one that several workers share. */
  readonly cluster?: ClusterEntry;
}

export type RunningCrawl = Stoppable<CrawlSummary>;

export function startCrawl(request: CrawlRequest): RunningCrawl {
  return stoppable((onStart) => (request.cluster ? joinIn(request, request.cluster, onStart) : run(request, onStart)));
}

/** Most crawls are of one process alone and need not load what a cluster needs. */
async function joinIn(
  request: CrawlRequest,
  cluster: ClusterEntry,
  onStart: (brake: Brake) => void,
): Promise<CrawlSummary> {
  return (await import('./cluster/worker.ts')).planAndWork(request, cluster, onStart);
}

async function run(request: CrawlRequest, onStart: (brake: Brake) => void): Promise<CrawlSummary> {
  const startMs = performance.now();
  const { dir } = request;
  const written = normalizeSeeds(request.seeds, request.options);
  // Before the folder is touched: what is refused leaves nothing behind.
  const topic = await topicOf(request.options);
  const order = request.order ?? orderFor(request.options);
  const isNew = !existsSync(join(dir, 'crawl.db'));
  if (isNew) await refuseClosedSeeds(written, privateRuleOf(written, request.options.allowPrivate));
  const store = await openStoreAt(dir, request.options.share);
  const unitCount = request.options.units || availableParallelism();
  // Before anything else, because their code takes a while to load.
  const units = Array.from({ length: unitCount }, (_, i) => new UnitThread(`unit${i}`));
  let watch: CrawlWatch | null = null;
  try {
    const place = placeAt(dir);
    const settled = await settlePrivate(store, written, request.options.allowPrivate);
    const { allowPrivate, rule: privateRule } = settled;
    const options = { ...request.options, allowPrivate };
    if (!isNew) await refuseClosedSeeds(written, privateRule);
    shareArchive(place.archives[0]!, options.share);
    await mendArchive(store, place.archives[0]!);
    const payloads = new CommittedPayloads();
    await payloads.recall(store);
    const counts = await store.counts();
    const counter = new RunCounter(counts);
    const known = Object.values(counts.states).reduce((sum, count) => sum + count, 0);
    const ranker = new Ranker(order, store, counter.pages, known);
    await ranker.rebuild((await seedsNoted(store)).length);
    const seeds = await planCrawl(store, written, options, order, ranker, counts, systemClock);
    await applyReplaced(store, settled, systemClock.now());
    await warnOfClosedSeeds(
      seeds.filter((seed) => !written.includes(seed)),
      privateRule,
    );
    const standing = new Alone(store, systemClock);
    const pagesBefore = counter.pages;
    const allSeeds = [...seeds, ...(await movedSeeds(store))];
    const lessons = await lessonsInForce(store);
    const ranking = {
      rank: (found: FoundUrl) => ranker.rank(found),
      learned: (ids: readonly number[]) => ranker.seeded(ids),
    };
    watch = await watchOf(
      { store, standing, clock: systemClock, options, seeds: allSeeds, lessons, privateRule, ...ranking },
      onStart,
    );
    const now = (await store.counts()).states;
    counter.waiting = now.waiting;
    ranker.knows(Object.values(now).reduce((sum, count) => sum + count, 0));
    const setup = {
      place,
      options,
      topic,
      refresh: null,
      crawlInfo: await crawlInfo(store, options, seeds, 'crawl'),
      rereadBeforeMs: 0,
      seeds: allSeeds,
      lessons,
      privateRule,
      watchedHosts: watch?.hosts ?? [],
      window: Math.max(1, Math.floor(options.concurrency / unitCount)),
    };
    const work = new FrontierWork(store, standing.owner, systemClock, {
      leaseMs: () => standing.leaseMs,
      patienceMs: options.patience,
      lists: order.lists ?? [1],
      pagesLeft: () => (options.limit === 0 ? Number.POSITIVE_INFINITY : options.limit - counter.pages),
    });
    const clock = systemClock;
    const controller = new Controller(store, options, setup, counter, ranker, payloads, units, clock, work, standing);
    const begun = watch;
    onStart({
      drain: () => controller.drain(),
      abort: () => {
        controller.abort();
        begun?.leave();
      },
    });
    const stopProgress = reportProgress(controller, options, startMs);
    const ending = await controller.run().finally(stopProgress);
    const withoutLease = watch?.withoutLease ?? [];
    if (!controller.isAborted) {
      await watch?.end(counter.fetched > 0);
      await store.setNote('order', order.name);
    }
    const seconds = (performance.now() - startMs) / 1_000;
    const sum = await sumUp(store, counter, ending, counter.pages - pagesBefore, seconds);
    return withoutLease.length === 0 ? sum : { ...sum, withoutLease };
  } finally {
    await watch?.close();
    await Promise.all(units.map((unit) => unit.end()));
    await store.close();
  }
}

/** Asks sites for their watchers, while the units load their code; loads nothing where nobody is to be asked. */
async function watchOf(setup: WatchersSetup, onStart: (brake: Brake) => void): Promise<CrawlWatch | null> {
  const { store, options, seeds } = setup;
  const nowMs = systemClock.now();
  if (!options.watchers || options.scope === 'page') {
    await forgetCursors(store, () => true, nowMs);
    return null;
  }
  const records = await worthAsking(store, seeds, nowMs);
  if (records.length === 0) return null;
  const watch = new (await import('./watchers/crawl-watch.ts')).CrawlWatch(setup);
  onStart({ drain: () => watch.readNoMore(), abort: () => watch.leave() });
  await watch.begin(records);
  return watch;
}
