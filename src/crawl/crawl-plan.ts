/**
 * Plans a crawl: makes its seeds known and stores its rules, for `explain`, for later runs and for the other workers of
 * a cluster. A plan that is refused is refused before anything is written.
 */
import type { Clock } from '../core/clock.ts';
import { OrbweaverError } from '../core/errors.ts';
import { publish } from '../core/events.ts';
import type { CrawlOptions } from '../core/options/options.ts';
import { headerParts, loginParts, withoutLogin } from '../core/options/secret-values.ts';
import type { SettledRules } from '../core/options/stored-rules.ts';
import { NEVER_REACHED } from '../fetch/retry.ts';
import { type Order, orderNamed } from '../frontier/order.ts';
import type { Topic } from '../frontier/topic/topic.ts';
import type { Counts, Store } from '../store/contract.ts';
import { hostOf } from '../url/host.ts';
import { lacksScheme } from '../url/normalize.ts';
import { applyRules, TOPIC_RULES } from './apply-rules.ts';
import { movedSeeds, noteSeeds, seedsNoted, typedSeeds } from './earlier-runs.ts';
import { normalizerFor } from './links/link-forms.ts';
import { LinkJudge } from './links/link-judge.ts';
import { rereadBeforeMs } from './links/links-wanted.ts';
import type { Ranker } from './ranking/ranker.ts';

/** Loads the code that reads a topic only if there is one. Most crawls have none. */
export async function topicOf(options: CrawlOptions): Promise<Topic | null> {
  if (options.topic === null && options.topicExamples === null) return null;
  return (await import('./links/read-topic.ts')).readTopic(options);
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
    refuseLogin(text);
    const url = normalizer.normalize(text) ?? (lacksScheme(text) ? normalizer.normalize(`https://${text}`) : null);
    if (url !== null) return url;
    throw new OrbweaverError(
      'ERR_BAD_URL',
      `"${withoutLogin(text)}" is not an http or https URL; write it like https://example.com/`,
    );
  });
}

/**
 * Seeds are stored and printed, and a URL in normal form has no login. Dropping the login silently would crawl the
 * pages for people without one. The message repeats no part of the text.
 */
function refuseLogin(text: string): void {
  const { username, password } = URL.parse(lacksScheme(text) ? `https://${text}` : text) ?? {
    username: '',
    password: '',
  };
  if (username === '' && password === '') return;
  throw new OrbweaverError(
    'ERR_BAD_URL',
    'a URL to crawl must not contain a user name or a password; write the URL without them, and give them with ' +
      '--auth "host|user:password"',
  );
}

/**
 * Throws if a header or a login is for a host without a port, which means the default port, and the seeds of this host
 * have another port: it would silently not be sent.
 */
export function refuseOtherPort(seeds: readonly string[], { header, auth }: CrawlOptions): void {
  const starts = seeds.map((seed) => new URL(seed));
  const refuse = (flag: string, named: string): void => {
    const host = named.toLowerCase();
    const start = starts.find(({ hostname, port }) => hostname === host && port !== '');
    if (start === undefined || starts.some((other) => other.host === host)) return;
    throw new OrbweaverError(
      'ERR_BAD_OPTION',
      `--${flag} is for ${host}, which means its default port, but the crawl starts at ${start.host}; ` +
        `write --${flag} "${start.host}|…"`,
    );
  };
  for (const text of header) refuse('header', headerParts(text)![0]);
  for (const text of auth) refuse('auth', loginParts(text)![0]);
}

/** Hosts of seeds that are asked again at once, if they could not be reached by the last run. */
const MOST_UNBLOCKED = 100;

export interface Prepared {
  /** Normalized seeds that the user typed for this run. */
  readonly written: readonly string[];
  readonly topic: Topic | null;
  readonly order: Order;
}

/** Parses the seeds and reads topic and order. Throws if one of them cannot be used. */
export async function prepare(
  { seeds, order }: { readonly seeds: readonly string[]; readonly order?: Order },
  { options }: SettledRules,
): Promise<Prepared> {
  const written = normalizeSeeds(seeds, options);
  refuseOtherPort(written, options);
  return { written, topic: await topicOf(options), order: order ?? orderFor(options) };
}

