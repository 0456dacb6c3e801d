import { hostname } from 'node:os';
import { OrbweaverError } from '../../core/errors.ts';
import { publish } from '../../core/events.ts';
import type { OptionSource } from '../../core/options/option-table.ts';
import {
  CRAWL_OPTIONS,
  flagName,
  type GivenOptions,
  OPTION_NAMES,
  type OptionName,
  resolveOptions,
} from '../../core/options/options.ts';
import {
  refuseMissing,
  type StoredRules,
  settleRules,
  sourceOf,
  withoutRules,
} from '../../core/options/stored-rules.ts';
import type { Order } from '../../frontier/order.ts';
import type { ArchiveServer } from '../archives/archive-server.ts';
import type { CrawlRequest } from '../crawl.ts';
import { normalizeSeeds, orderFor, planCrawl, prepare, refuseOtherSeeds, topicOf } from '../crawl-plan.ts';
import { type CrawlSummary, sumUp } from '../crawl-summary.ts';
import { readRules } from '../place/data-folder.ts';
import { privateRuleFor, refuseClosedSeeds } from '../private-seeds.ts';
import { Ranker } from '../ranking/ranker.ts';
import { RunCounter } from '../run-counter.ts';
import { type Brake, type Stoppable, stoppable } from '../stoppable.ts';
import { ClusterClock, setClock } from '../unit/cluster-clock.ts';
import type { ClusterEntry, OpenCluster, WorkerSettings } from './cluster-entry.ts';
import { lastUrlId } from './last-url-id.ts';
import { NotedRules } from './noted-rules.ts';
import { type Planned, type WorkerRun, workByRules } from './worker-round.ts';

/**
 * Options that a joining worker accepts: everything except the rules of the crawl. It accepts `--allow-private` only as
 * a refusal, because the crawl decides which addresses may be reached. Workers ask no watcher, so they need no key for
 * one.
 */
export const JOINING_OPTIONS: readonly OptionName[] = OPTION_NAMES.filter(
  (name) => name === 'allowPrivate' || (CRAWL_OPTIONS[name].kind !== 'rule' && name !== 'leaseKey'),
);

export interface WorkRequest extends Omit<ClusterEntry, 'plansOnly'> {
  /** The options in `JOINING_OPTIONS` that were given on the command line or in the environment. */
  readonly own: GivenOptions;
}

export function startWork(request: WorkRequest): Stoppable<CrawlSummary> {
  return stoppable(async (onStart) => {
    const own = ownOptions(request.own);
    const startMs = performance.now();
    const opened = await request.open();
    try {
      const rules = new NotedRules(opened.store);
      const planned = async (): Promise<Planned> => plannedBy(await rules.read(), [own]);
      const refusesPrivate = own.given.allowPrivate !== undefined;
      const run = {
        rules,
        settings: request.worker,
        refusesPrivate,
        startMs,
        onStart,
        fetched: 0,
        newPages: 0,
        serves: null,
      };
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
  request: CrawlRequest,
  place: ClusterEntry,
  onStart: (brake: Brake) => void,
): Promise<CrawlSummary> {
  const startMs = performance.now();
  // These checks come before a new crawl is created. The rules of an existing crawl are not known yet.
  const given = resolveOptions(request.sources);
  normalizeSeeds(request.seeds, given);
  await topicOf(given);
  const opened = await place.open();
  try {
    const { store, cluster } = opened;
    // A process that only plans sends no requests, so it needs no secret.
    const settled = settleRules(request.sources, await readRules(store));
    if (!place.plansOnly) refuseMissing(settled.missing);
    const { written, order } = await prepare(request, settled);
    if (!request.adds)
      await refuseOtherSeeds(store, written, { where: 'under this name', elsewhere: 'give another --name' });
    await refuseClosedSeeds(written, await privateRuleFor(store, written, settled.options));
    const clock = new ClusterClock();
    await setClock(clock, cluster);
    const counts = await store.counts();
    const counter = new RunCounter(counts);
    const ranker = new Ranker(order, store, counter.pages, await lastUrlId(store));
    // `announce` makes workers that have already joined read the new seeds and rules.
    await planCrawl({
      ...{ store, written, settled, order, ranker, counts, clock },
      announce: () => cluster.noteChanged(),
    });
    await cluster.wakeOthers('work');
    await cluster.wakeOthers('look');
    if (place.plansOnly) {
      // A plan without a page has not failed: nothing was requested yet.
      return {
        ...(await sumUp(store, 'done', {
          fetched: counter.fetched,
          newPages: 0,
          seconds: (performance.now() - startMs) / 1_000,
        })),
        ending: 'done',
      };
    }
    const rules = new NotedRules(store);
    // The stored rules count, not the given ones: another process may have planned other rules a moment later.
    const planned = async (): Promise<Planned> => plannedBy(await rules.read(), request.sources, request.order);
    const run = {
      rules,
      settings: place.worker,
      refusesPrivate: false,
      startMs,
      onStart,
      fetched: 0,
      newPages: 0,
      serves: null,
    };
    return await workOn(opened, planned, run);
  } finally {
    await opened.store.close();
  }
}

/** The rules come from the store, everything else from the user of this worker. */
function plannedBy(rules: StoredRules, given: readonly OptionSource[], order?: Order): Planned {
  const own = withoutRules(given);
  const isGiven = (name: OptionName): boolean => own.some((source) => source.given[name] !== undefined);
  refuseMissing(rules.secrets.filter((name) => JOINING_OPTIONS.includes(name) && !isGiven(name)));
  const options = resolveOptions([...own, sourceOf(rules)]);
  return { options, order: order ?? orderFor(options) };
}

/**
 * Works under the current rules. When they change, the worker finishes its
 * work in progress and continues under the new rules.
 */
async function workOn(opened: OpenCluster, planned: () => Promise<Planned>, run: WorkerRun): Promise<CrawlSummary> {
  const server = await serveArchive(opened, run.settings);
  try {
    const serving = { ...run, serves: server?.address ?? null };
    for (;;) {
      const summary = await workByRules(opened, await planned(), serving);
      if (summary !== null) return summary;
      publish('crawl/warning', {
        message: 'the rules of the crawl have changed; this worker continues with the new rules',
      });
    }
  } finally {
    await server?.close();
  }
}

async function serveArchive({ store }: OpenCluster, settings: WorkerSettings): Promise<ArchiveServer | null> {
  const { serving = null, archiveDir: folder } = settings;
  if (serving === null) return null;
  // Loaded only here: most workers serve nothing.
  const { ArchiveServer } = await import('../archives/archive-server.ts');
  return ArchiveServer.start({ ...serving, store, folder, machine: hostname() });
}
