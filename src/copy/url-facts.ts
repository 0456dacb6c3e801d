/**
 * Collects all that a crawl knows about one URL from the store: the record of the URL, the pages that led to it, the
 * targets of its redirects, the rules of its host's robots.txt, and the results of its visits. For a URL that the crawl
 * does not know: the rule that would exclude it.
 */

import type { CrawlOptions } from '../core/options/options.ts';
import { resolveRefreshOptions } from '../core/options/refresh-options.ts';
import type { Reason } from '../core/reasons.ts';
import { movedSeeds, seedsNoted } from '../crawl/earlier-runs.ts';
import { isContent, LATEST_MS } from '../crawl/place/read-archived.ts';
import { isRetired, standsForCopies } from '../crawl/refresh/left-copies.ts';
import { RefreshPlan } from '../crawl/refresh/refresh-plan.ts';
import { productToken } from '../crawl/unit/fetch-setup.ts';
import { rulingFrom, verdictOf } from '../crawl/unit/robots-keeper.ts';
import { coveredBefore } from '../crawl/watchers/covered-pages.ts';
import type {
  CaptureRecord,
  ChangeEntry,
  HostRecord,
  MirrorRecord,
  ParameterLesson,
  PatternUse,
  RobotsCopy,
  SourceRecord,
  Store,
  UrlRecord,
  WatcherRecord,
  WatchMark,
} from '../store/contract.ts';
import { hostOf } from '../url/host.ts';
import { urlKeyHex } from '../url/key.ts';
import { isSpotChecked, parameterNames, parameterSpace, withoutParameters } from '../url/query-parameters.ts';
import { compileScope } from '../url/scope.ts';
import { compileTraps, findSessionId, pathPattern } from '../url/traps/judge-traps.ts';
import { findUrl, recordOf } from './find-url.ts';
import { habitsOf, MOST_COUNTED, type PageHabits, sourceOf } from './page-habits.ts';

/**
 * The chance of a change depends on all pages of the copy. For more pages than this, computing it takes too long here.
 */
const MAX_WEIGHED = 10_000;
/** Captures that are searched for the last content of a page that is gone. */
const MAX_CAPTURES = 1_000;

/** The deepest crawl has 255 steps; redirects are added to them. */
const MAX_STEPS = 400;

export interface UrlFacts {
  readonly url: string;
  /** Null for a URL that the crawl does not know. */
  readonly record: UrlRecord | null;
  /** Only for an unknown URL: the rule that would exclude it; null if there is none. */
  readonly keptOutBy: Reason | null;
  /** The page of which this URL is a variant, because of a session id or an ignored parameter. */
  readonly instead: string | null;
  /** The lessons about its query parameters, valid or refuted. */
  readonly lessons: readonly ParameterLesson[];
  readonly isSeed: boolean;
  /** The pages from the seed to the page that has the link. */
  readonly via: readonly string[];
  /** The targets of its redirects, in order. */
  readonly redirects: readonly UrlRecord[];
  readonly redirectsLoop: boolean;
  readonly host: HostRecord | null;
  /** The host that its host mirrors, and the hosts that mirror it. */
  readonly mirrors: readonly MirrorRecord[];
  readonly robots: { readonly state: RobotsState; readonly refusal: Reason | null };
  readonly looks: UrlLooks;
  /** The watcher of its host, if there is one, and the mark of the page. */
  readonly watcher: UrlWatcher | null;
  /** Its responses that `verify --repair` found damaged in the archive, newest first. */
  readonly damaged: readonly CaptureRecord[];
  /** The budget of its path pattern; null if it has no pattern. */
  readonly budget: UrlBudget | null;
}

/** The path pattern of a URL, its budget (`--pattern-budget`), and how it was used. */
export interface UrlBudget extends PatternUse {
  readonly pattern: string;
  readonly budget: number;
}

export interface UrlWatcher {
  readonly record: WatcherRecord;
  readonly mark: WatchMark | null;
}

/** Results of the visits to a URL after its first fetch. */
export interface UrlLooks {
  /** Null for a URL that never answered. */
  readonly habits: PageHabits | null;
  /** How often the sitemaps and feeds of its host were right; null if they do not list the URL or were never tested. */
  readonly source: SourceRecord | null;
  /** Estimated chance that a refresh would find a change now; null if no visit is due, or if the copy is too large. */
  readonly chance: number | null;
  /** Time at which the copy lost the page of this URL. */
  readonly goneAtMs: number | null;
  /** Only for a URL without a page: the last content in the archive. */
  readonly lastContent: CaptureRecord | null;
  /** Null if the page was no copy of another page at its last visit. */
  readonly copy: CopyFacts | null;
}

