/**
 * A crawl from start to end: open the folder, repair the damage of a crash, make the seeds known, run the controller
 * and its units, sum up. The next crawl of the same folder continues where this one stopped.
 */
import { availableParallelism } from 'node:os';
import { systemClock } from '../core/clock.ts';
import { publish } from '../core/events.ts';
import type { OptionSource } from '../core/options/option-table.ts';
import { resolveOptions } from '../core/options/options.ts';
import { settleRules } from '../core/options/stored-rules.ts';
import { leftoversOf, type RunFollowers } from '../followers/run-followers.ts';
import type { Order } from '../frontier/order.ts';
import { settleRulesOf } from './apply-rules.ts';
import type { ClusterEntry } from './cluster/cluster-entry.ts';
import { CommittedPayloads } from './committed-payloads.ts';
import { planCrawl, prepare, refuseOtherSeeds } from './crawl-plan.ts';
import { type CrawlSummary, crawlReport, reportProgress, sumUp } from './crawl-summary.ts';
import { forgetRejudge, foundBefore, noteDemo, seedsNoted } from './earlier-runs.ts';
import { followersOfRun, type OwnFollowers } from './following/followers-of-run.ts';
import { searchFollower } from './following/search/search-follower.ts';
import { controlSource, readControl, settleControl } from './live/control-file.ts';
import { LiveReport } from './live/live-report.ts';
import { placeAt } from './place/crawl-place.ts';
import { hasDatabase, openStoreAt } from './place/open-store.ts';
import { privateRuleFor, privateRuleOf, refuseClosedSeeds, warnOfClosedSeeds } from './private-seeds.ts';
import { Ranker } from './ranking/ranker.ts';
import { controllerOf, endRun, frontierWork, type Run, startUnits, watchersSetup, windowOf } from './run.ts';
import { RunCounter, urlsIn } from './run-counter.ts';
import { stationAlone } from './station.ts';
import { type Brake, type Stoppable, stoppable } from './stoppable.ts';
import type { CrawlWatchers } from './watchers/crawl-watchers.ts';
import { forgetCursors, hostsToAsk } from './watchers/hosts-to-ask.ts';
import type { WatchersSetup } from './watchers/watcher-run.ts';

/** What the followers have not done by then waits in the store for the next run, or for `orbweaver follow`. */
const FOLLOW_WITHIN_MS = 30_000;

export interface CrawlRequest {
  readonly dir: string;
  /** As the user typed them. If there are none, the crawl continues with the seeds of the folder. */
  readonly seeds: readonly string[];
  /** The options that the user gave, strongest source first. The rules of an existing crawl are added to them. */
  readonly sources: readonly OptionSource[];
  /** The seeds are added to the crawl, even if it has none of them. */
  readonly adds?: boolean;
  /** The seeds are those of the demo web, which later commands serve again. */
  readonly isDemo?: boolean;
  /** An order of the caller, used instead of `--order`. */
  readonly order?: Order;
  /** A store that several workers share, used instead of the store in the folder. */
  readonly cluster?: ClusterEntry;
  /** Followers of the calling program. They follow beside the crawl. */
  readonly followers?: OwnFollowers;
}

export type RunningCrawl = Stoppable<CrawlSummary>;

export function startCrawl(request: CrawlRequest): RunningCrawl {
  return stoppable((onStart) =>
    request.cluster ? joinIn(request, request.cluster, onStart) : runInRounds(request, onStart),
  );
}

/** Loads the code of the cluster only here. Most crawls run in one process. */
async function joinIn(
  request: CrawlRequest,
  cluster: ClusterEntry,
  onStart: (brake: Brake) => void,
): Promise<CrawlSummary> {
  return (await import('./cluster/worker.ts')).planAndWork(request, cluster, onStart);
}

/** A run has several rounds if the web interface changes rules: the crawl then goes on with the new ones. */
interface Rounds {
  readonly startMs: number;
  /** What earlier rounds have done. */
  fetched: number;
  newPages: number;
  /** Null until the folder exists. */
  live: LiveReport | null;
  /** New rules are waiting, so another round follows. */
  goesOn: boolean;
}

async function runInRounds(request: CrawlRequest, onStart: (brake: Brake) => void): Promise<CrawlSummary> {
  const rounds: Rounds = { startMs: performance.now(), fetched: 0, newPages: 0, live: null, goesOn: false };
  let ending = 'failed';
  try {
    for (;;) {
      rounds.goesOn = false;
      const summary = await run(request, rounds, onStart);
      ending = summary.ending;
      if (!rounds.goesOn || ending !== 'interrupted') return summary;
    }
  } finally {
    rounds.live?.end(ending);
  }
}

