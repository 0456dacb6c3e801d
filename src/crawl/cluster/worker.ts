/**
 * A worker from start to end: opens the crawl that all share, joins, works until nothing waits anywhere, and leaves. What the crawl is, its
 * seeds and rules, comes from the store, where `crawl` has planned it; what may hold a secret (headers, passwords, proxies) and how much
 * this machine is to do comes from the worker's own command line.
 */
import { availableParallelism, hostname } from 'node:os';
import { OrbweaverError } from '../../core/errors.ts';
import { LeaseGuard } from '../../core/lease-guard.ts';
import { type CrawlOptions, flagName, type GivenOptions, type OptionName, resolveOptions } from '../../core/options.ts';
import type { Order } from '../../frontier/order.ts';
import type { Store } from '../../store/contract.ts';
import { CommittedPayloads } from '../committed-payloads.ts';
import { Controller } from '../controller.ts';
import { normalizeSeeds, orderFor, planCrawl, seedsNoted, topicOf } from '../crawl-plan.ts';
import { type CrawlSummary, reportProgress, sumUp } from '../crawl-summary.ts';
import { keptGiven } from '../data-folder.ts';
import { lessonsInForce, movedSeeds } from '../earlier-runs.ts';
import { mendSharedArchive } from '../mend-shared-archive.ts';
import { privateHostsOf } from '../private-seeds.ts';
import { Ranker } from '../ranker.ts';
import { RunCounter } from '../run-counter.ts';
import { type Brake, type Stoppable, stoppable } from '../stoppable.ts';
import { UnitThread } from '../unit-thread.ts';
import { FrontierWork } from '../work.ts';
import { ClusterClock } from './cluster-clock.ts';
import type { ClusterEntry, OpenCluster, WorkerSettings } from './cluster-entry.ts';
import { ClusterMember } from './cluster-member.ts';
import { ClusterWork } from './cluster-work.ts';
import { lastUrlId } from './last-url-id.ts';
import { Membership, setClock } from './membership.ts';
import { PageTickets } from './page-tickets.ts';
import { SharedNotes } from './shared-notes.ts';
import { SureLeases } from './sure-leases.ts';

/** What each worker decides for itself; the rest is the crawl's, and the same for all. */
export const WORKER_OPTIONS = [
  'concurrency',
  'units',
  'liveHosts',
  'proxy',
  'header',
  'auth',
  'archiveFile',
] as const satisfies readonly OptionName[];

export interface WorkRequest extends Omit<ClusterEntry, 'plansOnly'> {
  /** As given on the command line or in the environment, of those in `WORKER_OPTIONS`. */
  readonly own: GivenOptions;
}

interface PlanRequest {
  readonly seeds: readonly string[];
  readonly options: CrawlOptions;
  readonly order?: Order;
}

export function startWork(request: WorkRequest): Stoppable<CrawlSummary> {
  return stoppable(async (onStart) => {
    const own = ownOptions(request.own);
    const startMs = performance.now();
    const opened = await request.open();
    try {
      const options = resolveOptions([own, { from: 'rules of the crawl', given: await keptGiven(opened.store) }]);
      return await work(opened, options, orderFor(options), request.worker, startMs, onStart);
    } finally {
      await opened.store.close();
    }
  });
}

function ownOptions(given: GivenOptions): { readonly from: string; readonly given: GivenOptions } {
  for (const name of Object.keys(given)) {
    if ((WORKER_OPTIONS as readonly string[]).includes(name)) continue;
    const message = `--${flagName(name)} is the same for all workers: it is set where the crawl is planned`;
    throw new OrbweaverError('ERR_BAD_OPTION', message);
  }
  return { from: 'command line', given };
}

/** Plans a crawl in a store that many can share, and works on it as any other worker. */
export async function planAndWork(
  request: PlanRequest,
  place: ClusterEntry,
  onStart: (brake: Brake) => void,
): Promise<CrawlSummary> {
  const startMs = performance.now();
  const { options } = request;
  const written = normalizeSeeds(request.seeds, options);
  await topicOf(options);
  const order = request.order ?? orderFor(options);
  const opened = await place.open();
  try {
    const { store, cluster } = opened;
    const clock = new ClusterClock();
    await setClock(clock, cluster);
    const counts = await store.counts();
    const counter = new RunCounter(counts);
    const ranker = new Ranker(order, store, counter.pages, await lastUrlId(store));
    await planCrawl(store, written, options, order, ranker, counts, clock);
    // Workers that are there already have other seeds and rules now.
    await cluster.noteChanged();
    await cluster.wakeOthers();
    if (place.plansOnly) return await sumUp(store, counter, 'done', 0, (performance.now() - startMs) / 1_000);
    return await work(opened, options, order, place.worker, startMs, onStart);
  } finally {
    await opened.store.close();
  }
}

async function work(
  { store, cluster }: OpenCluster,
  options: CrawlOptions,
  order: Order,
  settings: WorkerSettings,
  startMs: number,
  onStart: (brake: Brake) => void,
): Promise<CrawlSummary> {
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
      takesWork: true,
    });
    // Before it begins to work: what it has to read first may take longer than a lease.
    membership.begin(member);
    await mendSharedArchive(store, cluster, { machine: worker.machine, folder: archiveDir, nowMs: clock.now() });
    const seeds = await plannedSeeds(store);
    await notes.readLedHosts();
    const counts = await store.counts();
    const counter = new RunCounter(counts);
    const ranker = new Ranker(order, store, counter.pages, await lastUrlId(store));
    await ranker.rebuild(seeds.length);
    const setup = {
      place: { dir: archiveDir, cluster: null, archives: [archiveDir] },
      writer: { owner, machine: worker.machine, folder: archiveDir },
      options,
      topic: await topicOf(options),
      refresh: null,
      rereadBeforeMs: 0,
      seeds: [...seeds, ...(await movedSeeds(store))],
      lessons: await lessonsInForce(store),
      privateHosts: await privateHostsOf(seeds),
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
    const shared = new ClusterWork({ store, cluster, membership, leases, notes, clock, tickets, frontier, stays });
    // What others have archived may be on another machine: only what this worker has is referred to.
    const payloads = new CommittedPayloads();
    const controller = new Controller(store, options, setup, counter, ranker, payloads, units, clock, shared, member);
    member.attach(controller, shared);
    onStart({ drain: () => controller.drain(), abort: () => controller.abort() });
    const pagesBefore = counter.pages;
    const stopProgress = reportProgress(controller, options, startMs);
    const ending = await controller.run().finally(stopProgress);
    if (ending !== 'interrupted') await store.setNote('order', order.name);
    const seconds = (performance.now() - startMs) / 1_000;
    return await sumUp(store, counter, ending, counter.pages - pagesBefore, seconds);
  } finally {
    await Promise.all(units.map((unit) => unit.end()));
    // Whoever cannot say goodbye is taken for dead after a while.
    await membership.leave().catch(() => {});
  }
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
