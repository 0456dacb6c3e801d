/**
 * The history of a page: every archived response and what it shows. In: a URL in its normal form and the number of
 * wanted responses. Out: the newest responses, newest first, and their total number.
 *
 * Each content is compared with the content before it, whatever errors and redirects came in between; this includes the
 * oldest content shown. A capture that the archive has lost is reported as unreadable. The digest in the store still
 * shows that the next content differs from it, but not in which words.
 *
 * The note of a refresh is attached to the response of the same visit. A note without a response in the
 * archive is listed separately: no request was made (orphaned), or old versions were dropped. Visits that
 * found the same content are only counted.
 */
import { countChangedWords } from '../change/diff/changed-words.ts';
import { comparePictures, type ImageChange } from '../change/image/compare-pictures.ts';
import {
  isCut,
  isPartMissing,
  readDifference,
  readNoiseRules,
  type ToldDifference,
} from '../change/stored-difference.ts';
import { OrbweaverError } from '../core/errors.ts';
import type { ChangeLevel, ChangePart } from '../core/page/change-class.ts';
import type { Where } from '../crawl/place/crawl-place.ts';
import { keptOptions } from '../crawl/place/data-folder.ts';
import { isContent, LATEST_MS, type PlaceStore, readRecord } from '../crawl/place/read-archived.ts';
import { headerValue } from '../fetch/outcome.ts';
import type { CaptureRecord, ChangeEntry, ChangeKind, Store } from '../store/contract.ts';
import { hostOf } from '../url/host.ts';
import { urlKeyHex } from '../url/key.ts';
import { EntryDescriber } from './describe-entry.ts';
import { habitsOf, MOST_COUNTED, type PageHabits } from './page-habits.ts';
import { isImage, type PageToRead, readVersion, type Version } from './read-version.ts';

/**
 * Findings of a visit: the first content, changed content, the same content, an error status, a redirect. The others
 * say that the capture is damaged, or that its archive file is on another machine.
 */
const LOOK_FINDINGS = ['first', 'changed', 'same', 'error', 'redirect', 'unreadable', 'elsewhere'] as const;
export type LookFinding = (typeof LOOK_FINDINGS)[number];

export interface Look {
  readonly fetchedAtMs: number;
  readonly found: LookFinding;
  readonly status: number;
  /** The media type without parameters. */
  readonly contentType: string;
  /** Bytes of the decoded body; null if it cannot be read. */
  readonly bytes: number | null;
  /** `sha256:` and the hexadecimal digits of the decoded body's hash; null if there is no content. */
  readonly digest: string | null;
  /** Words of the title and the readable text. Null unless the content changed and both contents have a text. */
  readonly wordsAdded: number | null;
  readonly wordsRemoved: number | null;
  /** Target of a redirect, as the server wrote it. */
  readonly leadsTo: string | null;
  /** Only for an image that changed: the comparison of what it looks like (P12). */
  readonly image: ImageChange | null;
  /** The note of a refresh about this visit; null if there is none. */
  readonly noted: Noted | null;
  /** The damage that `verify --repair` found in the archive; null if it found none. */
  readonly damage: string | null;
}

/** An entry of the change log: what happened to the page and, for changed content, the difference. */
export interface Noted {
  readonly atMs: number;
  readonly kind: ChangeKind;
  /** For a page that is gone: the reason. */
  readonly reason: ChangeEntry['reason'];
  /**
   * The level of the change, and the part of the page that it touches; null if they are not known. An edit of template
   * that no other page has is a change of own content.
   */
  readonly level: ChangeLevel | null;
  readonly part: ChangePart | null;
  /** The number of pages with the same edit, in any refresh; 1 if no other page has it or if that is not known. */
  readonly pages: number;
  readonly difference: NotedDifference | null;
}

export interface NotedDifference extends ToldDifference {
  /** Names of the noise rules that ignored a part of the difference (docs/noise.md). */
  readonly noise: readonly string[];
  /** Whether the CPU budget of the page ran out before the change was described. */
  readonly isCut?: boolean;
  /** Whether `--only-in` selected nothing in the new version. */
  readonly isPartMissing?: boolean;
}

export interface PageHistory {
  readonly url: string;
  /** Number of all archived responses, even if fewer are returned. */
  readonly total: number;
  readonly looks: readonly Look[];
  /** Notes from the same period that have no response in the archive, newest first. */
  readonly besides: readonly Noted[];
  /** Null for a URL that never answered. */
  readonly habits: PageHabits | null;
  /** Only for an image: the pages that show it now, highest PageRank first. */
  readonly shownOn: readonly string[];
}

/** Largest number of pages that are listed for an image. */
const MOST_SHOWN_ON = 10;

type EditStore = Pick<Store, 'sharedEdits' | 'lastChange'>;

