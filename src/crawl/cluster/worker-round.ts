/**
 * A worker's work by one set of rules: it joins the others, works until nothing waits anywhere, or until the crawl is planned anew, and
 * leaves. Nothing of it is left then but what is in the store.
 */

import { availableParallelism, hostname } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { shareArchive } from '../../archive/share-archive.ts';
import { OrbweaverError } from '../../core/errors.ts';
import { LeaseGuard } from '../../core/lease-guard.ts';
import type { CrawlOptions } from '../../core/options.ts';
import { NOTHING_PRIVATE, type PrivateRule } from '../../fetch/private-rule.ts';
import type { Order } from '../../frontier/order.ts';
import type { Store } from '../../store/contract.ts';
import { CommittedPayloads } from '../committed-payloads.ts';
import { Controller } from '../controller.ts';
import { crawlInfo } from '../crawl-identity.ts';
import { seedsNoted, topicOf } from '../crawl-plan.ts';
import { type CrawlSummary, reportProgress, sumUp } from '../crawl-summary.ts';
import { lessonsInForce, movedSeeds } from '../earlier-runs.ts';
import { mendSharedArchive } from '../mend-shared-archive.ts';
import { privateRuleOf } from '../private-seeds.ts';
import { Ranker } from '../ranker.ts';
import { RunCounter } from '../run-counter.ts';
import type { Brake } from '../stoppable.ts';
import { UnitThread } from '../unit-thread.ts';
import { FrontierWork } from '../work.ts';
import { ClusterClock } from './cluster-clock.ts';
import type { OpenCluster, WorkerSettings } from './cluster-entry.ts';
import { ClusterMember } from './cluster-member.ts';
import { ClusterWork } from './cluster-work.ts';
import { lastUrlId } from './last-url-id.ts';
import { Membership } from './membership.ts';
import type { NotedRules } from './noted-rules.ts';
import { PageTickets } from './page-tickets.ts';
import { SharedNotes } from './shared-notes.ts';
import { SureLeases } from './sure-leases.ts';

export interface Planned {
  readonly options: CrawlOptions;
  readonly order: Order;
}

/** What stays the same whatever the rules are, and what was done by earlier ones. */
export interface WorkerRun {
  readonly rules: NotedRules;
  readonly settings: WorkerSettings;
  /** `--no-allow-private` of this worker: it does not work by rules that a database could use to reach its network. */
  readonly refusesPrivate: boolean;
  readonly startMs: number;
  readonly onStart: (brake: Brake) => void;
  fetched: number;
  newPages: number;
}

