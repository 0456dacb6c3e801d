/**
 * The parts of a run and their assembly. A crawl, a refresh and a worker of a cluster have the same parts. They differ
 * in their station (alone or among workers) and in their work (the frontier, or a plan of known pages).
 */
import type { CrawlOptions } from '../core/options/options.ts';
import type { RefreshOptions } from '../core/options/refresh-options.ts';
import type { PrivateRule } from '../fetch/addresses/private-rule.ts';
import type { Order } from '../frontier/order.ts';
import type { Topic } from '../frontier/topic/topic.ts';
import type { CommittedPayloads } from './committed-payloads.ts';
import { Controller } from './controller.ts';
import { takeEarlyUnit } from './crew/early-unit.ts';
import { UnitThread } from './crew/unit-thread.ts';
import type { FoundBefore } from './earlier-runs.ts';
import { crawlInfo } from './mending/crawl-identity.ts';
import type { CrawlPlace } from './place/crawl-place.ts';
import type { Ranker } from './ranking/ranker.ts';
import type { RunCounter } from './run-counter.ts';
import type { Station } from './station.ts';
import type { WatchersSetup } from './watchers/watcher-run.ts';
import { FrontierWork, type Work } from './work.ts';

export interface Run extends FoundBefore {
  readonly station: Station;
  readonly place: CrawlPlace;
  readonly options: CrawlOptions;
  readonly order: Order;
  readonly topic: Topic | null;
  readonly seeds: readonly string[];
  readonly privateRule: PrivateRule;
  /** Null for a crawl. */
  readonly refresh: RunRefresh | null;
  readonly counter: RunCounter;
  readonly ranker: Ranker;
  readonly payloads: CommittedPayloads;
  readonly units: readonly UnitThread[];
  /** The largest number of requests that a unit may have in progress. */
  readonly window: number;
}

export interface RunRefresh {
  readonly options: RefreshOptions;
  /** Pages that were last visited before this time have their links read again (links/links-wanted.ts). */
  readonly rereadBeforeMs: number;
}

/** Call it early: a thread needs some time to load its code. */
export function startUnits(count: number): UnitThread[] {
  return Array.from({ length: count }, (_, i) => takeEarlyUnit() ?? new UnitThread(`unit${i}`));
}

export function windowOf({ concurrency }: CrawlOptions, unitCount: number): number {
  return Math.max(1, Math.floor(concurrency / unitCount));
}

/** The work of a crawl. `pagesLeft` is the number of pages by which the copy may still grow. */
export function frontierWork(
  { station, options, order }: Run,
  pagesLeft?: () => number,
  onCommit?: () => void,
): FrontierWork {
  const { store, role, clock } = station;
  return new FrontierWork(store, role.owner, clock, {
    leaseMs: () => role.leaseMs,
    patienceMs: options.patience,
    lists: order.lists ?? [1],
    ...(pagesLeft && { pagesLeft }),
    ...(onCommit && { onCommit }),
  });
}

export function watchersSetup(run: Run): WatchersSetup {
  const { station, options, lessons, privateRule, ranker } = run;
  const { store, role, clock } = station;
  return {
    store,
    role,
    clock,
    options,
    seeds: [...run.seeds, ...run.movedSeeds],
    lessons,
    privateRule,
    rank: (found) => ranker.rank(found),
    learned: (ids) => ranker.seeded(ids),
    unit: run.units[0] ?? null,
    ...(station.unitSetup.shared && { shared: station.unitSetup.shared }),
  };
}

/** Assembles the run. `watchedHosts` are the hosts whose watchers have been asked. */
export async function controllerOf(run: Run, watchedHosts: readonly string[], work: Work): Promise<Controller> {
  const { station, options, topic, refresh, seeds, lessons, rejudges, privateRule, window } = run;
  const { store, role, clock, unitSetup } = station;
  const setup = {
    ...unitSetup,
    place: run.place,
    options,
    topic,
    refresh: refresh?.options ?? null,
    rereadBeforeMs: refresh?.rereadBeforeMs ?? 0,
    crawlInfo: await crawlInfo(store, options, seeds, refresh === null ? 'crawl' : 'refresh'),
    seeds: [...seeds, ...run.movedSeeds],
    lessons,
    rejudges,
    privateRule,
    watchedHosts,
    window,
  };
  const { counter, ranker, payloads, units } = run;
  return new Controller({ store, role, clock, options, setup, counter, ranker, payloads, units, work });
}

/** Call it however the run ended. */
export async function endRun(units: readonly UnitThread[], station: Station): Promise<void> {
  await Promise.all(units.map((unit) => unit.end()));
  await station.leave();
}
