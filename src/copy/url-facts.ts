/**
 * All that a crawl knows of one URL, put together from the store: the URL's own record, the pages that led to it, where it
 * redirects to, what its host's robots.txt says, and what came of looks at it. For a URL the crawl has not met: which rule would keep it out.
 */
import type { CrawlOptions } from '../core/options.ts';
import type { Reason } from '../core/reasons.ts';
import { resolveRefreshOptions } from '../core/refresh-options.ts';
import type {
  CaptureRecord,
  ChangeEntry,
  HostRecord,
  MirrorRecord,
  ParameterLesson,
  SourceRecord,
  Store,
  UrlRecord,
  WatcherRecord,
  WatchMark,
} from '../store/contract.ts';
import { hostOf } from '../url/host.ts';
import { urlKeyHex } from '../url/key.ts';
import { isAudited, parameterNames, parameterSpace, withoutParameters } from '../url/query-parameters.ts';
import { compileScope } from '../url/scope.ts';
import { compileTraps, findSessionId } from '../url/traps/index.ts';
import { productToken } from './fetch-setup.ts';
import { findUrl, recordOf } from './find-url.ts';
import { habitsOf, MOST_COUNTED, type PageHabits, sourceOf } from './page-habits.ts';
import { LATEST_MS } from './read-copy.ts';
import { isContent } from './read-version.ts';
import { RefreshPlan } from './refresh-plan.ts';
import { rulingFrom } from './robots-keeper.ts';
import { type RobotsState, robotsState } from './robots-state.ts';
import { ledBefore } from './watchers/led-pages.ts';

/** The chance of a change is told by all pages of the copy together: of more than this it takes too long to be told in passing. */
const MOST_WEIGHED = 10_000;
/** Looked through for the last content of a page that is gone. */
const MOST_CAPTURES = 1_000;

/** The deepest crawl has 255 steps; redirects come on top. */
const MAX_STEPS = 400;

export interface UrlStory {
  readonly url: string;
  /** Null for a URL the crawl has not met. */
  readonly record: UrlRecord | null;
  /** Of a URL not met: the rule that would keep it out, null where none would. */
  readonly keptOutBy: Reason | null;
  /** The page that a URL with a session id, or with an ignored parameter, is a variant of. */
  readonly instead: string | null;
  /** What was learned of its query parameters, in force or undone. */
  readonly lessons: readonly ParameterLesson[];
  /** From the seed to the page that has the link. */
  readonly via: readonly string[];
  /** Where its redirects lead, in order. */
  readonly redirects: readonly UrlRecord[];
  readonly redirectsLoop: boolean;
  readonly host: HostRecord | null;
  /** What its host is a mirror of, and what mirrors it. */
  readonly mirrors: readonly MirrorRecord[];
  readonly robots: { readonly state: RobotsState; readonly refusal: Reason | null };
  readonly looks: UrlLooks;
  /** The watcher of its host, where it has one, and how the page stands with it. */
  readonly watcher: UrlWatcher | null;
  /** Its answers that `verify --repair` found damaged in the archive, newest first. */
  readonly damaged: readonly CaptureRecord[];
}

export interface UrlWatcher {
  readonly record: WatcherRecord;
  readonly mark: WatchMark | null;
}

/** What came of looks at a URL after the first. */
export interface UrlLooks {
  /** Null for a URL that was never answered. */
  readonly habits: PageHabits | null;
  /** How well the sitemaps and feeds of its host told the truth; null where they do not tell of it, or were never tried. */
  readonly source: SourceRecord | null;
  /** That a refresh would find it changed now; null where it is not its turn, or the copy is too large to say so in passing. */
  readonly chance: number | null;
  /** When the copy lost its page. */
  readonly goneAtMs: number | null;
  /** Of a URL without a page: the last content that the archive has. */
  readonly lastContent: CaptureRecord | null;
}

const NO_LOOKS: UrlLooks = { habits: null, source: null, chance: null, goneAtMs: null, lastContent: null };

export async function tellUrl(store: Store, text: string, nowMs = Date.now()): Promise<UrlStory> {
  const { url, record, options } = await findUrl(store, text);
  return record === null ? tellUnknown(store, url, options) : tellKnown(store, record, options, nowMs);
}

