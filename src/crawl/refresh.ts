/**
 * A refresh from start to end: open the folder, repair the damage of a crash, plan, run the controller and its units
 * over the plan, tell listeners about changes, drop old versions, sum up. With `watch`, it repeats this in rounds.
 */
import { availableParallelism } from 'node:os';
import { systemClock } from '../core/clock.ts';
import { OrbweaverError } from '../core/errors.ts';
import { isHeard, publish } from '../core/events.ts';
import type { OptionSource } from '../core/options/option-table.ts';
import type { CrawlOptions } from '../core/options/options.ts';
import type { RefreshOptions } from '../core/options/refresh-options.ts';
import { leftoversOf, type RunFollowers } from '../followers/run-followers.ts';
import { CHANGE_KINDS, type CommitReceipt, type Store, type UrlResult } from '../store/contract.ts';
import type { SampleResult } from '../verify/sample.ts';
import { applyRules, settleRulesOf } from './apply-rules.ts';
import type { WorkerSettings } from './cluster/cluster-entry.ts';
import { commitEvent } from './commit-reports.ts';
import { CommittedPayloads } from './committed-payloads.ts';
import { orderFor, refuseOtherPort, topicIfReadable } from './crawl-plan.ts';
import { Delivery } from './delivery/delivery.ts';
import { idleOptions } from './delivery/idle-options.ts';
import type { Listener } from './delivery/listener.ts';
import { parseCondition } from './delivery/when/condition.ts';
import { forgetRejudge, foundBefore, seedsNoted } from './earlier-runs.ts';
import { deliveryRules } from './following/delivery-rules.ts';
import { DescriberThread } from './following/describer-thread.ts';
import { describedThrough } from './following/description-follower.ts';
import { followersOfRun, type OwnFollowers } from './following/followers-of-run.ts';
import { searchFollower } from './following/search/search-follower.ts';
import { rereadBeforeMs } from './links/links-wanted.ts';
import { LiveReport } from './live/live-report.ts';
import { type CrawlPlace, placeAt } from './place/crawl-place.ts';
import { openStoreAt, withStoreAt } from './place/open-store.ts';
import { privateRuleFor, warnOfClosedSeeds } from './private-seeds.ts';
import { Ranker } from './ranking/ranker.ts';
import { RefreshCounter } from './refresh/refresh-counter.ts';
import { RefreshPlan } from './refresh/refresh-plan.ts';
import { refreshReport, reportProgress } from './refresh/refresh-progress.ts';
import { fullCrawlBytes, type RefreshSummary, sumUp } from './refresh/refresh-summary.ts';
import { RevisitWork } from './refresh/revisit-work.ts';
import { beginEdits, endEdits } from './refresh/shared-edits.ts';
import { VersionKeeper } from './retention/version-keeper.ts';
import { controllerOf, endRun, frontierWork, type Run, startUnits, watchersSetup, windowOf } from './run.ts';
import { pagesIn, RunCounter, urlsIn } from './run-counter.ts';
import { hostTroubles } from './run-troubles.ts';
import { type Station, stationAlone } from './station.ts';
import { type Brake, type Stoppable, stoppable } from './stoppable.ts';
import { forgetCursors, hostsToAsk } from './watchers/hosts-to-ask.ts';
import type { WatchersSetup } from './watchers/watcher-run.ts';
import type { Watchers } from './watchers/watchers.ts';

export type { RefreshSummary } from './refresh/refresh-summary.ts';

export interface RefreshRequest {
  readonly dir: string;
  /** The place of the crawl, if not all of it is in `dir`. */
  readonly place?: CrawlPlace;
  /** For a crawl in a database: the worker that joins the cluster for the refresh. */
  readonly worker?: Pick<WorkerSettings, 'name' | 'leaseMs'>;
  /** The options that the user gave, strongest source first. The rules of the crawl are added to them. */
  readonly sources: readonly OptionSource[];
  /** Followers of the calling program. They follow beside the refresh. */
  readonly followers?: OwnFollowers;
}