async function run(request: CrawlRequest, rounds: Rounds, onStart: (brake: Brake) => void): Promise<CrawlSummary> {
  const { startMs } = rounds;
  const { dir } = request;
  const control = readControl(dir);
  const sources = [...request.sources, controlSource(control)];
  const own = resolveOptions(sources);
  // A new crawl is checked before the folder is touched, so a refused one leaves nothing behind.
  const early = hasDatabase(dir) ? null : await prepare(request, settleRules(sources, null));
  if (early !== null) await refuseClosedSeeds(early.written, privateRuleOf(early.written, own.allowPrivate));
  const place = placeAt(dir);
  const store = await openStoreAt(dir, own.share);
  const station = await stationAlone(store, place, own);
  const unitCount = own.units || availableParallelism();
  const units = startUnits(unitCount);
  let watch: CrawlWatchers | null = null;
  let following: RunFollowers | null = null;
  try {
    const settled = await settleRulesOf(store, sources);
    const { options } = settled;
    const { written, topic, order } = early ?? (await prepare(request, settled));
    if (!request.adds) await refuseOtherSeeds(store, written, { where: `in ${dir}`, elsewhere: 'name another --dir' });
    const privateRule = await privateRuleFor(store, written, options);
    if (early === null) await refuseClosedSeeds(written, privateRule);
    if (request.isDemo) await noteDemo(store);
    const payloads = new CommittedPayloads();
    await payloads.recall(store);
    const counts = await store.counts();
    const counter = new RunCounter(counts);
    const ranker = new Ranker(order, store, counter.pages, urlsIn(counts));
    await ranker.rebuild((await seedsNoted(store)).length);
    const seeds = await planCrawl({ store, written, settled, order, ranker, counts, clock: station.clock });
    settleControl(dir, control);
    const earlierSeeds = seeds.filter((seed) => !written.includes(seed));
    await warnOfClosedSeeds(earlierSeeds, privateRule);
    const pagesBefore = counter.pages;
    const crawl: Run = {
      ...{ station, place, options, order, topic, seeds, privateRule, counter, ranker, payloads, units },
      ...(await foundBefore(store)),
      refresh: null,
      window: windowOf(options, unitCount),
    };
    watch = await watchOf(watchersSetup(crawl), onStart);
    // Watchers may have added URLs.
    const now = await store.counts();
    counter.waiting = now.states.waiting;
    ranker.knows(urlsIn(now));
    const pagesLeft = () => (options.limit === 0 ? Number.POSITIVE_INFINITY : options.limit - counter.pages);
    const search = options.search ? await searchFollower(store, place, options) : null;
    const followers = followersOfRun(store, station.clock, {
      describer: null,
      search,
      own: request.followers,
    });
    following = followers;
    const work = frontierWork(crawl, pagesLeft, () => followers.wake());
    const controller = await controllerOf(crawl, watch?.hosts ?? [], work);
    const begun = watch;
    const brake: Brake = {
      drain: () => {
        controller.drain();
        followers.stop();
      },
      abort: () => {
        controller.abort();
        begun?.leave();
      },
    };
    onStart(brake);
    rounds.live ??= new LiveReport(dir, 'crawl');
    rounds.live.attach({
      figures: crawlReport(controller, options),
      threads: () => controller.crew.all.length,
      onOrder: ({ action }) => {
        rounds.goesOn = action === null;
        brake.drain();
      },
    });
    const stopProgress = reportProgress(controller, options, startMs);
    const ending = await controller.run().finally(stopProgress);
    const withoutLease = watch?.withoutLease ?? [];
    if (!controller.isAborted) {
      await watch?.end(counter.fetched > 0);
      await store.setNote('order', order.name);
      await forgetRejudge(store);
    }
    // The memory of the units is free for the followers.
    void Promise.all(units.map((unit) => unit.end()));
    search?.hurrySoon();
    const isWaiting = !controller.isAborted && !rounds.goesOn;
    const unfollowed = leftoversOf(await followers.finish(isWaiting ? FOLLOW_WITHIN_MS : 0));
    if (!rounds.goesOn) for (const message of unfollowed) publish('crawl/warning', { message });
    const seconds = (performance.now() - startMs) / 1_000;
    rounds.newPages += counter.pages - pagesBefore;
    rounds.fetched += counter.fetched;
    const sum = await sumUp(store, ending, { ...rounds, seconds });
    return withoutLease.length === 0 ? sum : { ...sum, withoutLease };
  } finally {
    await watch?.close();
    await following?.close();
    await endRun(units, station);
  }
}

/** Asks sites for their watchers while the units load their code. Loads no code if there is no site to ask. */
async function watchOf(setup: WatchersSetup, onStart: (brake: Brake) => void): Promise<CrawlWatchers | null> {
  const { store, options, seeds } = setup;
  const nowMs = systemClock.now();
  if (!options.watchers || options.scope === 'page') {
    await forgetCursors(store, () => true, nowMs);
    return null;
  }
  const records = await hostsToAsk(store, seeds, nowMs);
  if (records.length === 0) return null;
  const watch = new (await import('./watchers/crawl-watchers.ts')).CrawlWatchers(setup);
  onStart({ drain: () => watch.stopReading(), abort: () => watch.leave() });
  await watch.begin(records);
  return watch;
}
