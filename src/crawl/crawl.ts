/**
 * A crawl from start to end: open the folder, mend what a crash left, make the seeds known, run the controller and its
 * units, sum up. Running it again on the same folder goes on where it stopped.
 */
import { availableParallelism } from 'node:os';
import { systemClock } from '../core/clock.ts';
import { OrbweaverError } from '../core/errors.ts';
import { publish } from '../core/events.ts';
import type { CrawlOptions } from '../core/options.ts';
import { type Order, orderNamed } from '../frontier/order.ts';
import type { Topic } from '../frontier/topic/topic.ts';
import type { FoundUrl, Store } from '../store/contract.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { lacksScheme } from '../url/address-bar.ts';
import { CommittedPayloads } from './committed-payloads.ts';
import { Controller, type Ending, OWNER } from './controller.ts';
import { placeAt } from './crawl-place.ts';
import { LEASE_MS } from './dispatcher.ts';
import { lessonsInForce, movedSeeds } from './earlier-runs.ts';
import { normalizerFor } from './link-forms.ts';
import { LinkJudge } from './link-judge.ts';
import { rereadBeforeMs } from './links-wanted.ts';
import { mendArchive } from './mend-archive.ts';
import { privateHostsOf } from './private-seeds.ts';
import { Ranker } from './ranker.ts';
import { RunCounter } from './run-counter.ts';
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
}

export interface CrawlSummary {
  readonly ending: Ending;
  readonly fetched: number;
  readonly pages: number;
  readonly duplicates: number;
  readonly notModified: number;
  readonly failed: number;
  readonly skipped: number;
  readonly discovered: number;
  readonly waiting: number;
  readonly hosts: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly pagesPerSecond: number;
  /** With a topic: the share of pages that are on it. */
  readonly harvest?: number;
  readonly peakRssMb: number;
}

export type RunningCrawl = Stoppable<CrawlSummary>;

const PROGRESS_MS = 250;

export function startCrawl(request: CrawlRequest): RunningCrawl {
  return stoppable((onStart) => run(request, onStart));
}

