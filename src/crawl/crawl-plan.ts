/**
 * What a crawl is to do, before it does it: its seeds are made known and its rules noted, for `explain`, for later runs and for the other
 * workers of a cluster. What is refused is refused before anything is written.
 */

import type { Clock } from '../core/clock.ts';
import { OrbweaverError } from '../core/errors.ts';
import { publish } from '../core/events.ts';
import type { CrawlOptions } from '../core/options.ts';
import { withoutLogin } from '../core/secret-values.ts';
import { type Order, orderNamed } from '../frontier/order.ts';
import type { Topic } from '../frontier/topic/topic.ts';
import type { Counts, Store } from '../store/contract.ts';
import { lacksScheme } from '../url/address-bar.ts';
import { NEVER_NOTED } from './data-folder.ts';
import { normalizerFor } from './link-forms.ts';
import { LinkJudge } from './link-judge.ts';
import { rereadBeforeMs } from './links-wanted.ts';
import type { Ranker } from './ranker.ts';

/** Most crawls have none and need not load what reads one. */
export async function topicOf(options: CrawlOptions): Promise<Topic | null> {
  if (options.topic === null && options.topicExamples === null) return null;
  return (await import('./read-topic.ts')).readTopic(options);
}

/** Whether the crawl had another topic until now, or none; then what is known of relevance is forgotten. */
async function noteTopic(store: Store, options: CrawlOptions, nowMs: number): Promise<boolean> {
  const { topic, topicExamples, topicThreshold, topicSteps } = options;
  const isFocused = topic !== null || topicExamples !== null;
  const now = isFocused ? JSON.stringify({ topic, topicExamples, topicThreshold, topicSteps }) : '';
  const before = (await store.note('topic')) ?? '';
  if (now === before) return false;
  if (before !== '') {
    const released = await store.forgetTopic(nowMs);
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
    throw new OrbweaverError(
      'ERR_BAD_URL',
      `"${withoutLogin(text)}" is no http or https URL; write it like https://example.com/`,
    );
  });
}

/**
 * Plans a crawl in a store that may hold an earlier one. Returns all seeds, earlier ones first. `announce` is called when seeds and rules are
 * noted and before any URL is made known: who finds one goes by them.
 */
export async function planCrawl(
  store: Store,
  written: readonly string[],
  options: CrawlOptions,
  order: Order,
  ranker: Ranker,
  counts: Counts,
  clock: Clock,
  announce: () => Promise<void> = async () => {},
): Promise<string[]> {
  const isNewTopic = await noteTopic(store, options, clock.now());
  await rereadBeforeMs(store, options, counts, clock.now());
  const seeds = await plant(store, written, options, ranker, clock.now(), announce);
  // The note names the order that the stored ranks are in. Under way, those of one that follows the graph may be behind it.
  const noted = await store.note('order');
  if (noted !== null && (isNewTopic || noted !== order.name)) await ranker.rankAll();
  await store.setNote('order', order.follows === undefined ? order.name : `${order.name}, under way`);
  return seeds;
}

export async function seedsNoted(store: Pick<Store, 'note'>): Promise<string[]> {
  return JSON.parse((await store.note('seeds')) ?? '[]') as string[];
}

/** Seeds that nobody typed: a recovery took the first archived page for one. They open no private address. */
export const GUESSED_SEEDS_NOTE = 'guessed-seeds';

export async function typedSeeds(store: Pick<Store, 'note'>): Promise<string[]> {
  const guessed = new Set(JSON.parse((await store.note(GUESSED_SEEDS_NOTE)) ?? '[]') as string[]);
  return (await seedsNoted(store)).filter((seed) => !guessed.has(seed));
}

/** Makes the seeds known and notes the rules of the crawl, which `explain` reads. Returns all seeds, earlier ones first. */
async function plant(
  store: Store,
  written: readonly string[],
  options: CrawlOptions,
  ranker: Ranker,
  nowMs: number,
  announce: () => Promise<void>,
): Promise<string[]> {
  const earlier = await seedsNoted(store);
  const seeds = [...new Set([...earlier, ...written])];
  if (seeds.length === 0)
    throw new OrbweaverError('ERR_USAGE', 'no URL to start from; give one, for example https://example.com/');
  await store.setNote('seeds', JSON.stringify(seeds));
  // The folder is handed around.
  const rules = Object.entries(options).filter(([name]) => !(NEVER_NOTED as readonly string[]).includes(name));
  await store.setNote('rules', JSON.stringify(Object.fromEntries(rules)));
  await announce();
  const judge = new LinkJudge(options, seeds);
  const found = seeds.map((url) => judge.found(url, 0, 0, null));
  for (const seed of found) ranker.rank(seed);
  ranker.seeded(await store.seed(found, nowMs));
  const depthBefore = Number((await store.note('depth')) ?? options.depth);
  if (options.depth > depthBefore) await store.allowDepth(options.depth, nowMs);
  if (!options.learnParameters) await store.dropLessons(nowMs);
  await store.setNote('depth', String(options.depth));
  return seeds;
}
