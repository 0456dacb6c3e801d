/**
 * The history of a page: every look at it that the copy knows of, and what was found. In: a URL in its normal form and how many
 * looks are wanted. Out: the newest so many, newest first, and how many there are.
 *
 * A content is compared with the content before it, whatever errors and redirects came in between; also the oldest one shown
 * is. What the archive cannot give any more is told as unreadable; that the next one differs from it is still known by the
 * digest that the store keeps, but not by which words.
 *
 * What a refresh noted stands beside the look that it was noted with; what has no answer in the archive, since nobody was asked
 * (orphaned) or since old versions were dropped, is told besides. Looks that found the same leave nothing but a count.
 */
import { diffTexts } from '../change/diff/diff.ts';
import { comparePictures, type ImageChange } from '../change/image/compare-pictures.ts';
import { OrbweaverError } from '../core/errors.ts';
import { headerValue } from '../fetch/outcome.ts';
import type { CaptureRecord, ChangeEntry, ChangeKind, Store } from '../store/contract.ts';
import { hostOf } from '../url/host.ts';
import { urlKeyHex } from '../url/key.ts';
import type { Where } from './crawl-place.ts';
import { keptOptions } from './data-folder.ts';
import { isCut, readDifference, readNoiseRules, type ToldDifference } from './deliver/told-difference.ts';
import { habitsOf, MOST_COUNTED, type PageHabits } from './page-habits.ts';
import { LATEST_MS, type PlaceStore, readRecord } from './read-copy.ts';
import { isContent, isImage, readVersion, type Version } from './read-version.ts';

/**
 * What a look found: the first content, another one, the same one, an error status, a redirect; or what is damaged since, or in an
 * archive file on another machine.
 */
export const LOOK_FINDINGS = ['first', 'changed', 'same', 'error', 'redirect', 'unreadable', 'elsewhere'] as const;
export type LookFinding = (typeof LOOK_FINDINGS)[number];

export interface Look {
  readonly fetchedAtMs: number;
  readonly found: LookFinding;
  readonly status: number;
  readonly contentType: string;
  /** Of the decoded body; null where it cannot be read. */
  readonly bytes: number | null;
  /** `sha256:` and the hexadecimal digits of the decoded body's hash; null where there is no content. */
  readonly digest: string | null;
  /** Of the readable text, where the content changed and both have one; else null. */
  readonly wordsAdded: number | null;
  readonly wordsRemoved: number | null;
  /** Where a redirect leads, as the server wrote it. */
  readonly leadsTo: string | null;
  /** Of an image that changed: how it looks (P12). */
  readonly image: ImageChange | null;
  /** What a refresh noted of it; null where it noted nothing. */
  readonly noted: Noted | null;
  /** What `verify --repair` found wrong with it in the archive; null where it found nothing. */
  readonly damage: string | null;
}

/** What happened to the page, and where its content changed, what did. */
export interface Noted {
  readonly atMs: number;
  readonly kind: ChangeKind;
  readonly reason: ChangeEntry['reason'];
  readonly difference: NotedDifference | null;
}

export interface NotedDifference extends ToldDifference {
  /** The rules of noise that left something out. */
  readonly noise: readonly string[];
  /** The CPU budget of the page was spent before the change was described. */
  readonly isCut?: boolean;
}

export interface PageHistory {
  readonly url: string;
  /** All looks, however few are given. */
  readonly total: number;
  readonly looks: readonly Look[];
  /** Of the time of those looks, newest first: what was noted and has no answer in the archive. */
  readonly besides: readonly Noted[];
  /** Null for a URL that was never answered. */
  readonly habits: PageHabits | null;
  /** Of an image: pages that show it now, those of the highest PageRank. */
  readonly shownOn: readonly string[];
}

/** Pages named that show an image. */
const MOST_SHOWN_ON = 10;

export async function readHistory(
  store: PlaceStore & Pick<Store, 'note' | 'changesOf' | 'visits' | 'explain' | 'linksTo'>,
  where: Where,
  url: string,
  limit: number,
): Promise<PageHistory> {
  const records = await store.capturesOf(hostOf(url), urlKeyHex(url), LATEST_MS, LATEST_MS);
  const record = await store.explain(hostOf(url), urlKeyHex(url));
  const entries = await store.changesOf(hostOf(url), urlKeyHex(url), MOST_COUNTED);
  const besides = entries.map(notedIn);
  const takeNoted = (atMs: number): Noted | null => {
    // A page loses its last link at a time of another page's look.
    const at = besides.findIndex((noted) => noted.atMs === atMs && noted.kind !== 'orphaned');
    return at < 0 ? null : besides.splice(at, 1)[0]!;
  };
  const reader = new LookReader(store, where, url, (await keptOptions(store)).maxBody);
  const before = records.slice(limit).find(isContent);
  if (before !== undefined) await reader.look(before);
  const looks: Look[] = [];
  for (const record of records.slice(0, limit).reverse()) {
    looks.push({ ...(await reader.look(record)), noted: takeNoted(record.fetchedAtMs) });
  }
  const newest = records.find(isContent);
  const sinceMs = records.length > limit ? (records[limit - 1]?.fetchedAtMs ?? LATEST_MS) : 0;
  return {
    url,
    total: records.length,
    looks: looks.reverse(),
    besides: besides.filter(({ atMs }) => atMs >= sinceMs).slice(0, limit),
    shownOn: newest && isImage(newest) ? await pagesShowing(store, url) : [],
    habits: record === null ? null : await habitsOf(store, record, entries),
  };
}

