/**
 * Plans a crawl: makes its seeds known and stores its rules, for `explain`, for later runs and for the other workers of
 * a cluster. A plan that is refused is refused before anything is written.
 */
import type { Clock } from '../core/clock.ts';
import { OrbweaverError } from '../core/errors.ts';
import { publish } from '../core/events.ts';
import type { CrawlOptions } from '../core/options/options.ts';
import { withoutLogin } from '../core/options/secret-values.ts';
import { type Order, orderNamed } from '../frontier/order.ts';
import type { Topic } from '../frontier/topic/topic.ts';
import type { Counts, Store } from '../store/contract.ts';
import { lacksScheme } from '../url/normalize.ts';
import { noteSeeds, seedsNoted } from './earlier-runs.ts';
import { normalizerFor } from './links/link-forms.ts';
import { LinkJudge } from './links/link-judge.ts';
import { rereadBeforeMs } from './links/links-wanted.ts';
import { NEVER_NOTED } from './place/data-folder.ts';
import type { Ranker } from './ranking/ranker.ts';

/** Loads the code that reads a topic only if there is one. Most crawls have none. */
export async function topicOf(options: CrawlOptions): Promise<Topic | null> {
  if (options.topic === null && options.topicExamples === null) return null;
  return (await import('./links/read-topic.ts')).readTopic(options);
}

/** Stores the topic and returns whether it has changed. The relevance of pages to the former topic is forgotten. */
async function noteTopic(store: Store, options: CrawlOptions, nowMs: number): Promise<boolean> {
  const { topic, topicExamples, topicThreshold, topicSteps } = options;
  const isFocused = topic !== null || topicExamples !== null;
  const now = isFocused ? JSON.stringify({ topic, topicExamples, topicThreshold, topicSteps }) : '';
  const before = (await store.note('topic')) ?? '';
  if (now === before) return false;
  if (before !== '') {
    const released = await store.forgetTopic(nowMs);
    publish('crawl/warning', {
      message: `the topic has changed: ${released} URLs that were off topic are waiting again`,
    });
  }
  await store.setNote('topic', now);
  return true;
}

/** Throws if the order needs a topic and there is none. */
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

/** Throws if a text is not a URL. */
export function normalizeSeeds(texts: readonly string[], options: CrawlOptions): string[] {
  const normalizer = normalizerFor(options);
  return texts.map((text) => {
    const url = normalizer.normalize(text) ?? (lacksScheme(text) ? normalizer.normalize(`https://${text}`) : null);
    if (url !== null) return url;
    throw new OrbweaverError(
      'ERR_BAD_URL',
      `"${withoutLogin(text)}" is not an http or https URL; write it like https://example.com/`,
    );
  });
}

export interface CrawlPlan {
  readonly store: Store;
  /** Normalized seeds that the user typed for this run. */
  readonly written: readonly string[];
  readonly options: CrawlOptions;
  readonly order: Order;
  readonly ranker: Ranker;
  readonly counts: Counts;
  readonly clock: Clock;
  /**
   * Called when seeds and rules are stored, before any URL becomes known. So a worker that
   * finds one of the URLs already follows the new rules.
   */
  readonly announce?: () => Promise<void>;
}

/** Plans a crawl in a store that may hold an earlier crawl. Returns all seeds, earlier ones first. */
export async function planCrawl(plan: CrawlPlan): Promise<string[]> {
  const { store, options, order, ranker, counts, clock } = plan;
  const isNewTopic = await noteTopic(store, options, clock.now());
  await rereadBeforeMs(store, options, counts, clock.now());
  const seeds = await plant(plan, clock.now());
  // The note names the order of the stored ranks. During a run, the ranks of an
  // order that follows the link graph may be out of date.
  const noted = await store.note('order');
  if (noted !== null && (isNewTopic || noted !== order.name)) await ranker.rankAll();
  await store.setNote('order', order.follows === undefined ? order.name : `${order.name}, under way`);
  return seeds;
}

/**
 * Makes the seeds known and stores the rules of the crawl, which `explain`
 * reads. Returns all seeds, earlier ones first.
 */
async function plant(plan: CrawlPlan, nowMs: number): Promise<string[]> {
  const { store, written, options, ranker, counts } = plan;
  const earlier = await seedsNoted(store);
  const seeds = [...new Set([...earlier, ...written])];
  if (seeds.length === 0)
    throw new OrbweaverError('ERR_USAGE', 'there is no URL to start from; give one, for example https://example.com/');
  await noteSeeds(store, seeds);
  // People pass the data folder on, so logins and other private settings are not stored in it.
  const rules = Object.entries(options).filter(([name]) => !(NEVER_NOTED as readonly string[]).includes(name));
  await store.setNote('rules', JSON.stringify(Object.fromEntries(rules)));
  await plan.announce?.();
  const judge = new LinkJudge(options, seeds);
  const found = seeds.map((url) => judge.found(url, 0, 0, null));
  for (const seed of found) ranker.rank(seed);
  ranker.seeded(await store.seed(found, nowMs));
  const depthBefore = Number((await store.note('depth')) ?? options.depth);
  if (options.depth > depthBefore) await store.allowDepth(options.depth, nowMs);
  if (options.followActions && (counts.reasons['action-link'] ?? 0) > 0) await store.allowActions(nowMs);
  if (!options.learnParameters) await store.dropLessons(nowMs);
  await store.setNote('depth', String(options.depth));
  return seeds;
}

/** For a run that can work without the topic: the example pages of the topic may no longer exist. */
export async function topicIfReadable(options: CrawlOptions): Promise<Topic | null> {
  try {
    return await topicOf(options);
  } catch (error) {
    if (!(error instanceof OrbweaverError)) throw error;
    publish('crawl/warning', {
      message: `the topic of the crawl cannot be read, so links are not compared with it: ${error.message}`,
    });
    return null;
  }
}