async function tellKnown(store: Store, record: UrlRecord, options: CrawlOptions, nowMs: number): Promise<UrlStory> {
  const host = await store.host(record.host);
  const { redirects, redirectsLoop } = await followRedirects(store, record);
  return {
    url: record.url,
    record,
    keptOutBy: null,
    instead: insteadOf(record),
    lessons: await lessonsFor(store, record.url),
    via: await wayTo(store, record),
    redirects,
    redirectsLoop,
    host,
    mirrors: await mirrorsOf(store, record.host),
    robots: robotsOf(host, record.url, options),
    looks: await looksAt(store, record, nowMs),
    watcher: await watcherOf(store, record),
    damaged: await damagedOf(store, record),
  };
}

async function damagedOf(store: Store, { host, url }: UrlRecord): Promise<CaptureRecord[]> {
  const captures = await store.capturesOf(host, urlKeyHex(url), LATEST_MS, MOST_CAPTURES);
  return captures.filter(({ damage }) => damage !== undefined);
}

async function watcherOf(store: Store, { id, host }: UrlRecord): Promise<UrlWatcher | null> {
  const record = (await store.watchers()).find((one) => one.host === host && one.readAtMs > 0);
  if (record === undefined) return null;
  const [next] = await store.marks(record.hostId, id - 1, 1);
  return { record, mark: next?.id === id ? next.mark : null };
}

async function looksAt(store: Store, record: UrlRecord, nowMs: number): Promise<UrlLooks> {
  const key = urlKeyHex(record.url);
  const noted = await store.changesOf(record.host, key, MOST_COUNTED);
  const habits = await habitsOf(store, record, noted);
  const captures = record.digest === '' ? await store.capturesOf(record.host, key, LATEST_MS, MOST_CAPTURES) : [];
  return {
    habits,
    source: habits !== null && habits.claimedMs > 0 ? await sourceOf(store, record.host) : null,
    chance: habits === null ? null : await chanceOf(store, record.id, nowMs),
    goneAtMs: lossIn(noted)?.atMs ?? null,
    lastContent: captures.find(isContent) ?? null,
  };
}

/** As `refresh --dry-run` would say it, without options. */
async function chanceOf(store: Store, id: number, nowMs: number): Promise<number | null> {
  const { states } = await store.counts();
  const { fetched, duplicate, redirect, failed, gone } = states;
  if (fetched + duplicate + redirect + failed + gone > MOST_WEIGHED) return null;
  const plan = new RefreshPlan(store, resolveRefreshOptions([]));
  plan.leaveTo(await ledBefore(store));
  await plan.load(nowMs);
  return plan.chanceOf(id, nowMs);
}

/** Null where it has come back since. */
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

async function tellUnknown(store: Store, url: string, options: CrawlOptions): Promise<UrlStory> {
  const host = await store.host(hostOf(url));
  const robots = robotsOf(host, url, options);
  const seeds = JSON.parse((await store.note('seeds')) ?? '[]') as string[];
  const { scope, include, exclude } = options;
  const session = findSessionId(url);
  const lessons = await lessonsFor(store, url);
  const ignored = new Set(lessons.filter(({ verdict }) => verdict === 'ignored').map(({ name }) => name));
  const keptOutBy =
    compileScope({ scope, seeds, include, exclude })(url) ??
    session?.reason ??
    compileTraps(options)(url) ??
    robots.refusal ??
    (ignored.size > 0 && !isAudited(urlKeyHex(url)) ? 'ignored-parameter' : null);
  const instead = session?.instead ?? (keptOutBy === 'ignored-parameter' ? withoutParameters(url, ignored) : null);
  const mirrors = await mirrorsOf(store, hostOf(url));
  const none = { via: [], redirects: [], redirectsLoop: false, looks: NO_LOOKS, watcher: null, damaged: [] };
  return { url, record: null, keptOutBy, instead, lessons, ...none, host, mirrors, robots };
}

async function mirrorsOf(store: Store, name: string): Promise<readonly MirrorRecord[]> {
  return (await store.mirrors()).filter(({ host, of }) => host === name || of === name);
}

async function wayTo(store: Store, record: UrlRecord): Promise<string[]> {
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
): Promise<Pick<UrlStory, 'redirects' | 'redirectsLoop'>> {
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

function robotsOf(host: HostRecord | null, url: string, options: CrawlOptions): UrlStory['robots'] {
  const copy = host?.robots ?? null;
  if (copy === null || options.ignoreRobots) return { state: 'not-asked', refusal: null };
  const refusal = rulingFrom(copy, productToken(options.userAgent)).refuses(url);
  return { state: robotsState(copy), refusal };
}