export interface CrawlPlan {
  readonly store: Store;
  readonly written: Prepared['written'];
  readonly settled: SettledRules;
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
  const { store, settled, order, ranker, counts, clock } = plan;
  refuseOtherPort([...(await seedsNoted(store)), ...plan.written], settled.options);
  await rereadBeforeMs(store, settled.options, counts, clock.now());
  const seeds = await plant(plan, clock.now());
  // The note names the order of the stored ranks. During a run, the ranks of an
  // order that follows the link graph may be out of date.
  const noted = await store.note('order');
  const isNewTopic = settled.changes.some(({ name }) => TOPIC_RULES.includes(name));
  if (noted !== null && (isNewTopic || noted !== order.name)) await ranker.rankAll();
  await store.setNote('order', order.follows === undefined ? order.name : `${order.name}, under way`);
  return seeds;
}

/** Stores the rules and the seeds of the crawl, and makes the seeds known. Returns all seeds, earlier ones first. */
async function plant(plan: CrawlPlan, nowMs: number): Promise<string[]> {
  const { store, written, settled, ranker } = plan;
  const { options } = settled;
  const earlier = await seedsNoted(store);
  const seeds = [...new Set([...earlier, ...written])];
  if (seeds.length === 0)
    throw new OrbweaverError('ERR_USAGE', 'there is no URL to start from; give one, for example https://example.com/');
  // The rules come first: after a crash in between, no later run crawls the seeds without them.
  const announce = async (): Promise<void> => {
    await noteSeeds(store, seeds);
    await plan.announce?.();
  };
  await applyRules(store, settled, { nowMs, announce });
  if (earlier.length > 0 && seeds.length > earlier.length) sayAdded(seeds.slice(earlier.length));
  const judge = new LinkJudge(options, seeds);
  const found = seeds.map((url) => judge.found(url, 0, 0, null));
  for (const seed of found) ranker.rank(seed);
  ranker.seeded(await store.seed(found, nowMs));
  // The user may have corrected the network, or started the server, since the last run.
  await store.unblock([...new Set(seeds.map(hostOf))].slice(0, MOST_UNBLOCKED), NEVER_REACHED, nowMs);
  if (!options.learnParameters) await store.dropLessons(nowMs);
  return seeds;
}

const MAX_NAMED_SEEDS = 5;

function sayAdded(added: readonly string[]): void {
  const named = added.slice(0, MAX_NAMED_SEEDS).join(' ');
  const more = added.length > MAX_NAMED_SEEDS ? ` and ${added.length - MAX_NAMED_SEEDS} more` : '';
  publish('crawl/warning', { message: `added to the seeds of this crawl: ${named}${more}` });
}

/**
 * Throws if none of the seeds that the user typed belongs to the crawl in the store: the user probably means another
 * crawl. `where` names the place of the existing crawl, `elsewhere` says how to name another one.
 */
export async function refuseOtherSeeds(
  store: Pick<Store, 'note'>,
  written: readonly string[],
  { where, elsewhere }: { readonly where: string; readonly elsewhere: string },
): Promise<void> {
  // A seed that a recovery guessed says nothing about what the user wants.
  const earlier = await typedSeeds(store);
  const known = new Set([...earlier, ...(await movedSeeds(store))]);
  if (written.length === 0 || earlier.length === 0 || written.some((seed) => known.has(seed))) return;
  const more = earlier.length > 1 ? ` and ${earlier.length - 1} other ${earlier.length === 2 ? 'seed' : 'seeds'}` : '';
  const [urls, are] = written.length === 1 ? ['URL', 'is'] : ['URLs', 'are'];
  throw new OrbweaverError(
    'ERR_OTHER_SEEDS',
    `there is already a crawl of ${earlier[0]}${more} ${where}, and the given ${urls} ${are} not among its seeds; ` +
      `${elsewhere} for another crawl, or give --add to add the ${urls} to this crawl`,
  );
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