/** Null where the rules have changed. */
export async function workByRules(
  { store, cluster }: OpenCluster,
  { options, order }: Planned,
  run: WorkerRun,
): Promise<CrawlSummary | null> {
  const { rules, settings, startMs, onStart } = run;
  const clock = new ClusterClock();
  const guard = new LeaseGuard();
  const { name, archiveDir, leaseMs } = settings;
  const worker = { name, machine: hostname(), pid: process.pid, archiveDir };
  const membership = await Membership.join(cluster, worker, leaseMs, clock, guard);
  const { owner } = membership;
  // Begins to load its code at once.
  const units = [new UnitThread('unit0')];
  try {
    const notes = new SharedNotes(store, cluster, await cluster.notesVersion());
    if (await rules.haveChanged()) return null;
    const leases = new SureLeases({ store, membership, guard, clock, notes });
    const mostUnits = options.units || availableParallelism();
    const tickets = options.limit === 0 ? null : new PageTickets(cluster, owner, options.limit);
    const member = new ClusterMember({
      store,
      cluster,
      membership,
      clock,
      notes,
      leases,
      tickets,
      options,
      mostUnits,
    });
    // Before it begins to work: what it has to read first may take longer than a lease.
    membership.begin(member);
    shareArchive(archiveDir, options.share);
    await mendSharedArchive(store, cluster, { machine: worker.machine, folder: archiveDir, nowMs: clock.now() });
    const seeds = await plannedSeeds(store);
    // What was under way when the rules changed, at whichever worker, has found links that were too deep for the old ones, after the plan let
    // such wait again. Mostly there is none, which an index tells.
    await store.allowDepth(options.depth, clock.now());
    await notes.readLedHosts();
    const counts = await store.counts();
    const counter = new RunCounter(counts);
    counter.fetched = run.fetched;
    const ranker = new Ranker(order, store, counter.pages, await lastUrlId(store));
    await ranker.rebuild(seeds.length);
    const privateRule = privateRuleOf(seeds, options.allowPrivate);
    if (run.refusesPrivate) refusePrivate(privateRule);
    const setup = {
      place: { dir: archiveDir, cluster: null, archives: [archiveDir] },
      writer: { owner, machine: worker.machine, folder: archiveDir },
      options,
      topic: await topicOf(options),
      refresh: null,
      crawlInfo: await crawlInfo(store, options, seeds, 'crawl'),
      rereadBeforeMs: 0,
      seeds: [...seeds, ...(await movedSeeds(store))],
      lessons: await lessonsInForce(store),
      privateRule,
      watchedHosts: await watchedHosts(store, options),
      window: member.firstWindow,
      shared: { time: clock.memory, leases: guard.memory },
    };
    const frontier = new FrontierWork(store, owner, clock, {
      leaseMs: () => member.leaseMs,
      patienceMs: options.patience,
      lists: order.lists ?? [1],
    });
    const { stays } = settings;
    const appetite = () => member.appetite();
    const shared = new ClusterWork({
      store,
      cluster,
      membership,
      leases,
      notes,
      clock,
      tickets,
      frontier,
      appetite,
      stays,
    });
    // What others have archived may be on another machine: only what this worker has is referred to.
    const payloads = new CommittedPayloads();
    const controller = new Controller(store, options, setup, counter, ranker, payloads, units, clock, shared, member);
    member.attach(controller, shared);
    onStart({ drain: () => controller.drain(), abort: () => controller.abort() });
    let isOutdated = false;
    notes.onChange = async () => {
      if (isOutdated || controller.isDraining) return;
      // New seeds are other rules, too, where they change which private addresses may be reached.
      const ruleNow = privateRuleOf(await seedsNoted(store), options.allowPrivate);
      if (!(await rules.haveChanged()) && isDeepStrictEqual(ruleNow, privateRule)) return;
      isOutdated = true;
      controller.drain();
    };
    const pagesBefore = counter.pages;
    const stopProgress = reportProgress(controller, options, startMs);
    const ending = await controller.run().finally(stopProgress);
    run.fetched = counter.fetched;
    run.newPages += counter.pages - pagesBefore;
    if (isOutdated && !membership.isDrainAsked && !controller.isAborted) return null;
    if (ending !== 'interrupted') await store.setNote('order', order.name);
    return await sumUp(store, counter, ending, run.newPages, (performance.now() - startMs) / 1_000);
  } finally {
    await Promise.all(units.map((unit) => unit.end()));
    // Whoever cannot say goodbye is taken for dead after a while.
    await membership.leave().catch(() => {});
  }
}

function refusePrivate(rule: PrivateRule): void {
  if (isDeepStrictEqual(rule, NOTHING_PRIVATE)) return;
  const message =
    'its seeds or its --allow-private let this crawl reach private addresses, which --no-allow-private refuses here';
  throw new OrbweaverError('ERR_BAD_OPTION', message);
}

async function plannedSeeds(store: Store): Promise<string[]> {
  const seeds = await seedsNoted(store);
  if (seeds.length > 0) return seeds;
  throw new OrbweaverError('ERR_USAGE', 'no crawl is planned there; plan one first: orbweaver crawl <url> --store …');
}

/** Of links on their pages to other sites only the main page may be wanted (W14): hosts whose reports a refresh has read. */
async function watchedHosts(store: Store, { watchers }: CrawlOptions): Promise<string[]> {
  const read = watchers ? (await store.watchers()).filter(({ readAtMs }) => readAtMs > 0) : [];
  return read.map(({ host }) => host);
}
