/**
 * The pages that may be visited now, from the store, some thousands at a time. A URL without a page
 * is tried only after the longest interval. A failed one waits for its retry time. A page that was
 * first fetched in this round is up to date.
 */
import type { RefreshOptions } from '../../core/options/refresh-options.ts';
import { SET_ASIDE_MS } from '../../fetch/retry.ts';
import type { Store, UrlStore, VisitRecord } from '../../store/contract.ts';
import { compilePattern } from '../../url/pattern.ts';
import type { CoveredPages } from '../watchers/covered-pages.ts';

const READ_AT_ONCE = 16_384;
/** Longer than any delay in the retry table. An interval set by the user may be added to it. */
const MAX_WAIT_MS = 2 * 86_400_000;

export class DueVisits {
  readonly #store: Store;
  readonly #options: RefreshOptions;
  readonly #filter: PageFilter;
  readonly #rereadBeforeMs: number;
  /** The pages that are left to watchers. */
  led: CoveredPages | null = null;
  /** Only these hosts are read; null for all. */
  only: ReadonlySet<number> | null = null;
  /** All visits, if they came in one batch and are kept. */
  #batch: readonly VisitRecord[] | null = null;
  #isKeeping = false;
  /** Pages that failed and wait for their retry time, as of the last read. */
  setAside = 0;

  /** Pages last visited before `rereadBeforeMs` are not left to watchers: their links must be read again. */
  constructor(store: Store, options: RefreshOptions, rereadBeforeMs = 0) {
    this.#store = store;
    this.#rereadBeforeMs = rereadBeforeMs;
    this.#options = options;
    this.#filter = new PageFilter(store, options.only);
  }

  /** Consecutive steps read a small copy only once, because reading is most of their cost. */
  async readingOnce<T>(work: () => Promise<T>): Promise<T> {
    this.#isKeeping = true;
    try {
      return await work();
    } finally {
      this.#isKeeping = false;
      this.#batch = null;
    }
  }

  /** The due pages in ascending order of id, filtered by --only if `isFiltered`. */
  async *batches(nowMs: number, roundBeganMs: number, isFiltered = true): AsyncGenerator<readonly VisitRecord[]> {
    this.setAside = 0;
    for await (const batch of this.#mine()) {
      const due = batch.filter((visit) => this.#isDue(visit, nowMs, roundBeganMs));
      yield isFiltered ? await this.#filter.wanted(due) : due;
    }
  }

  /** The pages among these reported ones that may be visited now and that --only wants, in their order. */
  async among(ids: readonly number[], nowMs: number, roundBeganMs: number): Promise<VisitRecord[]> {
    const due: VisitRecord[] = [];
    for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
      const some = ids.slice(from, from + READ_AT_ONCE);
      const visits = (await this.#store.visitsOf(some)).filter((visit) =>
        this.#isDue(visit, nowMs, roundBeganMs, true),
      );
      const wanted = new Map((await this.#filter.wanted(visits)).map((visit) => [visit.id, visit]));
      for (const id of some) if (wanted.has(id)) due.push(wanted.get(id)!);
    }
    return due;
  }

  /** The pages among these that no other refresh has visited, or tried to visit, since the round began. */
  async untouched(ids: readonly number[], nowMs: number, roundBeganMs: number): Promise<ReadonlySet<number>> {
    const untouched = (await this.#store.visitsOf(ids)).filter(({ state, checkedAtMs, failures, notBeforeMs }) => {
      // A visit counts from the start of its request, which may be before this round began.
      const isRecent = checkedAtMs >= roundBeganMs || nowMs - checkedAtMs < this.#options.minInterval;
      if (isRecent && checkedAtMs <= nowMs) return false;
      return state === 'none' || failures === 0 || notBeforeMs <= nowMs;
    });
    return new Set(untouched.map(({ id }) => id));
  }

  /** The pages among these that --only wants, whether or not they may be visited now. */
  async wanted(ids: readonly number[]): Promise<number[]> {
    const wanted: number[] = [];
    for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
      const visits = await this.#store.visitsOf(ids.slice(from, from + READ_AT_ONCE));
      for (const { id } of await this.#filter.wanted(visits)) wanted.push(id);
    }
    return wanted;
  }

  /** The visits that are not left to watchers, in ascending order of id. */
  async *#mine(): AsyncGenerator<readonly VisitRecord[]> {
    const { led, only } = this;
    if (led !== null && this.#rereadBeforeMs === 0 && (await led.coversAll())) {
      const ids = led.besides;
      for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
        const visits = await this.#store.visitsOf(ids.slice(from, from + READ_AT_ONCE));
        yield only === null ? visits : visits.filter(({ hostId }) => only.has(hostId));
      }
      return;
    }
    for await (const batch of this.#allVisits()) {
      yield led === null && only === null ? batch : batch.filter((visit) => this.#isSelected(visit));
    }
  }