/** A page that was a copy of another page at its last visit (docs/refresh.md, "Copies of other pages"). */
export interface CopyFacts {
  /** The URL of the other page, its original. */
  readonly of: string;
  readonly checkedAtMs: number;
  /** Whether a refresh visits only the original, except for spot checks. */
  readonly isLeftOut: boolean;
  /** Whether it is not visited at all, because no page links to it. */
  readonly isRetired: boolean;
}

const NO_LOOKS: UrlLooks = { habits: null, source: null, chance: null, goneAtMs: null, lastContent: null, copy: null };

export async function collectUrlFacts(store: Store, text: string, nowMs = Date.now()): Promise<UrlFacts> {
  const { url, record, options } = await findUrl(store, text);
  return record === null ? describeUnknown(store, url, options) : describeKnown(store, record, options, nowMs);
}

async function describeKnown(store: Store, record: UrlRecord, options: CrawlOptions, nowMs: number): Promise<UrlFacts> {
  const host = await store.host(record.host);
  const { redirects, redirectsLoop } = await followRedirects(store, record);
  return {
    url: record.url,
    record,
    keptOutBy: null,
    instead: insteadOf(record),
    lessons: await lessonsFor(store, record.url),
    isSeed: await isSeed(store, record.url),
    via: await pathTo(store, record),
    redirects,
    redirectsLoop,
    host,
    mirrors: await mirrorsOf(store, record.host),
    robots: robotsOf(host, record.url, options),
    looks: await visitsOf(store, record, nowMs),
    watcher: await watcherOf(store, record),
    damaged: await damagedOf(store, record),
    budget: await budgetOf(store, record, options),
  };
}

async function budgetOf(
  store: Store,
  { host, url }: UrlRecord,
  { patternBudget }: CrawlOptions,
): Promise<UrlBudget | null> {
  const pattern = pathPattern(url);
  const use = pattern === null ? null : await store.patternUse(host, pattern);
  return use && { pattern: pattern!, budget: patternBudget, ...use };
}

async function damagedOf(store: Store, { host, url }: UrlRecord): Promise<CaptureRecord[]> {
  const captures = await store.capturesOf(host, urlKeyHex(url), LATEST_MS, MAX_CAPTURES);
  return captures.filter(({ damage }) => damage !== undefined);
}

async function watcherOf(store: Store, { id, host }: UrlRecord): Promise<UrlWatcher | null> {
  const record = (await store.watchers()).find((one) => one.host === host && one.readAtMs > 0);
  if (record === undefined) return null;
  const [next] = await store.marks(record.hostId, id - 1, 1);
  return { record, mark: next?.id === id ? next.mark : null };
}

async function visitsOf(store: Store, record: UrlRecord, nowMs: number): Promise<UrlLooks> {
  const key = urlKeyHex(record.url);
  const noted = await store.changesOf(record.host, key, MOST_COUNTED);
  const habits = await habitsOf(store, record, noted);
  const captures = record.digest === '' ? await store.capturesOf(record.host, key, LATEST_MS, MAX_CAPTURES) : [];
  return {
    habits,
    source: habits !== null && habits.claimedMs > 0 ? await sourceOf(store, record.host) : null,
    chance: habits === null ? null : await chanceOf(store, record.id, nowMs),
    goneAtMs: lossIn(noted)?.atMs ?? null,
    lastContent: captures.find(isContent) ?? null,
    copy: await copyFactsOf(store, record.id),
  };
}

async function copyFactsOf(store: Store, id: number): Promise<CopyFacts | null> {
  const [visit] = await store.visitsOf([id]);
  if (visit === undefined || visit.copyOf === null) return null;
  const [original] = await store.visitsOf([visit.copyOf]);
  const [record] = await store.records([visit.copyOf]);
  return {
    of: record?.url ?? '',
    checkedAtMs: visit.checkedAtMs,
    isLeftOut: isRetired(visit) || (original !== undefined && standsForCopies(original)),
    isRetired: isRetired(visit),
  };
}

/** Computes the same value as `refresh --dry-run` without options. */
async function chanceOf(store: Store, id: number, nowMs: number): Promise<number | null> {
  const { states } = await store.counts();
  const { fetched, duplicate, redirect, failed, gone } = states;
  if (fetched + duplicate + redirect + failed + gone > MAX_WEIGHED) return null;
  const plan = new RefreshPlan(store, resolveRefreshOptions([]));
  plan.leaveTo(await coveredBefore(store));
  await plan.load(nowMs);
  return plan.chanceOf(id, nowMs);
}