async function run(request: CrawlRequest, onStart: (brake: Brake) => void): Promise<CrawlSummary> {
  const startMs = performance.now();
  const { dir, options } = request;
  const written = normalizeSeeds(request.seeds, options);
  // Before the folder is touched: what is refused leaves nothing behind.
  const topic = await topicOf(options);
  const order = request.order ?? orderFor(options);
  const store = openSqliteStore(dir, systemClock.now());
  const unitCount = options.units || availableParallelism();
  // Before anything else, because their code takes a while to load.
  const units = Array.from({ length: unitCount }, (_, i) => new UnitThread(`unit${i}`));
  let watch: CrawlWatch | null = null;
  try {
    const place = placeAt(dir);
    await mendArchive(store, place.archives[0]!);
    const payloads = new CommittedPayloads();
    await payloads.recall(store);
    const counts = await store.counts();
    const counter = new RunCounter(counts);
    const known = Object.values(counts.states).reduce((sum, count) => sum + count, 0);
    const ranker = new Ranker(order, store, counter.pages, known);
    await ranker.rebuild((JSON.parse((await store.note('seeds')) ?? '[]') as string[]).length);
    const isNewTopic = await noteTopic(store, options);
    await rereadBeforeMs(store, options, counts, systemClock.now());
    const seeds = await plant(store, written, options, ranker);
    // The note names the order that the stored ranks are in. Under way, those of one that follows the graph may be behind it.
    const noted = await store.note('order');
    if (noted !== null && (isNewTopic || noted !== order.name)) await ranker.rankAll();
    await store.setNote('order', order.follows === undefined ? order.name : `${order.name}, under way`);
    const pagesBefore = counter.pages;
    const allSeeds = [...seeds, ...(await movedSeeds(store))];
    const lessons = await lessonsInForce(store);
    const privateHosts = await privateHostsOf(seeds);
    const ranking = {
      rank: (found: FoundUrl) => ranker.rank(found),
      learned: (ids: readonly number[]) => ranker.seeded(ids),
    };
    watch = await watchOf(
      { store, owner: OWNER, options, seeds: allSeeds, lessons, privateHosts, ...ranking },
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
      rereadBeforeMs: 0,
      seeds: allSeeds,
      lessons,
      privateHosts,
      watchedHosts: watch?.hosts ?? [],
      window: Math.max(1, Math.floor(options.concurrency / unitCount)),
    };
    const work = new FrontierWork(store, OWNER, systemClock, {
      leaseMs: LEASE_MS,
      patienceMs: options.patience,
      lists: order.lists ?? [1],
      pagesLeft: () => (options.limit === 0 ? Number.POSITIVE_INFINITY : options.limit - counter.pages),
    });
    const controller = new Controller(store, options, setup, counter, ranker, payloads, units, systemClock, work);
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
    if (!controller.isAborted) {
      await watch?.end(counter.fetched > 0);
      await store.setNote('order', order.name);
    }
    return await sumUp(store, counter, ending, counter.pages - pagesBefore, (performance.now() - startMs) / 1_000);
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

/** Most crawls have none and need not load what reads one. */
export async function topicOf(options: CrawlOptions): Promise<Topic | null> {
  if (options.topic === null && options.topicExamples === null) return null;
  return (await import('./read-topic.ts')).readTopic(options);
}

/** Whether the crawl had another topic until now, or none; then what is known of relevance is forgotten. */
async function noteTopic(store: Store, options: CrawlOptions): Promise<boolean> {
  const { topic, topicExamples, topicThreshold, topicSteps } = options;
  const isFocused = topic !== null || topicExamples !== null;
  const now = isFocused ? JSON.stringify({ topic, topicExamples, topicThreshold, topicSteps }) : '';
  const before = (await store.note('topic')) ?? '';
  if (now === before) return false;
  if (before !== '') {
    const released = await store.forgetTopic(systemClock.now());
    publish('crawl/warning', { message: `the topic has changed: ${released} URLs that were off topic wait again` });
  }
  await store.setNote('topic', now);
  return true;
}

/** Refuses an order that lacks what it goes by. */
export function orderFor({ order, topic, topicExamples, ...options }: CrawlOptions): Order {
  const hasTopic = topic !== null || topicExamples !== null;
  if (order === 'topic' && !hasTopic) {
    throw new OrbweaverError(
      'ERR_BAD_OPTION',
      '--order topic needs a topic: give --topic "<words>" or --topic-examples',
    );
  }
  return orderNamed(order === 'auto' ? (hasTopic ? 'topic' : 'breadth-first') : order, options);
}

/** Refuses a text that is no URL. */
export function normalizeSeeds(texts: readonly string[], options: CrawlOptions): string[] {
  const normalizer = normalizerFor(options);
  return texts.map((text) => {
    const url = normalizer.normalize(text) ?? (lacksScheme(text) ? normalizer.normalize(`https://${text}`) : null);
    if (url !== null) return url;
    throw new OrbweaverError('ERR_BAD_URL', `"${text}" is no http or https URL; write it like https://example.com/`);
  });
}

/** Makes the seeds known and notes the rules of the crawl, which `explain` reads. Returns all seeds, earlier ones first. */
async function plant(
  store: Store,
  written: readonly string[],
  options: CrawlOptions,
  ranker: Ranker,
): Promise<string[]> {
  const earlier = JSON.parse((await store.note('seeds')) ?? '[]') as string[];
  const seeds = [...new Set([...earlier, ...written])];
  if (seeds.length === 0)
    throw new OrbweaverError('ERR_USAGE', 'no URL to start from; give one, for example https://example.com/');
  const nowMs = systemClock.now();
  const judge = new LinkJudge(options, seeds);
  const found = seeds.map((url) => judge.found(url, 0, 0, null));
  for (const seed of found) ranker.rank(seed);
  ranker.seeded(await store.seed(found, nowMs));
  const depthBefore = Number((await store.note('depth')) ?? options.depth);
  if (options.depth > depthBefore) await store.allowDepth(options.depth, nowMs);
  if (!options.learnParameters) await store.dropLessons(nowMs);
  await store.setNote('seeds', JSON.stringify(seeds));
  await store.setNote('depth', String(options.depth));
  // Without what may hold a secret: the folder is handed around.
  const { header: _header, auth: _auth, proxy: _proxy, ...rules } = options;
  await store.setNote('rules', JSON.stringify(rules));
  return seeds;
}

function reportProgress(controller: Controller, options: CrawlOptions, startMs: number): () => void {
  const timer = setInterval(() => {
    const { fetched, pages, waiting, failed, bytes } = controller.counter;
    publish('crawl/progress', {
      elapsedMs: performance.now() - startMs,
      fetched,
      pages,
      waiting,
      failed,
      bytes,
      liveHosts: controller.liveHosts,
      underWay: controller.out,
      limit: options.limit,
    });
  }, PROGRESS_MS);
  return () => clearInterval(timer);
}

async function sumUp(
  store: Store,
  counter: RunCounter,
  ending: Ending,
  newPages: number,
  seconds: number,
): Promise<CrawlSummary> {
  const { states, hosts, wireBytes, retrying, judged, onTopic } = await store.counts();
  return {
    ending,
    fetched: counter.fetched,
    pages: states.fetched,
    duplicates: states.duplicate,
    notModified: 0,
    failed: states.failed + retrying,
    skipped: states.skipped,
    discovered: Object.values(states).reduce((sum, count) => sum + count, 0),
    waiting: states.waiting,
    hosts,
    bytes: wireBytes,
    seconds: Number(seconds.toFixed(3)),
    pagesPerSecond: Number((newPages / seconds).toFixed(1)),
    ...(judged > 0 ? { harvest: Number((onTopic / judged).toFixed(5)) } : {}),
    peakRssMb: Math.round(process.resourceUsage().maxRSS / 1024),
  };
}
