/**
 * A refresh from start to end: open the folder, mend what a crash left, plan, run the controller and its units over the plan, tell
 * others what changed, drop versions that are not to be kept, sum up. With `watch` it goes on, round after round.
 */
import { availableParallelism } from 'node:os';
import { systemClock } from '../core/clock.ts';
import { OrbweaverError } from '../core/errors.ts';
import { isHeard, publish } from '../core/events.ts';
import type { CrawlOptions } from '../core/options.ts';
import type { RefreshOptions } from '../core/refresh-options.ts';
import type { Topic } from '../frontier/topic/topic.ts';
import { CHANGE_KINDS, type CommitReceipt, type FoundUrl, type Store, type UrlResult } from '../store/contract.ts';
import type { SampleResult } from '../verify/sample.ts';
import { commitEvent } from './commit-event.ts';
import { CommittedPayloads } from './committed-payloads.ts';
import { Controller } from './controller.ts';
import { crawlInfo } from './crawl-identity.ts';
import { type CrawlPlace, placeAt } from './crawl-place.ts';
import { orderFor, topicOf } from './crawl-plan.ts';
import { Delivery } from './deliver/delivery.ts';
import type { Listener } from './deliver/listener.ts';
import { lessonsInForce, movedSeeds } from './earlier-runs.ts';
import { noteImages, rereadBeforeMs } from './links-wanted.ts';
import { applyReplaced, settlePrivate, warnOfClosedSeeds } from './private-seeds.ts';
import { Ranker } from './ranker.ts';
import { RefreshCounter } from './refresh-counter.ts';
import { RefreshPlan } from './refresh-plan.ts';
import { type RefreshWorker, takeStation } from './refresh-station.ts';
import { fullCrawlBytes, type RefreshSummary, sumUp } from './refresh-summary.ts';
import { RevisitWork } from './revisit-work.ts';
import { RunCounter } from './run-counter.ts';
import { type Brake, type Stoppable, stoppable } from './stoppable.ts';
import { UnitThread } from './unit-thread.ts';
import { VersionKeeper } from './version-keeper.ts';
import type { WatchersSetup } from './watchers/line-setup.ts';
import type { Watchers } from './watchers/watchers.ts';
import { forgetCursors, worthAsking } from './watchers/worth-asking.ts';
import { FrontierWork } from './work.ts';

export type { RefreshSummary } from './refresh-summary.ts';

export interface RefreshRequest {
  readonly dir: string;
  /** Where the crawl is, if not all of it is in `dir`. */
  readonly place?: CrawlPlace;
  /** Of a crawl in a database: who joins its workers for the refresh. */
  readonly worker?: RefreshWorker;
  /** Those of the folder's crawl, but for what was given anew. */
  readonly options: CrawlOptions;
  readonly refresh: RefreshOptions;
}

export type RunningRefresh = Stoppable<RefreshSummary>;

export function startRefresh(request: RefreshRequest): RunningRefresh {
  return stoppable((onStart) => run(request, onStart));
}