function notedIn({ atMs, kind, reason, change }: ChangeEntry): Noted {
  const difference = change === null ? null : readDifference(change);
  return {
    atMs,
    kind,
    reason,
    difference:
      difference === null
        ? null
        : { ...difference, noise: readNoiseRules(change!), ...(isCut(change!) ? { isCut: true } : {}) },
  };
}

async function pagesShowing(store: Pick<Store, 'explain' | 'linksTo'>, url: string): Promise<string[]> {
  const record = await store.explain(hostOf(url), urlKeyHex(url));
  return record === null ? [] : (await store.linksTo(record.id, MOST_SHOWN_ON)).map((page) => page.url);
}

/** Looks at captures in the order in which they were made, and remembers the last content. */
class LookReader {
  readonly #store: PlaceStore;
  readonly #where: Where;
  readonly #url: string;
  readonly #maxBody: number;
  #last: { readonly version: Version | null; readonly payloadDigest: string } | null = null;

  constructor(store: PlaceStore, where: Where, url: string, maxBody: number) {
    this.#store = store;
    this.#where = where;
    this.#url = url;
    this.#maxBody = maxBody;
  }

  async look(record: CaptureRecord): Promise<Look> {
    if (record.status === 304) return this.#asBefore(record);
    if (!isContent(record)) return this.#answer(record);
    const before = this.#last;
    const isRepeated = before?.payloadDigest === record.payloadDigest;
    if (isRepeated && before?.version != null) return this.#asBefore(record);
    const version = await readable(readVersion(this.#where, this.#url, record, this.#maxBody, 'text', this.#store));
    const isRead = typeof version !== 'string';
    this.#last = { version: isRead ? version : null, payloadDigest: record.payloadDigest };
    if (!isRead) return lookOf(record, version);
    const { bytes, digest } = version;
    if (before === null) return lookOf(record, 'first', { bytes, digest });
    if (isRepeated || before.version?.digest === digest) return lookOf(record, 'same', { bytes, digest });
    const image = comparePictures(before.version?.picture ?? null, version.picture);
    return lookOf(record, 'changed', { bytes, digest, image, ...wordsBetween(before.version, version) });
  }

  #asBefore(record: CaptureRecord): Look {
    const { bytes = null, digest = null } = this.#last?.version ?? {};
    return lookOf(record, 'same', { bytes, digest });
  }

  async #answer(record: CaptureRecord): Promise<Look> {
    const isRedirect = record.status >= 300 && record.status <= 399;
    const copy = await readable(readRecord(this.#where, this.#url, record, this.#maxBody, this.#store));
    const isRead = typeof copy !== 'string';
    const location = isRead ? headerValue(copy.capture.rawHeaders, 'location') : '';
    return lookOf(record, isRedirect ? 'redirect' : 'error', {
      bytes: isRead ? copy.body.length : null,
      leadsTo: isRedirect && location !== '' ? location : null,
    });
  }
}

function wordsBetween(before: Version | null, after: Version): Partial<Look> {
  if (before === null || before.text === null || after.text === null) return {};
  const { wordsAdded, wordsRemoved } = diffTexts(before.text, after.text);
  return { wordsAdded, wordsRemoved };
}

function lookOf(
  { fetchedAtMs, status, contentType, damage }: CaptureRecord,
  found: LookFinding,
  more: Partial<Look> = {},
): Look {
  const nothing = {
    bytes: null,
    digest: null,
    wordsAdded: null,
    wordsRemoved: null,
    leadsTo: null,
    image: null,
    noted: null,
    damage: damage?.problem ?? null,
  };
  return { fetchedAtMs, found, status, contentType, ...nothing, ...more };
}

/** What was read, or why not. */
async function readable<T extends object>(reading: Promise<T>): Promise<T | 'unreadable' | 'elsewhere'> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof OrbweaverError && error.code === 'ERR_ARCHIVE') return 'unreadable';
    if (error instanceof OrbweaverError && error.code === 'ERR_ELSEWHERE') return 'elsewhere';
    throw error;
  }
}
