/**
 * What a report means for the copy. In: its entries, part by part. Out: which pages are to be looked at, which are said to be gone, and what
 * is new; all of it is in the store, with the cursor behind it, when `finish` is done.
 *
 * Always: what the copy has already, by its hash, costs no request; what is unknown is judged like any link; and nothing is
 * written before the report has proved whole, but for what would not fit into memory. A refresh writes only while it has the host.
 */
import type { Clock } from '../../core/clock.ts';
import type { CrawlOptions } from '../../core/options.ts';
import type { FoundUrl, KnownPage, Store, WatcherNews, WatchMark } from '../../store/contract.ts';
import { urlKeyHex } from '../../url/key.ts';
import type { UrlNormalizer } from '../../url/normalize.ts';
import { normalizerFor } from '../link-forms.ts';
import type { LinkJudge } from '../link-judge.ts';
import { IdSet } from './id-set.ts';
import type { ReportEntry } from './report.ts';

const COMPARED_AT_ONCE = 1_000;
/** What is new or changed, beyond which it is written before the report is whole. */
const MOST_KEPT = 50_000;

export interface TakerSetup {
  readonly store: Store;
  readonly standing: { readonly owner: string };
  readonly options: CrawlOptions;
  readonly judge: LinkJudge;
  readonly rank: (found: FoundUrl) => void;
  readonly learned: (ids: readonly number[]) => void;
  readonly clock: Clock;
}

export class ReportTaker {
  /** Pages of the copy that are said to be other than it has them, in the order of the report. */
  readonly changed: number[] = [];
  /** Pages of the copy that are said to be deleted. */
  readonly gone: number[] = [];
  /** Pages of the copy that a listing does not name, and that were not known for it. */
  readonly unnamed: number[] = [];
  /** URLs that the copy did not know, or has yet to fetch. */
  fresh = 0;
  /** Entries that say what the copy has. */
  same = 0;
  readonly #setup: TakerSetup;
  readonly #hostId: number;
  readonly #host: string;
  readonly #normalizer: UrlNormalizer;
  /** Those before the report. */
  readonly #markOf: (id: number) => WatchMark | null;
  /** In a crawl nothing is owed: what it told of waits to be fetched. */
  readonly #areOwed: boolean;
  readonly #named = new IdSet();
  #found: FoundUrl[] = [];
  #newMarks = new Map<number, WatchMark | null>();

  constructor(
    setup: TakerSetup,
    hostId: number,
    host: string,
    markOf: (id: number) => WatchMark | null,
    areOwed: boolean,
  ) {
    this.#setup = setup;
    this.#hostId = hostId;
    this.#host = host;
    this.#markOf = markOf;
    this.#areOwed = areOwed;
    this.#normalizer = normalizerFor(setup.options);
  }

  /** Whether an entry is about this page, or URL, that was known. */
  hasNamed(id: number): boolean {
    return this.#named.has(id);
  }

  async take(entries: readonly ReportEntry[]): Promise<void> {
    for (let from = 0; from < entries.length; from += COMPARED_AT_ONCE) {
      await this.#compare(entries.slice(from, from + COMPARED_AT_ONCE));
    }
    if (this.#found.length + this.#newMarks.size > MOST_KEPT) await this.#write({});
  }

  async #compare(entries: readonly ReportEntry[]): Promise<void> {
    const urls = entries.map(({ path }) => this.#normalizer.normalize(this.#host + path));
    const keys = urls.map((url) => (url === null ? '' : urlKeyHex(url)));
    const known = await this.#setup.store.knownPages(this.#hostId, keys);
    for (const [i, entry] of entries.entries()) {
      const url = urls[i]!;
      // What has no normal form, or leaves the host by it, is no page of the site.
      if (url === null || !url.startsWith(`${this.#host}/`)) continue;
      const page = known[i] ?? null;
      if (page !== null) this.#named.add(page.id);
      if (entry.change === 'deleted') this.#isGone(page);
      else if (page === null || page.state === 'waiting' || page.state === 'skipped') this.#isFresh(url, page);
      else if (isThere(page) && page.digest !== '' && page.digest === entry.digest) this.#isSame(page);
      else this.#isOther(page);
    }
  }

  #isFresh(url: string, page: KnownPage | null): void {
    if (page?.state === 'waiting') {
      this.fresh++;
      if (this.#areOwed) this.#newMarks.set(page.id, 'changed');
      return;
    }
    for (const found of this.#setup.judge.toldOf(url)) {
      this.#setup.rank(found);
      this.#found.push(found);
      if (page === null && found.skip === null) this.fresh++;
    }
  }

  #isSame({ id }: KnownPage): void {
    this.same++;
    if (this.#markOf(id) !== null) this.#newMarks.set(id, null);
  }

  #isOther({ id }: KnownPage): void {
    if (!this.#areOwed) return;
    this.changed.push(id);
    this.#newMarks.set(id, 'changed');
  }

  #isGone(page: KnownPage | null): void {
    if (page === null || !this.#areOwed || !isThere(page)) return;
    this.gone.push(page.id);
    this.#newMarks.set(page.id, 'gone');
  }

  /** The report was read to its end. */
  async finish(news: WatcherNews): Promise<void> {
    await this.#write(news);
  }

  /** A whole listing names every page there is: what it does not name goes by the ordinary schedule, and is looked at. */
  async markUnnamed(): Promise<void> {
    for (let after = ''; ; ) {
      const pages = await this.#setup.store.hostPages(this.#hostId, after, COMPARED_AT_ONCE);
      if (pages.length === 0) return;
      after = pages.at(-1)!.key;
      for (const { id, state } of pages) {
        // What the server did not give us, though it is said to be there, is tried again like any other.
        if (this.#named.has(id) && (state !== 'failed' || this.#areOwed)) continue;
        const mark = this.#markOf(id);
        if (mark === 'untold' || mark === 'gone') continue;
        this.#newMarks.set(id, 'untold');
        if (state === 'fetched' || state === 'duplicate') this.unnamed.push(id);
      }
    }
  }

  /** What it named and a crawl left to be fetched is owed: a refresh that fetches it knows by that that the watcher tells of it. */
  async markWaiting(): Promise<void> {
    let some: number[] = [];
    const mark = async (): Promise<void> => {
      for (const { id, state } of await this.#setup.store.records(some)) {
        if (state === 'waiting') this.#newMarks.set(id, 'changed');
      }
      some = [];
      if (this.#newMarks.size > MOST_KEPT) await this.#write({});
    };
    for (const id of this.#named) if (some.push(id) >= COMPARED_AT_ONCE) await mark();
    await mark();
  }

  async #write(news: WatcherNews): Promise<void> {
    const { store, options, standing, clock } = this.#setup;
    const marks = Array.from(this.#newMarks, ([id, mark]) => ({ id, mark }));
    const told = { found: this.#found, marks, areOwed: this.#areOwed, patternBudget: options.patternBudget };
    // What was read while another worker may have had the host must not undo what that one was told since.
    const fence = this.#areOwed ? { owner: standing.owner } : {};
    const ids = await store.noteWatcher(this.#hostId, { ...news, ...told, ...fence }, clock.now());
    for (const id of ids) this.#named.add(id);
    this.#setup.learned(ids);
    this.#found = [];
    this.#newMarks = new Map();
  }
}

/** What is gone may be known by its last content, too. */
function isThere({ state }: KnownPage): boolean {
  return state === 'fetched' || state === 'duplicate' || state === 'redirect';
}