async function run(
  { dir, options, refresh, place = placeAt(dir), worker }: RefreshRequest,
  onStart: (brake: Brake) => void,
): Promise<RefreshSummary> {
  const startMs = performance.now();
  // Before the folder is touched: what is refused leaves nothing behind.
  await checkNoise(refresh);
  const listeners = await listenersOf(refresh);
  const order = orderFor(options);
  const topic = await topicIfThere(options);
  const station = await takeStation(place, options, worker);
  const { store, standing, clock } = station;
  const endsAtMs = refresh.time === null ? Number.POSITIVE_INFINITY : clock.now() + refresh.time;
  // Half as many as a crawl has: most pages are not sent, and a thread that begins costs more than it brings. On two cores one unit
  // takes the same time as two, a fifth less CPU time and 45 MB less.
  const unitCount = options.units || Math.max(1, Math.floor(availableParallelism() / 2));
  // Before anything else, because their code takes a while to load.
  const units = Array.from({ length: unitCount }, (_, i) => new UnitThread(`unit${i}`, true));
  let watchers: Watchers | null = null;
  try {
    const seeds = await seedsOf(store);
    const settled = await settlePrivate(store, [], options.allowPrivate);
    const { rule: privateRule } = settled;
    await applyReplaced(store, settled, clock.now());
    if (settled.isReplaced) await station.announceRules();
    await warnOfClosedSeeds(seeds, privateRule);
    const counts = await store.counts();
    const runCounter = new RunCounter(counts);
    const known = Object.values(counts.states).reduce((sum, count) => sum + count, 0);
    const ranker = new Ranker(order, store, runCounter.pages, known);
    const rereadBefore = await rereadBeforeMs(store, options, counts, clock.now());
    await noteImages(store, options);
    const allSeeds = [...seeds, ...(await movedSeeds(store))];
    const lessons = await lessonsInForce(store);
    const counter = new RefreshCounter();
    const delivery = await Delivery.open(store, listeners, systemClock);
    const ranking = {
      rank: (found: FoundUrl) => ranker.rank(found),
      learned: (ids: readonly number[]) => ranker.seeded(ids),
    };
    // Whoever wants a round every few seconds does not want to wait half a minute in one of them.
    const leaseWait = refresh.watch ? Math.min(options.leaseWait, refresh.every) : options.leaseWait;
    const ofWatchers = { ...options, leaseWait };
    const asking = { store, standing, clock, options: ofWatchers, seeds: allSeeds, lessons, privateRule, ...ranking };
    watchers = await watchersOf(asking, refresh, (results, receipt) => {
      counter.add(results, receipt);
      if (isHeard('crawl/commit')) publish('crawl/commit', commitEvent({ results }, receipt, 0));
      delivery.wake();
    });
    // While the units load their code. Who cannot wait for that leaves without it.
    const early = watchers;
    onStart({ drain: () => early?.readNoMore(), abort: () => early?.leave() });
    await watchers?.begin();
    const setup = {
      place,
      ...station.unitSetup,
      options,
      topic,
      refresh,
      crawlInfo: await crawlInfo(store, options, seeds, 'refresh'),
      rereadBeforeMs: rereadBefore,
      seeds: allSeeds,
      lessons,
      privateRule,
      watchedHosts: watchers?.hosts ?? [],
      window: Math.max(1, Math.floor(options.concurrency / unitCount)),
    };
    const keeper = new VersionKeeper(store, place.archives[0]!, refresh.keep, station.archive);
    const frontier = new FrontierWork(store, standing.owner, clock, {
      leaseMs: () => standing.leaseMs,
      patienceMs: options.patience,
      lists: order.lists ?? [1],
    });
    let sample: SampleResult | null = null;
    let sampledAtMs = clock.now();
    const checkSample = async (): Promise<void> => {
      const { sampleArchive } = await import('../verify/sample.ts');
      sample = await sampleArchive(store, place.archives, clock.now());
      sampledAtMs = clock.now();
    };
    const plan = new RefreshPlan(store, refresh, rereadBefore, watchers);
    const work = new RevisitWork(
      store,
      standing,
      clock,
      frontier,
      plan,
      counter,
      {
        budget: refresh.budget,
        endsAtMs,
        patienceMs: options.patience,
        everyMs: refresh.watch ? refresh.every : null,
        takesNew: refresh.only.length === 0,
        pagesLeft: async () =>
          options.limit === 0 ? Number.POSITIVE_INFINITY : options.limit - (await pagesIn(store)),
      },
      async () => {
        await watchers?.endRound();
        await keeper.betweenRounds(controller);
        if (clock.now() - sampledAtMs >= SAMPLE_EVERY_MS) await checkSample();
      },
      () => delivery.wake(),
    );
    const payloads = new CommittedPayloads();
    const controller = new Controller(
      store,
      options,
      setup,
      runCounter,
      ranker,
      payloads,
      units,
      clock,
      work,
      standing,
    );
    station.attach(controller);
    onStart({
      drain: () => {
        controller.drain();
        early?.readNoMore();
        delivery.stop();
      },
      abort: () => {
        controller.abort();
        early?.leave();
      },
    });
    // A feed shows what is known, whether anything comes of this run or not.
    delivery.wake();
    const stopProgress = reportProgress(counter, startMs);
    const ending = await controller.run().finally(stopProgress);
    const held = plan.heldPages;
    if (!controller.isAborted) {
      await watchers?.endRound(ending === 'interrupted');
      await keeper.atTheEnd(controller);
      await checkSample();
    }
    const { listeners: told, leftovers } = await delivery.finish(controller.isAborted ? 0 : DELIVER_WITHIN_MS);
    for (const message of leftovers) publish('crawl/warning', { message });
    const undelivered = Math.max(0, ...told.map(({ waiting }) => waiting));
    const seconds = (performance.now() - startMs) / 1_000;
    const left =
      held +
      (refresh.watch ? work.left : Math.max(work.left, plan.considered - counter.looked - counter.lookedByOthers));
    const sum = sumUp(ending, counter, left, await fullCrawlBytes(store), seconds);
    return {
      ...sum,
      ...keeper.kept,
      undelivered,
      setAside: plan.setAside,
      troubles: Object.fromEntries(counter.troubles),
      watchers: watchers?.summaries ?? [],
      sample,
    };
  } finally {
    await watchers?.close();
    await Promise.all(units.map((unit) => unit.end()));
    await station.leave();
  }
}