export async function readHistory(
  store: PlaceStore & EditStore & Pick<Store, 'note' | 'changesOf' | 'visits' | 'explain' | 'linksTo'>,
  where: Where,
  url: string,
  limit: number,
): Promise<PageHistory> {
  const records = await store.capturesOf(hostOf(url), urlKeyHex(url), LATEST_MS, LATEST_MS);
  const record = await store.explain(hostOf(url), urlKeyHex(url));
  const entries = await store.changesOf(hostOf(url), urlKeyHex(url), MOST_COUNTED);
  const shared = await pagesOfEdits(store, entries);
  const besides = [...entries];
  const describer = new EntryDescriber(store, where);
  const takeNoted = async (atMs: number): Promise<Noted | null> => {
    // "orphaned" is recorded at the time of a visit to another page, so it does not belong to this capture.
    const at = besides.findIndex((noted) => noted.atMs === atMs && noted.kind !== 'orphaned');
    return at < 0 ? null : notedIn(await describer.described(besides.splice(at, 1)[0]!), shared);
  };
  const reader = new LookReader({ store, where, url, sizes: await keptOptions(store) });
  const before = records.slice(limit).find(isContent);
  if (before !== undefined) await reader.look(before);
  const looks: Look[] = [];
  for (const record of records.slice(0, limit).reverse()) {
    looks.push({ ...(await reader.look(record)), noted: await takeNoted(record.fetchedAtMs) });
  }
  const newest = records.find(isContent);
  const sinceMs = records.length > limit ? (records[limit - 1]?.fetchedAtMs ?? LATEST_MS) : 0;
  return {
    url,
    total: records.length,
    looks: looks.reverse(),
    besides: besides
      .filter(({ atMs }) => atMs >= sinceMs)
      .slice(0, limit)
      .map((entry) => notedIn(entry, shared)),
    shownOn: newest && isImage(newest) ? await pagesShowing(store, url) : [],
    habits: record === null ? null : await habitsOf(store, record, entries),
  };
}

/** The number of pages of each edit that several pages share. */
async function pagesOfEdits(store: EditStore, entries: readonly ChangeEntry[]): Promise<ReadonlyMap<string, number>> {
  const among = [...new Set(entries.flatMap(({ edit }) => edit ?? []))];
  if (among.length === 0) return new Map();
  const range = { after: 0, through: await store.lastChange(), least: 2, limit: among.length, among };
  return new Map((await store.sharedEdits(range)).map(({ edit, pages }) => [edit, pages]));
}

function notedIn(entry: ChangeEntry, shared: ReadonlyMap<string, number>): Noted {
  const { atMs, kind, reason, level, part, change, edit } = entry;
  const difference = change === null ? null : readDifference(change);
  const pages = kind === 'changed' && edit !== null ? (shared.get(edit) ?? 1) : 1;
  // All products have a line with a price, so the line is template. A price that only this page got is its own content.
  const isOwnValue = part === 'template' && edit !== null && pages === 1;
  return {
    atMs,
    kind,
    reason,
    level,
    part: isOwnValue ? 'own' : part,
    pages,
    difference:
      difference === null
        ? null
        : {
            ...difference,
            noise: readNoiseRules(change!),
            ...(isCut(change!) ? { isCut: true } : {}),
            ...(isPartMissing(change!) ? { isPartMissing: true } : {}),
          },
  };
}

async function pagesShowing(store: Pick<Store, 'explain' | 'linksTo'>, url: string): Promise<string[]> {
  const record = await store.explain(hostOf(url), urlKeyHex(url));
  return record === null ? [] : (await store.linksTo(record.id, MOST_SHOWN_ON)).map((page) => page.url);
}

/** Reads captures in the order in which they were made, and remembers the last content. */
class LookReader {
  readonly #page: PageToRead;
  #last: { readonly version: Version | null; readonly payloadDigest: string } | null = null;

  constructor(page: PageToRead) {
    this.#page = page;
  }

  async look(record: CaptureRecord): Promise<Look> {
    if (record.status === 304) return this.#asBefore(record);
    if (!isContent(record)) return this.#answer(record);
    const before = this.#last;
    const isRepeated = before?.payloadDigest === record.payloadDigest;
    if (isRepeated && before?.version != null) return this.#asBefore(record);
    const version = await readable(readVersion(this.#page, record, 'text'));
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
    const { store, where, url, sizes } = this.#page;
    const copy = await readable(readRecord(where, url, record, sizes, store));
    const isRead = typeof copy !== 'string';
    const location = isRead ? headerValue(copy.capture.rawHeaders, 'location') : '';
    return lookOf(record, isRedirect ? 'redirect' : 'error', {
      bytes: isRead ? copy.body.length : null,
      leadsTo: isRedirect && location !== '' ? location : null,
    });
  }
}

function wordsBetween(before: Version | null, after: Version): Partial<Look> {
  return (before && countChangedWords(before, after)) ?? {};
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

/** Returns the value that was read, or the reason why it cannot be read. */
async function readable<T extends object>(reading: Promise<T>): Promise<T | 'unreadable' | 'elsewhere'> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof OrbweaverError && error.code === 'ERR_ARCHIVE') return 'unreadable';
    if (error instanceof OrbweaverError && error.code === 'ERR_ELSEWHERE') return 'elsewhere';
    throw error;
  }
}
