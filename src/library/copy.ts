/**
 * Reads a copy without crawling. In: the data folder of a crawl, which may be running in this process or another. Out:
 * its pages, its URLs and the facts about each. What always holds: nothing is written, and each read is bounded.
 */

import { EntryDescriber } from '../copy/describe-entry.ts';
import { findUrl } from '../copy/find-url.ts';
import { noiseOf } from '../copy/page-noise.ts';
import { templateOf } from '../copy/page-template.ts';
import { readDiff } from '../copy/read-diff.ts';
import { readHistory } from '../copy/read-history.ts';
import { readLinks, type UrlLinks } from '../copy/read-links.ts';
import type { CopySearcher } from '../copy/search/search-copy.ts';
import { collectUrlFacts } from '../copy/url-facts.ts';
import { OrbweaverError } from '../core/errors.ts';
import { placeAt } from '../crawl/place/crawl-place.ts';
import { keptOptions } from '../crawl/place/data-folder.ts';
import { LATEST_MS, readCopy } from '../crawl/place/read-archived.ts';
import { VERSION_TEXTS, type VersionText } from '../page/readable-version.ts';
import type { Counts, Store, UrlRecord } from '../store/contract.ts';
import { inBatches } from '../store/read-in-batches.ts';
import { readSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { type CopyChange, toCopyChange } from './copy-change.ts';
import { CopyPlace } from './copy-place.ts';
import {
  type SearchResults,
  type SearchSettings,
  type SimilarSettings,
  searchFor,
  timeOf,
  toSearchResults,
} from './copy-search.ts';
import { type Explanation, toExplanation } from './explanation.ts';
import { type KnownUrl, type Page, type PageResponse, pageOf, toKnownUrl, toResponse } from './page.ts';
import { type PageChanges, toPageChanges } from './page-diff.ts';
import { type PageLooks, toPageLooks } from './page-history.ts';

/** Number of records in memory at a time. */
const RECORDS_PER_READ = 200;
/** Each link may require reading a page. */
const MOST_LINKS = 50;
const MOST_LOOKS = 100;
const CONTEXT_LINES = 3;

/** The versions to compare, and the number of lines around each change. */
export interface DiffSettings {
  /**
   * The older version: the newest one at or before this time. The default is the last version
   * that differs from the newer one.
   */
  readonly from?: Date;
  /** The newer version: the newest one at or before this time. The default is the newest version. */
  readonly to?: Date;
  /** The readable text (the default) or the source. */
  readonly of?: VersionText;
  /** Number of lines around each change. */
  readonly context?: number;
}

/** Selects the changes to return. */
export interface ChangesWanted {
  /** Returns only changes with a higher sequence number. The default is 0: all changes. */
  readonly after?: number;
  readonly limit?: number;
}

export async function openCopy(dir: string): Promise<Copy> {
  if (typeof dir !== 'string' || dir === '') {
    throw new OrbweaverError('ERR_BAD_OPTION', 'openCopy() needs the path of a data folder');
  }
  const store = readSqliteStore(dir);
  try {
    return new Copy(store, new CopyPlace(store, await keptOptions(store), { dir, isTemporary: false }));
  } catch (error) {
    await store.close();
    throw error;
  }
}

export class Copy implements AsyncDisposable {
  readonly #store: Store;
  readonly #place: CopyPlace;
  #searcher: CopySearcher | null = null;

  constructor(store: Store, place: CopyPlace) {
    this.#store = store;
    this.#place = place;
  }

  get dir(): string {
    return this.#place.dir;
  }

  /** All pages, in the order in which their URLs were found. A duplicate names the page that it duplicates. */
  async *pages(): AsyncGenerator<Page, void, void> {
    for await (const record of this.#records()) {
      const page = pageOf(record, this.#place);
      if (page !== null) yield page;
    }
  }

  /** All known URLs with their states, in the order in which they were found. */
  async *urls(): AsyncGenerator<KnownUrl, void, void> {
    for await (const record of this.#records()) yield toKnownUrl(record);
  }

  /** The page of a URL. Null if the crawl has none; `explain` says why. */
  async page(url: string | URL): Promise<Page | null> {
    const { record } = await findUrl(this.#store, String(url));
    this.#place.forgetTemplates();
    return record === null ? null : pageOf(record, this.#place);
  }

  /**
   * The newest response for a URL, or the newest one at or before a time. Errors and redirects are returned
   * too; no redirect is followed.
   */
  async response(url: string | URL, at?: Date): Promise<PageResponse | null> {
    const atMs = at === undefined ? LATEST_MS : at.getTime();
    if (Number.isNaN(atMs)) throw new OrbweaverError('ERR_BAD_OPTION', 'response() needs a valid date');
    const { url: normalUrl, record } = await findUrl(this.#store, String(url));
    const copy = record === null ? null : await readCopy(this.#store, this.#place.dir, normalUrl, atMs);
    this.#place.forgetTemplates();
    return copy === null ? null : toResponse(copy, this.#place);
  }

  /** The state of a URL and its reason. For a URL that the crawl does not know: the rule that would exclude it. */
  async explain(url: string | URL): Promise<Explanation> {
    const facts = await collectUrlFacts(this.#store, String(url));
    const template = await templateOf(this.#store, this.#place.dir, facts);
    return toExplanation(facts, template, await noiseOf(this.#store, this.#place.dir, facts));
  }

  /**
   * The links to a URL and from it (P6): exact totals, and the first `limit` links of both kinds with their anchor
   * texts, which are read from the archive. Null for a URL that the crawl does not know.
   */
  async links(url: string | URL, { limit = MOST_LINKS }: { readonly limit?: number } = {}): Promise<UrlLinks | null> {
    checkCount('links', 'limit', limit);
    const { record } = await findUrl(this.#store, String(url));
    return record === null ? null : readLinks(this.#store, this.#place.dir, record, { from: limit, to: limit });
  }

  /** The newest `limit` visits to a URL that the copy has. Null for a URL that the crawl does not know. */
  async history(
    url: string | URL,
    { limit = MOST_LOOKS }: { readonly limit?: number } = {},
  ): Promise<PageLooks | null> {
    checkCount('history', 'limit', limit);
    const { url: normalUrl, record } = await findUrl(this.#store, String(url));
    return record === null ? null : toPageLooks(await readHistory(this.#store, this.#place.dir, normalUrl, limit));
  }

  /**
   * The difference between two versions of a URL: the last two that differ, or the versions at two times. Null if the
   * copy has no version from that time.
   */
  async diff(url: string | URL, wanted: DiffSettings = {}): Promise<PageChanges | null> {
    const { from, to, of = 'text', context = CONTEXT_LINES } = wanted;
    checkCount('diff', 'context', context);
    if (!VERSION_TEXTS.includes(of)) {
      throw new OrbweaverError('ERR_BAD_OPTION', `diff() compares ${VERSION_TEXTS.join(' or ')}, not ${String(of)}`);
    }
    const [fromMs, toMs] = [from?.getTime() ?? null, to?.getTime() ?? null];
    if (Number.isNaN(fromMs) || Number.isNaN(toMs)) {
      throw new OrbweaverError('ERR_BAD_OPTION', 'diff() needs valid dates as `from` and `to`');
    }
    if (fromMs !== null && toMs !== null && fromMs > toMs) {
      throw new OrbweaverError('ERR_BAD_OPTION', 'diff() needs a `from` that is not after its `to`');
    }
    const { url: normalUrl, record } = await findUrl(this.#store, String(url));
    const page = record === null ? null : await readDiff(this.#store, this.#place.dir, normalUrl, { fromMs, toMs, of });
    return page === null ? null : toPageChanges(page, context);
  }

  /**
   * The changes that refreshes noted, including noise, in the order of their commits: at most `limit` changes after the
   * sequence number `after`. A program that stores the last `seq` and passes it as `after` gets each change once.
   */
  async *changes({
    after = 0,
    limit = Number.MAX_SAFE_INTEGER,
  }: ChangesWanted = {}): AsyncGenerator<CopyChange, void, void> {
    checkCount('changes', 'after', after);
    checkCount('changes', 'limit', limit);
    const describer = new EntryDescriber(this.#store, this.#place.dir);
    for (let [seq, left] = [after, limit]; left > 0; ) {
      const entries = await this.#store.changes(seq, Math.min(left, RECORDS_PER_READ));
      for (const entry of entries) yield toCopyChange(this.#store, await describer.described(entry));
      if (entries.length === 0) return;
      left -= entries.length;
      seq = entries.at(-1)!.seq;
    }
  }

  /**
   * Searches the text of the pages (docs/search-query.md), as they are now or as they were. The index of the pages as
   * they are now stays open until the copy is closed. Throws ERR_NO_INDEX if the copy does not have the index.
   */
  async search(query: string, settings: SearchSettings = {}): Promise<SearchResults> {
    const wanted = searchFor(query, settings);
    const time = timeOf(settings);
    if (time === 'now') return toSearchResults(await (await this.#openSearch()).search(wanted));
    const { openSearch } = await import('../copy/search/search-copy.ts');
    const searcher = await openSearch(this.#store, placeAt(this.#place.dir), time);
    try {
      return toSearchResults(await searcher.search(wanted));
    } finally {
      searcher.close();
    }
  }

  /**
   * Finds pages about the same subject as a page, without those that have nearly the same text. `query` in the settings
   * chooses among them.
   */
  async similar(url: string | URL, settings: SimilarSettings = {}): Promise<SearchResults> {
    const wanted = { ...searchFor(settings.query ?? '', settings), like: String(url) };
    return toSearchResults(await (await this.#openSearch()).search(wanted));
  }

  /** The best completions of a word that is being typed; `before` is the word in front of it. */
  async completions(prefix: string, before = ''): Promise<readonly string[]> {
    return (await this.#openSearch()).complete(prefix.toLowerCase(), before.toLowerCase());
  }

  /** Loaded on demand, because most programs do not search. */
  async #openSearch(): Promise<CopySearcher> {
    const { openSearch } = await import('../copy/search/search-copy.ts');
    this.#searcher ??= await openSearch(this.#store, placeAt(this.#place.dir), 'now');
    return this.#searcher;
  }

  counts(): Promise<Counts> {
    return this.#store.counts();
  }

  /** Closes the store. Pages that were returned before can still be read. */
  async close(): Promise<void> {
    this.#searcher?.close();
    this.#searcher = null;
    await this.#place.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async *#records(): AsyncGenerator<UrlRecord, void, void> {
    for await (const records of inBatches((after, limit) => this.#store.urls(after, limit), RECORDS_PER_READ)) {
      this.#place.forgetTemplates();
      yield* records;
    }
  }
}

function checkCount(method: string, name: string, value: number): void {
  if (Number.isInteger(value) && value >= 0) return;
  throw new OrbweaverError('ERR_BAD_OPTION', `${method}() needs a ${name} that is a whole number, 0 or more`);
}