/** Null if the page has returned since. */
function lossIn(noted: readonly ChangeEntry[]): ChangeEntry | null {
  const last = noted.find(({ kind }) => kind !== 'orphaned' && kind !== 'noise');
  return last?.kind === 'gone' ? last : null;
}

function insteadOf({ url, reason, standIn }: UrlRecord): string | null {
  if (reason === 'ignored-parameter') return standIn;
  return reason === 'trap-session-id' ? (findSessionId(url)?.instead ?? null) : null;
}

async function lessonsFor(store: Store, url: string): Promise<ParameterLesson[]> {
  const names = parameterNames(url);
  if (names.length === 0) return [];
  const space = parameterSpace(url);
  const lessons = await store.lessons(['ignored', 'matters'], hostOf(url));
  return lessons.filter(
    (lesson) =>
      lesson.space === space &&
      names.includes(lesson.name) &&
      (lesson.verdict === 'ignored' || lesson.contradictedBy !== null),
  );
}

async function describeUnknown(store: Store, url: string, options: CrawlOptions): Promise<UrlFacts> {
  const host = await store.host(hostOf(url));
  const robots = robotsOf(host, url, options);
  const seeds = await seedsNoted(store);
  const { scope, include, exclude } = options;
  const session = findSessionId(url);
  const lessons = await lessonsFor(store, url);
  const ignored = new Set(lessons.filter(({ verdict }) => verdict === 'ignored').map(({ name }) => name));
  const keptOutBy =
    compileScope({ scope, seeds, include, exclude })(url) ??
    session?.reason ??
    compileTraps(options)(url) ??
    robots.refusal ??
    (ignored.size > 0 && !isSpotChecked(urlKeyHex(url)) ? 'ignored-parameter' : null);
  const instead = session?.instead ?? (keptOutBy === 'ignored-parameter' ? withoutParameters(url, ignored) : null);
  const mirrors = await mirrorsOf(store, hostOf(url));
  const none = {
    isSeed: false,
    via: [],
    redirects: [],
    redirectsLoop: false,
    looks: NO_LOOKS,
    watcher: null,
    damaged: [],
    budget: null,
  };
  return { url, record: null, keptOutBy, instead, lessons, ...none, host, mirrors, robots };
}

async function isSeed(store: Store, url: string): Promise<boolean> {
  return [...(await seedsNoted(store)), ...(await movedSeeds(store))].includes(url);
}

async function mirrorsOf(store: Store, name: string): Promise<readonly MirrorRecord[]> {
  return (await store.mirrors()).filter(({ host, of }) => host === name || of === name);
}

async function pathTo(store: Store, record: UrlRecord): Promise<string[]> {
  const way: string[] = [];
  const seen = new Set([record.url]);
  let via = record.via;
  while (via !== null && !seen.has(via) && way.length < MAX_STEPS) {
    seen.add(via);
    way.unshift(via);
    via = (await recordOf(store, via))?.via ?? null;
  }
  return way;
}

async function followRedirects(
  store: Store,
  record: UrlRecord,
): Promise<Pick<UrlFacts, 'redirects' | 'redirectsLoop'>> {
  const redirects: UrlRecord[] = [];
  const seen = new Set([record.url]);
  let { redirectTo } = record;
  while (redirectTo !== null && redirects.length < MAX_STEPS) {
    if (seen.has(redirectTo)) return { redirects, redirectsLoop: true };
    seen.add(redirectTo);
    const next = await recordOf(store, redirectTo);
    if (next === null) break;
    redirects.push(next);
    redirectTo = next.redirectTo;
  }
  return { redirects, redirectsLoop: false };
}

function robotsOf(host: HostRecord | null, url: string, options: CrawlOptions): UrlFacts['robots'] {
  const copy = host?.robots ?? null;
  if (copy === null || options.ignoreRobots) return { state: 'not-asked', refusal: null };
  const refusal = rulingFrom(copy, productToken(options.userAgent)).refuses(url);
  return { state: robotsState(copy), refusal };
}

/** Summarises the robots.txt of a host in one word, for status and explain. */
const ROBOTS_STATES = ['not-asked', 'rules', 'none', 'unreachable'] as const;
export type RobotsState = (typeof ROBOTS_STATES)[number];

export function robotsState(copy: RobotsCopy | null): RobotsState {
  if (copy === null) return 'not-asked';
  // The body does not influence which of the three kinds it is.
  const { kind } = verdictOf({ ...copy, body: '' });
  return { rules: 'rules', 'allow-all': 'none', 'disallow-all': 'unreachable' }[kind] as RobotsState;
}