export type RunningRefresh = Stoppable<RefreshSummary>;

export function startRefresh(request: RefreshRequest): RunningRefresh {
  return stoppable((onStart) => run(request, onStart));
}

async function run(
  { dir, sources, place = placeAt(dir), worker, followers: own }: RefreshRequest,
  onStart: (brake: Brake) => void,
): Promise<RefreshSummary> {
  const startMs = performance.now();
  // These checks run before the store is opened for writing, so a refused refresh leaves nothing behind.
  const early = await withStoreAt(place, (reader) => settleRulesOf(reader, sources));
  await checkNoise(early.refresh);
  const listeners = await listenersOf(early.refresh);
  for (const message of idleOptions(early.refresh)) publish('crawl/warning', { message });
  orderFor(early.options);
  const station = await openStation(place, early.options, worker);
  const { store, clock } = station;
  const { time } = early.refresh;
  const endsAtMs = time === null ? Number.POSITIVE_INFINITY : clock.now() + time;
  // A refresh has half as many units as a crawl: most pages are not sent, and starting another thread costs more than
  // it gains. On two cores, one unit takes the same time as two, a fifth less CPU time and 45 MB less memory.
  const unitCount = early.options.units || Math.max(1, Math.floor(availableParallelism() / 2));
  const units = startUnits(unitCount);
  let watchers: Watchers | null = null;
  let delivery: Delivery | null = null;
  let following: RunFollowers | null = null;
  let describer: DescriberThread | null = null;
  const live = place.cluster === null ? new LiveReport(place.dir, 'refresh') : null;
  let ended = 'failed';
  try {
    const seeds = await seedsOf(store);
    // Another run may have changed the rules until the store was opened for writing.
    const settled = await settleRulesOf(store, sources);
    const { options, refresh } = settled;
    const order = orderFor(options);
    const topic = await topicIfReadable(options);
    const privateRule = await privateRuleFor(store, [], options);
    refuseOtherPort(seeds, options);
    await warnOfClosedSeeds(seeds, privateRule);
    const counts = await store.counts();
    const runCounter = new RunCounter(counts);
    const ranker = new Ranker(order, store, runCounter.pages, urlsIn(counts));
    const rereadBefore = await rereadBeforeMs(store, options, counts, clock.now());
    const announce = settled.changes.length === 0 ? undefined : () => station.announceRules();
    await applyRules(store, settled, { nowMs: clock.now(), announce });
    const counter = new RefreshCounter();
    const editsAfter = await beginEdits(store);
    // The thread starts when there is something to describe or to check.
    describer = new DescriberThread({ place, sizes: options, refresh });
    const rules = deliveryRules(store, describer, refresh.when.map(parseCondition));
    const deliveries = await Delivery.open(store, listeners, systemClock, rules);
    delivery = deliveries;
    const search = options.search && place.cluster === null ? await searchFollower(store, place, options) : null;
    const followers = followersOfRun(store, systemClock, {
      describer: listeners.length === 0 ? null : describer,
      search,
      own,
      onMove: () => deliveries.wake(),
    });
    following = followers;
    const wakeAll = (): void => {
      followers.wake();
      deliveries.wake();
    };
    const update: Run = {
      ...{ station, place, options, order, topic, seeds, privateRule, ranker, units },
      ...(await foundBefore(store)),
      refresh: { options: refresh, rereadBeforeMs: rereadBefore },
      counter: runCounter,
      payloads: new CommittedPayloads(),
      window: windowOf(options, unitCount),
    };
    // A user who wants a round every few seconds does not want to wait half a minute in one round.
    const leaseWait = refresh.watch ? Math.min(options.leaseWait, refresh.every) : options.leaseWait;
    const asking = { ...watchersSetup(update), options: { ...options, leaseWait } };
    watchers = await watchersOf(asking, refresh, (results, receipt) => {
      counter.add(results, receipt);
      if (isHeard('crawl/commit')) publish('crawl/commit', commitEvent({ results }, receipt, 0));
      wakeAll();
    });
    // Watchers are asked while the units load their code. A user who interrupts the run does not wait for them.
    const early = watchers;
    onStart({ drain: () => early?.stopReading(), abort: () => early?.leave() });
    await watchers?.begin();
    const keeper = new VersionKeeper(store, place.archives[0]!, refresh.keep, station.archive);
    let held = 0;
    let sample: SampleResult | null = null;
    let sampledAtMs = clock.now();
    const checkSample = async (): Promise<void> => {
      const { sampleArchive } = await import('../verify/sample.ts');
      sample = await sampleArchive(store, place.archives, clock.now());
      sampledAtMs = clock.now();
    };
    const plan = new RefreshPlan(store, refresh, rereadBefore, watchers);
    const work = new RevisitWork({
      ...station,
      frontier: frontierWork(update),
      plan,
      counter,
      rules: {
        budget: refresh.budget,
        endsAtMs,
        patienceMs: options.patience,
        everyMs: refresh.watch ? refresh.every : null,
        takesNew: refresh.only.length === 0,
        pagesLeft: async () =>
          options.limit === 0 ? Number.POSITIVE_INFINITY : options.limit - pagesIn(await store.counts()),
      },
      onRound: async () => {
        if (!refresh.watch) held = plan.heldPages;
        await watchers?.endRound();
        if (!refresh.watch) return;
        deliveries.endRound();
        const isDescribed = listeners.length === 0 || (await describedThrough(store)) >= (await store.lastChange());
        if (isDescribed) await keeper.betweenRounds(controller);
        if (clock.now() - sampledAtMs >= SAMPLE_EVERY_MS) await checkSample();
      },
      onCommit: wakeAll,
    });
    const controller = await controllerOf(update, watchers?.hosts ?? [], work);
    station.attach(controller);
    const brake: Brake = {
      drain: () => {
        controller.drain();
        early?.stopReading();
        followers.stop();
        deliveries.stop();
      },
      abort: () => {
        controller.abort();
        early?.leave();
      },
    };
    onStart(brake);
    // New rules are for the next run. They wait in the control file.
    live?.attach({
      figures: refreshReport(counter, runCounter, controller),
      threads: () => controller.crew.all.length,
      onOrder: ({ action }) => {
        if (action !== null) brake.drain();
      },
    });
    // A feed shows the known changes, even if this run finds none.
    deliveries.wake();
    const stopProgress = reportProgress(counter, runCounter, startMs);
    const ending = await controller.run().finally(stopProgress);
    ended = ending;
    held ||= plan.heldPages;
    const { copies } = plan;
    const unplanned = ending === 'done' || controller.isAborted ? 0 : await plan.unplannedPages(clock.now());
    if (!controller.isAborted) {
      // After a round that was cut off. A unit is started for these requests.
      await watchers?.endRound(ending === 'interrupted');
      await checkSample();
      // Another worker of a cluster may be changing the rules right now.
      if (worker === undefined) await forgetRejudge(store);
    }
    describer.hurrySoon();
    search?.hurrySoon();
    const unfollowed = leftoversOf(await followers.finish(controller.isAborted ? 0 : FOLLOW_WITHIN_MS));
    const { listeners: reports, leftovers } = await deliveries.finish(controller.isAborted ? 0 : DELIVER_WITHIN_MS);
    for (const message of [...unfollowed, ...leftovers]) publish('crawl/warning', { message });
    // Descriptions and conditions need the earlier versions, so these are dropped last.
    if (!controller.isAborted) await keeper.atTheEnd(controller);
    const undelivered = Math.max(0, ...reports.map(({ waiting }) => waiting));
    const seconds = (performance.now() - startMs) / 1_000;
    const left =
      held +
      (refresh.watch
        ? work.left + unplanned
        : Math.max(work.left + unplanned, plan.considered - counter.looked - counter.visitedByOthers));
    const sum = sumUp(ending, counter, left, await fullCrawlBytes(store), seconds);
    const troubles = await hostTroubles(store);
    // No page was due, because all pages failed before and it is too early to try them again.
    const isAllSetAside = counter.requests === 0 && plan.setAside >= Math.max(1, pagesIn(await store.counts()));
    const isUnanswered = counter.findings.failing > 0 || (work.left > 0 && troubles.length > 0) || isAllSetAside;
    return {
      ...sum,
      ending: ending !== 'interrupted' && counter.answered === 0 && isUnanswered ? 'failed' : ending,
      ...keeper.kept,
      undelivered,
      setAside: plan.setAside,
      troubles: Object.fromEntries(counter.troubles),
      watchers: watchers?.summaries ?? [],
      sample,
      missing: counter.missing,
      returned: counter.returned,
      hostTroubles: troubles,
      edits: await endEdits(store, editsAfter),
      copies,
    };
  } finally {
    await watchers?.close();
    await following?.close();
    await delivery?.close();
    await describer?.end();
    await endRun(units, station);
    live?.end(ended);
  }
}

