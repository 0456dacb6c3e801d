/**
 * A copy read without crawling. In: the data folder of a crawl, which may be running, in this process or another. Out: its
 * pages, its URLs and what is known of each. What always holds: nothing is written, and what is read at a time is bounded.
 */
import { OrbweaverError } from '../core/errors.ts';
import { keptOptions } from '../crawl/data-folder.ts';
import { findUrl } from '../crawl/find-url.ts';
import { LATEST_MS, readCopy } from '../crawl/read-copy.ts';
import { readDiff } from '../crawl/read-diff.ts';
import { readHistory } from '../crawl/read-history.ts';
import { readLinks, type UrlLinks } from '../crawl/read-links.ts';
import { VERSION_TEXTS, type VersionText } from '../crawl/read-version.ts';
import { tellUrl } from '../crawl/url-story.ts';
import type { Counts, Store, UrlRecord } from '../store/contract.ts';
import { readSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { type CopyChange, toCopyChange } from './copy-change.ts';
import { type Explanation, toExplanation } from './explanation.ts';
import { type KnownUrl, toKnownUrl } from './known-url.ts';
import { type CopyPlace, type Page, type PageResponse, pageOf, toResponse } from './page.ts';
import { type PageChanges, toPageChanges } from './page-diff.ts';
import { type PageLooks, toPageLooks } from './page-history.ts';

/** So many records are in memory at a time. */
const RECORDS_PER_READ = 200;
/** Each may take reading a page. */
const MOST_LINKS = 50;
const MOST_LOOKS = 100;
const CONTEXT_LINES = 3;

/** What is to be compared, and how much is told around each change. */
export interface DiffSettings {
  /** The older content: the newest no later than this. By default the last one that differs from the newer. */
  readonly from?: Date;
  /** The newer content: the newest no later than this. By default the newest. */
  readonly to?: Date;
  /** The readable text (the default), or the source. */
  readonly of?: VersionText;
  /** Lines around each change. */
  readonly context?: number;
}

/** Which changes are told. */
export interface ChangesWanted {
  /** Those with a higher number; 0, all, by default. */
  readonly after?: number;
  readonly limit?: number;
}

export async function openCopy(dir: string): Promise<Copy> {
  if (typeof dir !== 'string' || dir === '') {
    throw new OrbweaverError('ERR_BAD_OPTION', 'openCopy() needs the path of a data folder');
  }
  const store = readSqliteStore(dir);
  try {
    return new Copy(store, { dir, isTemporary: false, options: await keptOptions(store) });
  } catch (error) {
    await store.close();
    throw error;
  }
}

export class Copy implements AsyncDisposable {
  readonly #store: Store;
  readonly #place: CopyPlace;

  constructor(store: Store, place: CopyPlace) {
    this.#store = store;
    this.#place = place;
  }

  get dir(): string {
    return this.#place.dir;
  }

  /** Every page, in the order in which their URLs were found; duplicates too, which say of what. */
  async *pages(): AsyncGenerator<Page, void, void> {
    for await (const record of this.#records()) {
      const page = pageOf(record, this.#place);
      if (page !== null) yield page;
    }
  }

  /** Every known URL with what became of it, in the order in which they were found. */
  async *urls(): AsyncGenerator<KnownUrl, void, void> {
    for await (const record of this.#records()) yield toKnownUrl(record);
  }

  /** The page of a URL; null where the crawl has none, and `explain` says why. */
  async page(url: string | URL): Promise<Page | null> {
    const { record } = await findUrl(this.#store, String(url));
    return record === null ? null : pageOf(record, this.#place);
  }

  /** The newest answer for a URL, or the newest no later than a time: errors and redirects as well, nothing is followed. */
  async response(url: string | URL, at?: Date): Promise<PageResponse | null> {
    const atMs = at === undefined ? LATEST_MS : at.getTime();
    if (Number.isNaN(atMs)) throw new OrbweaverError('ERR_BAD_OPTION', 'response() needs a time that is one');
    const { url: meant, record } = await findUrl(this.#store, String(url));
    const copy = record === null ? null : await readCopy(this.#store, this.#place.dir, meant, atMs);
    return copy === null ? null : toResponse(copy);
  }

  /** Its state and why; of a URL the crawl has not met, which rule would keep it out. */
  async explain(url: string | URL): Promise<Explanation> {
    return toExplanation(await tellUrl(this.#store, String(url)));
  }

  /**
   * Who links to a URL and where it links (P6): exact totals, and of both the first `limit` with their anchor texts, which are
   * read from the archive. Null for a URL the crawl has not met.
   */
  async links(url: string | URL, { limit = MOST_LINKS }: { readonly limit?: number } = {}): Promise<UrlLinks | null> {
    checkCount('links', 'limit', limit);
    const { record } = await findUrl(this.#store, String(url));
    return record === null ? null : readLinks(this.#store, this.#place.dir, record, { from: limit, to: limit });
  }

  /** Every look at a URL that the copy knows of, the newest `limit` of them. Null for a URL the crawl has not met. */
  async history(
    url: string | URL,
    { limit = MOST_LOOKS }: { readonly limit?: number } = {},
  ): Promise<PageLooks | null> {
    checkCount('history', 'limit', limit);
    const { url: meant, record } = await findUrl(this.#store, String(url));
    return record === null ? null : toPageLooks(await readHistory(this.#store, this.#place.dir, meant, limit));
  }

  /**
   * What changed between two contents of a URL: the last two that differ, or those of two times. Null where the copy has no
   * content of it from then.
   */
  async diff(url: string | URL, wanted: DiffSettings = {}): Promise<PageChanges | null> {
    const { from, to, of = 'text', context = CONTEXT_LINES } = wanted;
    checkCount('diff', 'context', context);
    if (!VERSION_TEXTS.includes(of)) {
      throw new OrbweaverError('ERR_BAD_OPTION', `diff() compares ${VERSION_TEXTS.join(' or ')}, not ${String(of)}`);
    }
    const [fromMs, toMs] = [from?.getTime() ?? null, to?.getTime() ?? null];
    if (Number.isNaN(fromMs) || Number.isNaN(toMs)) {
      throw new OrbweaverError('ERR_BAD_OPTION', 'diff() needs times that are some');
    }
    if (fromMs !== null && toMs !== null && fromMs > toMs) {
      throw new OrbweaverError('ERR_BAD_OPTION', 'diff() needs a `from` that is not after its `to`');
    }
    const { url: meant, record } = await findUrl(this.#store, String(url));
    const page = record === null ? null : await readDiff(this.#store, this.#place.dir, meant, { fromMs, toMs, of });
    return page === null ? null : toPageChanges(page, context);
  }

  /**
   * What refreshes noted of pages, in the order in which it was committed, noise too: behind the number `after`, at most `limit`.
   * Whoever remembers the last `seq` and gives it as `after` is told each change once.
   */
  async *changes({
    after = 0,
    limit = Number.MAX_SAFE_INTEGER,
  }: ChangesWanted = {}): AsyncGenerator<CopyChange, void, void> {
    checkCount('changes', 'after', after);
    checkCount('changes', 'limit', limit);
    for (let [seq, left] = [after, limit]; left > 0; ) {
      const entries = await this.#store.changes(seq, Math.min(left, RECORDS_PER_READ));
      for (const entry of entries) yield toCopyChange(this.#store, entry);
      if (entries.length === 0) return;
      left -= entries.length;
      seq = entries.at(-1)!.seq;
    }
  }

  counts(): Promise<Counts> {
    return this.#store.counts();
  }

  /** Pages that were read from it stay readable. */
  async close(): Promise<void> {
    await this.#store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async *#records(): AsyncGenerator<UrlRecord, void, void> {
    for (let after = 0; ; ) {
      const records = await this.#store.urls(after, RECORDS_PER_READ);
      yield* records;
      if (records.length < RECORDS_PER_READ) return;
      after = records.at(-1)!.id;
    }
  }
}

function checkCount(method: string, name: string, value: number): void {
  if (Number.isInteger(value) && value >= 0) return;
  throw new OrbweaverError('ERR_BAD_OPTION', `${method}() needs a ${name} that is a whole number, 0 or more`);
}