  #isSelected(visit: VisitRecord): boolean {
    if (this.only?.has(visit.hostId) === false) return false;
    if (this.led === null || !this.led.leavesOut(visit)) return true;
    return visit.checkedAtMs < this.#rereadBeforeMs && !this.led.isHeld(visit.hostId);
  }

  async *#allVisits(): AsyncGenerator<readonly VisitRecord[]> {
    if (this.#batch !== null) return yield this.#batch;
    for (let after = 0; ; ) {
      const batch = await this.#store.visits(after, READ_AT_ONCE);
      const isLast = batch.length < READ_AT_ONCE;
      if (this.#isKeeping && after === 0 && isLast) this.#batch = batch;
      if (batch.length > 0) yield batch;
      if (isLast) return;
      after = batch.at(-1)!.id;
    }
  }

  async *all(nowMs: number, roundBeganMs: number, isFiltered = true): AsyncGenerator<VisitRecord> {
    for await (const batch of this.batches(nowMs, roundBeganMs, isFiltered)) yield* batch;
  }

  /** `isReported`: a watcher reported the page. A reported page that is new does not wait for the longest interval. */
  #isDue(visit: VisitRecord, nowMs: number, roundBeganMs: number, isReported = false): boolean {
    const { state, checks, checkedAtMs, notBeforeMs } = visit;
    const { minInterval, maxInterval } = this.#options;
    if (checks === 0 && checkedAtMs >= roundBeganMs && checkedAtMs <= nowMs) return false;
    const isNone = state === 'none';
    const intervalMs = isNone && !isReported ? maxInterval : minInterval;
    if (checkedAtMs <= nowMs && nowMs - checkedAtMs < intervalMs) return false;
    // If the time is further away than any retry, the clock was set back since.
    const longestMs = MAX_WAIT_MS + Math.max(minInterval, isNone ? maxInterval : 0);
    // If there was no page before, a failure also waits for the longest interval. A
    // reported page waits for a day instead.
    const untilMs =
      isNone && isReported ? Math.min(notBeforeMs, notBeforeMs - maxInterval + SET_ASIDE_MS) : notBeforeMs;
    const isSetAside = untilMs > nowMs && untilMs <= nowMs + longestMs;
    if (isSetAside) this.setAside++;
    return !isSetAside;
  }
}

/** Keeps the pages whose URLs match one of the patterns. Without patterns it keeps all pages and reads no URL. */
class PageFilter {
  readonly #store: UrlStore;
  readonly #patterns: readonly ((url: string) => boolean)[];

  constructor(store: UrlStore, patterns: readonly string[]) {
    this.#store = store;
    this.#patterns = patterns.map((text) => compilePattern(text));
  }

  async wanted(pages: readonly VisitRecord[]): Promise<readonly VisitRecord[]> {
    if (this.#patterns.length === 0) return pages;
    const records = await this.#store.records(pages.map(({ id }) => id));
    const matching = records.filter(({ url }) => this.#patterns.some((matches) => matches(url)));
    const ids = new Set(matching.map(({ id }) => id));
    return pages.filter(({ id }) => ids.has(id));
  }
}
