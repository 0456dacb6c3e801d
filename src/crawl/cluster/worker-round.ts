/**
 * The work of one worker under one set of rules. It joins the cluster, works until no URL waits anywhere or the crawl
 * is planned again, and leaves. After that, only the data in the store remains.
 */

import { isDeepStrictEqual } from 'node:util';
import { OrbweaverError } from '../../core/errors.ts';
import type { CrawlOptions } from '../../core/options/options.ts';
import { NOTHING_PRIVATE, type PrivateRule } from '../../fetch/addresses/private-rule.ts';
import type { Order } from '../../frontier/order.ts';
import type { Store } from '../../store/contract.ts';
import { CommittedPayloads } from '../committed-payloads.ts';
import { topicOf } from '../crawl-plan.ts';
import { type CrawlSummary, reportProgress, sumUp } from '../crawl-summary.ts';
import { foundBefore, seedsNoted } from '../earlier-runs.ts';
import { privateRuleOf } from '../private-seeds.ts';
import { Ranker } from '../ranking/ranker.ts';
import { controllerOf, endRun, frontierWork, type Run, startUnits } from '../run.ts';
import { RunCounter } from '../run-counter.ts';
import type { Brake } from '../stoppable.ts';
import type { OpenCluster, WorkerSettings } from './cluster-entry.ts';
import { joinCluster } from './cluster-station.ts';
import { ClusterWork } from './cluster-work.ts';
import { lastUrlId } from './last-url-id.ts';
import type { NotedRules } from './noted-rules.ts';

export interface Planned {
  readonly options: CrawlOptions;
  readonly order: Order;
}

/** The state of a worker across all sets of rules. */
export interface WorkerRun {
  readonly rules: NotedRules;
  readonly settings: WorkerSettings;
  /**
   * `--no-allow-private` of this worker: it refuses rules through which a database could reach this worker's network.
   */
  readonly refusesPrivate: boolean;
  readonly startMs: number;
  readonly onStart: (brake: Brake) => void;
  fetched: number;
  newPages: number;
  /** Where it serves its archive files. */
  serves: string | null;
}

/** Null if the rules have changed. */
export async function workByRules(
  { store, cluster }: OpenCluster,
  { options, order }: Planned,
  run: WorkerRun,
): Promise<CrawlSummary | null> {
  const { rules, settings, startMs, onStart } = run;
  const { archiveDir } = settings;
  const station = await joinCluster(
    { store, cluster },
    { ...settings, drawsTickets: true, serves: run.serves },
    options,
  );
  const { role: member, clock, parts } = station;
  const { membership, notes, leases, tickets } = parts;
  // More units are started when the work needs them.
  const units = startUnits(1);
  try {
    if (await rules.haveChanged()) return null;
    const seeds = await plannedSeeds(store);
    // Pages in progress at any worker while the rules changed may have found links that were too deep for the old
    // rules, after the plan had released such links. Mostly there are none, and an index shows this quickly.
    await store.allowDepth(options.depth, clock.now());
    await notes.readCoveredHosts();
    const counts = await store.counts();
    const counter = new RunCounter(counts);
    counter.fetched = run.fetched;
    const ranker = new Ranker(order, store, counter.pages, await lastUrlId(store));
    await ranker.rebuild(seeds.length);
    const privateRule = privateRuleOf(seeds, options.allowPrivate);
    if (run.refusesPrivate) refusePrivate(privateRule);
    const crawl: Run = {
      ...{ station, options, order, seeds, privateRule, counter, ranker, units },
      ...(await foundBefore(store)),
      place: { dir: archiveDir, cluster: null, archives: [archiveDir] },
      topic: await topicOf(options),
      refresh: null,
      // Payloads of other workers may be on another machine, so units refer only to payloads of this worker.
      payloads: new CommittedPayloads(),
      window: member.firstWindow,
    };
    const work = new ClusterWork({
      ...{ store, cluster, membership, leases, notes, clock, tickets },
      frontier: frontierWork(crawl),
      hostDemand: () => member.hostDemand(),
      stays: settings.stays,
    });
    const controller = await controllerOf(crawl, await watchedHosts(store, options), work);
    station.attach(controller, work);
    onStart({ drain: () => controller.drain(), abort: () => controller.abort() });
    let isOutdated = false;
    notes.onChange = async () => {
      if (isOutdated || controller.isDraining) return;
      // New seeds also count as new rules if they change which private addresses may be reached.
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
    const seconds = (performance.now() - startMs) / 1_000;
    return await sumUp(store, ending, { fetched: counter.fetched, newPages: run.newPages, seconds });
  } finally {
    await endRun(units, station);
  }
}

function refusePrivate(rule: PrivateRule): void {
  if (isDeepStrictEqual(rule, NOTHING_PRIVATE)) return;
  const message =
    'this crawl may reach private addresses (by its seeds or its --allow-private), but --no-allow-private is set here';
  throw new OrbweaverError('ERR_BAD_OPTION', message);
}

async function plannedSeeds(store: Store): Promise<string[]> {
  const seeds = await seedsNoted(store);
  if (seeds.length > 0) return seeds;
  throw new OrbweaverError(
    'ERR_USAGE',
    'this store has no planned crawl; plan one first: orbweaver crawl <url> --store …',
  );
}

/**
 * Hosts whose watcher reports a refresh has read. If their pages link to
 * another site, only its main page may be wanted (W14).
 */
async function watchedHosts(store: Store, { watchers }: CrawlOptions): Promise<string[]> {
  const read = watchers ? (await store.watchers()).filter(({ readAtMs }) => readAtMs > 0) : [];
  return read.map(({ host }) => host);
}
