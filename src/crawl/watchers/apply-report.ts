/**
 * Applies a report to the copy. In: its entries, part by part. Out: the pages to visit, the pages reported as deleted,
 * and the new pages. When the last `write` returns, all of it is in the store together with the cursor.
 *
 * What always holds: a page that the copy already has, by its hash, costs no request; an unknown URL is judged like
 * any link; nothing is written before the whole report was read, unless the changes do not fit into memory. A
 * refresh writes only while it holds the host.
 */
import type { FoundUrl, KnownPage, WatcherNews, WatchMark } from '../../store/contract.ts';
import { urlKeyHex } from '../../url/key.ts';
import type { UrlNormalizer } from '../../url/normalize.ts';
import { normalizerFor } from '../links/link-forms.ts';
import type { HostSessionSetup } from './host-session.ts';
import type { ReportEntry } from './report.ts';

const COMPARED_AT_ONCE = 1_000;
/** More new or changed pages than this are written before the whole report is read. */
const MAX_UNWRITTEN = 50_000;

type ApplierSetup = Pick<HostSessionSetup, 'store' | 'role' | 'options' | 'judge' | 'rank' | 'learned' | 'clock'>;

export class ReportApplier {
  /** Pages of the copy that the report says have other content, in the order of the report. */
  readonly changed: number[] = [];
  /** Pages of the copy that the report says are deleted. */
  readonly gone: number[] = [];
  /** Pages of the copy that a listing does not name, and that were not marked so before. */
  readonly unnamed: number[] = [];
  /** URLs that the copy did not know or has not fetched yet. */
  fresh = 0;
  readonly #setup: ApplierSetup;
  readonly #hostId: number;
  readonly #host: string;
  readonly #normalizer: UrlNormalizer;
  /** The marks before the report. */
  readonly #markOf: (id: number) => WatchMark | null;
  /**
   * True in a refresh: reported pages are marked for a visit. In a crawl they wait to be fetched, so no mark is needed.
   */
  readonly #areOwed: boolean;
  readonly #named = new IdSet();
  #found: FoundUrl[] = [];
  #newMarks = new Map<number, WatchMark | null>();

  constructor(
    setup: ApplierSetup,
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

  /** Whether an entry names this known page or URL. */
  hasNamed(id: number): boolean {
    return this.#named.has(id);
  }

  async take(entries: readonly ReportEntry[]): Promise<void> {
    for (let from = 0; from < entries.length; from += COMPARED_AT_ONCE) {
      await this.#compare(entries.slice(from, from + COMPARED_AT_ONCE));
    }
    if (this.#found.length + this.#newMarks.size > MAX_UNWRITTEN) await this.write({});
  }

  async #compare(entries: readonly ReportEntry[]): Promise<void> {
    const urls = entries.map(({ path }) => this.#normalizer.normalize(this.#host + path));
    const keys = urls.map((url) => (url === null ? '' : urlKeyHex(url)));
    const known = await this.#setup.store.knownPages(this.#hostId, keys);
    for (const [i, entry] of entries.entries()) {
      const url = urls[i]!;
      // A path without a normal form, or one that leads to another host, is not a page of the site.
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
    for (const found of this.#setup.judge.judgeReported(url)) {
      this.#setup.rank(found);
      this.#found.push(found);
      if (page === null && found.skip === null) this.fresh++;
    }
  }

  #isSame({ id }: KnownPage): void {
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

  /**
   * A whole listing names every page. A page of the copy that it does not name is visited,
   * and stays on the ordinary schedule.
   */
  async markUnnamed(): Promise<void> {
    for (let after = ''; ; ) {
      const pages = await this.#setup.store.hostPages(this.#hostId, after, COMPARED_AT_ONCE);
      if (pages.length === 0) return;
      after = pages.at(-1)!.key;
      for (const { id, state } of pages) {
        // A named page that the server failed to deliver is retried on the ordinary schedule.
        if (this.#named.has(id) && (state !== 'failed' || this.#areOwed)) continue;
        const mark = this.#markOf(id);
        if (mark === 'untold' || mark === 'gone') continue;
        this.#newMarks.set(id, 'untold');
        if (state === 'fetched' || state === 'duplicate') this.unnamed.push(id);
      }
    }
  }

  /**
   * Marks the named pages that a crawl has not fetched yet. The mark tells the refresh that
   * fetches them that the watcher covers them.
   */
  async markWaiting(): Promise<void> {
    let some: number[] = [];
    const mark = async (): Promise<void> => {
      for (const { id, state } of await this.#setup.store.records(some)) {
        if (state === 'waiting') this.#newMarks.set(id, 'changed');
      }
      some = [];
      if (this.#newMarks.size > MAX_UNWRITTEN) await this.write({});
    };
    for (const id of this.#named) if (some.push(id) >= COMPARED_AT_ONCE) await mark();
    await mark();
  }

  /** Called when the whole report was read, and before if its changes do not fit into memory. */
  async write(news: WatcherNews): Promise<void> {
    const { store, options, role, clock } = this.#setup;
    const marks = Array.from(this.#newMarks, ([id, mark]) => ({ id, mark }));
    const update = { found: this.#found, marks, areOwed: this.#areOwed, patternBudget: options.patternBudget };
    // If another worker had the host while this report was read, this write must not undo
    // the newer report of that worker.
    const fence = this.#areOwed ? { owner: role.owner } : {};
    const ids = await store.noteWatcher(this.#hostId, { ...news, ...update, ...fence }, clock.now());
    for (const id of ids) this.#named.add(id);
    this.#setup.learned(ids);
    this.#found = [];
    this.#newMarks = new Map();
  }
}

/** Whether the copy has a page under this URL. A page that is gone also has a last digest, which must not count. */
function isThere({ state }: KnownPage): boolean {
  return state === 'fetched' || state === 'duplicate' || state === 'redirect';
}

/** A set of URL ids with one bit per id: a listing may name a million pages. */
class IdSet {
  #bits = new Uint8Array(1_024);

  add(id: number): void {
    const at = id >>> 3;
    if (at >= this.#bits.length) {
      const grown = new Uint8Array(Math.max(at + 1, 2 * this.#bits.length));
      grown.set(this.#bits);
      this.#bits = grown;
    }
    this.#bits[at]! |= 1 << (id & 7);
  }

  /** In ascending order. */
  *[Symbol.iterator](): Generator<number> {
    for (const [at, bits] of this.#bits.entries()) {
      if (bits === 0) continue;
      for (let bit = 0; bit < 8; bit++) if ((bits & (1 << bit)) !== 0) yield 8 * at + bit;
    }
  }

  has(id: number): boolean {
    return ((this.#bits[id >>> 3] ?? 0) & (1 << (id & 7))) !== 0;
  }
}