/** Checks the noise options. Most runs have none and do not load the table of noise rules in this thread. */
async function checkNoise(refresh: RefreshOptions): Promise<void> {
  if (refresh.ignore.length + refresh.onlyIn.length + refresh.noiseOff.length > 0)
    (await import('./unit/change/noise-options.ts')).noiseBookOf(refresh);
}

/** Loads the code of the listeners only if there is a listener. */
async function listenersOf(refresh: RefreshOptions): Promise<readonly Listener[]> {
  if (refresh.onChange === null && refresh.webhook === null && refresh.feed === null) return [];
  const kinds = CHANGE_KINDS.filter((kind) => kind !== 'noise' || refresh.tellNoise);
  return (await import('./delivery/listeners-from.ts')).listenersFrom({ ...refresh, kinds }, systemClock, (line) =>
    publish('refresh/said', { line }),
  );
}

/** Loads the code of the watchers only if there may be a watcher to ask. */
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
  if (!refresh.watch && (await hostsToAsk(store, seeds, nowMs)).length === 0) return null;
  return new (await import('./watchers/watchers.ts')).Watchers(setup, dropped);
}

async function seedsOf(store: Store): Promise<string[]> {
  const seeds = await seedsNoted(store);
  if (seeds.length > 0) return seeds;
  throw new OrbweaverError('ERR_USAGE', 'there is no copy to refresh here; crawl first: orbweaver crawl <url>');
}