/** Most runs have no rules of their own and need not load the table of rules in this thread. */
async function checkNoise(refresh: RefreshOptions): Promise<void> {
  if (refresh.ignore.length + refresh.noiseOff.length > 0) (await import('./noise-book.ts')).noiseBookOf(refresh);
}

/** Nor what tells others, where there is nobody to tell. */
async function listenersOf(refresh: RefreshOptions): Promise<readonly Listener[]> {
  if (refresh.onChange === null && refresh.webhook === null && refresh.feed === null) return [];
  const kinds = CHANGE_KINDS.filter((kind) => kind !== 'noise' || refresh.tellNoise);
  return (await import('./deliver/listeners-from.ts')).listenersFrom({ ...refresh, kinds }, systemClock, (line) =>
    publish('refresh/said', { line }),
  );
}

/** Nor what asks watchers, where there is none to ask. */
async function watchersOf(
  setup: WatchersSetup,
  refresh: RefreshOptions,
  dropped: (results: readonly UrlResult[], receipt: CommitReceipt) => void,
): Promise<Watchers | null> {
  const { store, options, seeds, clock } = setup;
  const nowMs = clock.now();
  if (!options.watchers || options.scope === 'page') {
    await forgetCursors(store, () => true, nowMs);
    return null;
  }
  if (!refresh.watch && (await worthAsking(store, seeds, nowMs)).length === 0) return null;
  return new (await import('./watchers/watchers.ts')).Watchers(setup, dropped);
}

async function seedsOf(store: Store): Promise<string[]> {
  const seeds = JSON.parse((await store.note('seeds')) ?? '[]') as string[];
  if (seeds.length > 0) return seeds;
  throw new OrbweaverError('ERR_USAGE', 'there is no copy to refresh here; crawl first: orbweaver crawl <url>');
}

/** The examples of a topic may be gone by now; the copy can be kept fresh all the same. */
async function topicIfThere(options: CrawlOptions): Promise<Topic | null> {
  try {
    return await topicOf(options);
  } catch (error) {
    if (!(error instanceof OrbweaverError)) throw error;
    publish('crawl/warning', {
      message: `the topic of the crawl cannot be read, so new links are not judged by it: ${error.message}`,
    });
    return null;
  }
}

async function pagesIn(store: Store): Promise<number> {
  const { states } = await store.counts();
  return states.fetched + states.duplicate;
}

const PROGRESS_MS = 250;
/** Of a refresh that goes on: how often a sample of the archive is checked. One that ends checks one at its end. */
const SAMPLE_EVERY_MS = 600_000;
/** What has not arrived by then waits in the store for the next run. */
const DELIVER_WITHIN_MS = 30_000;

function reportProgress(counter: RefreshCounter, startMs: number): () => void {
  const timer = setInterval(() => {
    const { planned, looked, newPages, reread, requests, bytes, findings } = counter;
    const { changed, noise, gone, failing, missing } = findings;
    publish('refresh/progress', {
      elapsedMs: performance.now() - startMs,
      planned,
      looked,
      newPages,
      changed,
      noise,
      reread,
      gone,
      failed: failing + missing,
      requests,
      bytes,
    });
  }, PROGRESS_MS);
  return () => clearInterval(timer);
}
