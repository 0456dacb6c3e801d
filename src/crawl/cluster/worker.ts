import { OrbweaverError } from '../../core/errors.ts';
import { publish } from '../../core/events.ts';
import {
  type CrawlOptions,
  flagName,
  type GivenOptions,
  type OptionName,
  resolveOptions,
} from '../../core/options/options.ts';
import type { Order } from '../../frontier/order.ts';
import { normalizeSeeds, orderFor, planCrawl, topicOf } from '../crawl-plan.ts';
import { type CrawlSummary, sumUp } from '../crawl-summary.ts';
import { applyReplaced, refuseClosedSeeds, settlePrivate } from '../private-seeds.ts';
import { Ranker } from '../ranking/ranker.ts';
import { RunCounter } from '../run-counter.ts';
import { type Brake, type Stoppable, stoppable } from '../stoppable.ts';
import { ClusterClock, setClock } from '../unit/cluster-clock.ts';
import type { ClusterEntry, OpenCluster } from './cluster-entry.ts';
import { lastUrlId } from './last-url-id.ts';
import { NotedRules } from './noted-rules.ts';
import { type Planned, type WorkerRun, workByRules } from './worker-round.ts';

/**
 * Options that each worker chooses for itself. All other options belong to the crawl and are the same for all workers.
 */
const WORKER_OPTIONS = [
  'concurrency',
  'units',
  'liveHosts',
  'proxy',
  'header',
  'auth',
  'archiveFile',
  'share',
] as const satisfies readonly OptionName[];

/**
 * Options that a joining worker accepts. It accepts `--allow-private` only as a refusal,
 * because the crawl decides which addresses may be reached.
 */
export const JOINING_OPTIONS = [...WORKER_OPTIONS, 'allowPrivate'] as const satisfies readonly OptionName[];

export interface WorkRequest extends Omit<ClusterEntry, 'plansOnly'> {
  /** The options in `JOINING_OPTIONS` that were given on the command line or in the environment. */
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
      // The crawl keeps its rule for private addresses. A worker can only refuse to work under it.
      const { allowPrivate: _, ...ownGiven } = own.given;
      const rules = new NotedRules(opened.store, Object.keys(ownGiven) as OptionName[]);
      const planned = async (): Promise<Planned> => {
        const options = resolveOptions([
          { ...own, given: ownGiven },
          { from: 'rules of the crawl', given: await rules.read() },
        ]);
        return { options, order: orderFor(options) };
      };
      const refusesPrivate = own.given.allowPrivate !== undefined;
      const run = { rules, settings: request.worker, refusesPrivate, startMs, onStart, fetched: 0, newPages: 0 };
      return await workOn(opened, planned, run);
    } finally {
      await opened.store.close();
    }
  });
}

function ownOptions(given: GivenOptions): { readonly from: string; readonly given: GivenOptions } {
  const refusesPrivate = resolveOptions([{ from: 'command line', given }]).allowPrivate === false;
  for (const name of Object.keys(given)) {
    if (name === 'allowPrivate' ? refusesPrivate : (JOINING_OPTIONS as readonly string[]).includes(name)) continue;
    const message = `--${flagName(name)} is the same for all workers; set it where you plan the crawl`;
    throw new OrbweaverError('ERR_BAD_OPTION', message);
  }
  return { from: 'command line', given };
}

/** Plans a crawl in a shared store and then works on it like any other worker. */
export async function planAndWork(
  request: PlanRequest,
  place: ClusterEntry,
  onStart: (brake: Brake) => void,
): Promise<CrawlSummary> {
  const startMs = performance.now();
  const written = normalizeSeeds(request.seeds, request.options);
  await topicOf(request.options);
  const order = request.order ?? orderFor(request.options);
  const opened = await place.open();
  try {
    const { store, cluster } = opened;
    const settled = await settlePrivate(store, written, request.options.allowPrivate);
    const options = { ...request.options, allowPrivate: settled.allowPrivate };
    await refuseClosedSeeds(written, settled.rule);
    const clock = new ClusterClock();
    await setClock(clock, cluster);
    const counts = await store.counts();
    const counter = new RunCounter(counts);
    const ranker = new Ranker(order, store, counter.pages, await lastUrlId(store));
    // `announce` makes workers that have already joined read the new seeds and rules.
    await planCrawl({
      ...{ store, written, options, order, ranker, counts, clock },
      announce: () => cluster.noteChanged(),
    });
    await applyReplaced(store, settled, clock.now());
    await cluster.wakeOthers('work');
    await cluster.wakeOthers('look');
    if (place.plansOnly) {
      // A plan without a page has not failed: nothing was requested yet.
      return { ...(await sumUp(store, counter, 'done', 0, (performance.now() - startMs) / 1_000)), ending: 'done' };
    }
    const rules = new NotedRules(store, WORKER_OPTIONS);
    const planned = async (): Promise<Planned> => {
      // The stored rules count, not the given ones: another process may have planned other rules a moment later.
      const others = resolveOptions([{ from: 'rules of the crawl', given: await rules.read() }]);
      const now = { ...others, ...ownOf(options) };
      return { options: now, order: request.order ?? orderFor(now) };
    };
    const run = { rules, settings: place.worker, refusesPrivate: false, startMs, onStart, fetched: 0, newPages: 0 };
    return await workOn(opened, planned, run);
  } finally {
    await opened.store.close();
  }
}

function ownOf(options: CrawlOptions): Partial<CrawlOptions> {
  return Object.fromEntries(WORKER_OPTIONS.map((name) => [name, options[name]]));
}

/**
 * Works under the current rules. When they change, the worker finishes its
 * work in progress and continues under the new rules.
 */
async function workOn(opened: OpenCluster, planned: () => Promise<Planned>, run: WorkerRun): Promise<CrawlSummary> {
  for (;;) {
    const summary = await workByRules(opened, await planned(), run);
    if (summary !== null) return summary;
    publish('crawl/warning', {
      message: 'the rules of the crawl have changed; this worker continues with the new rules',
    });
  }
}