/** A refresh with `watch` checks a sample of the archive at this interval. Every refresh checks one at its end. */
const SAMPLE_EVERY_MS = 600_000;
/** What the followers have not done by then waits in the store for the next run, or for `orbweaver follow`. */
const FOLLOW_WITHIN_MS = 30_000;
/** Changes that are not delivered by then wait in the store for the next run. */
const DELIVER_WITHIN_MS = 30_000;

/* Opens the station of a refresh: alone on a data folder, or as a worker of a cluster. */

async function openStation(
  place: CrawlPlace,
  options: CrawlOptions,
  worker: RefreshRequest['worker'],
): Promise<Station> {
  if (place.cluster === null) return stationAlone(await openStoreAt(place.dir, options.share), place, options);
  // The code of the cluster is loaded only here, because most copies are in a folder.
  const [{ openCluster }, { joinCluster }] = await Promise.all([
    import('./place/cluster-store.ts'),
    import('./cluster/cluster-station.ts'),
  ]);
  const opened = await openCluster(place.cluster, 'work');
  try {
    const joining = { ...worker!, archiveDir: place.archives[0]!, drawsTickets: false };
    const station = await joinCluster(opened, joining, options);
    return {
      ...station,
      leave: async () => {
        await station.leave();
        await opened.store.close();
      },
    };
  } catch (error) {
    await opened.store.close();
    throw error;
  }
}
