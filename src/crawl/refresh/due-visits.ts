/**
 * The pages that may be looked at now, from the store, some thousands at a time. A URL without a page is tried only after the
 * longest interval; one that failed waits for its time; one that is new in this round is as new as can be.
 */
import type { RefreshOptions } from '../core/refresh-options.ts';
import { SET_ASIDE_MS } from '../fetch/retry.ts';
import type { Store, VisitRecord } from '../store/contract.ts';
import { PageFilter } from './page-filter.ts';
import type { LedPages } from './watchers/led-pages.ts';

const READ_AT_ONCE = 16_384;
/** Longer than any wait that the retry table gives; one by an interval of the user's may come on top. */
const LONGEST_WAIT_MS = 2 * 86_400_000;

export class DueVisits {
  readonly #store: Store;
  readonly #options: RefreshOptions;
  readonly #filter: PageFilter;
  readonly #rereadBeforeMs: number;
  /** What is left to watchers. */
  led: LedPages | null = null;
  /** Hosts that alone are read; null for all. */
  only: ReadonlySet<number> | null = null;
  /** All visits, where they came in one batch and are to be kept. */
  #batch: readonly VisitRecord[] | null = null;
  #isKeeping = false;
  /** Pages that failed and wait for their time, as of the last reading. */
  setAside = 0;

  /** Pages last looked at before `rereadBeforeMs` are left to nobody: their links are to be read anew. */
  constructor(store: Store, options: RefreshOptions, rereadBeforeMs = 0) {
    this.#store = store;
    this.#rereadBeforeMs = rereadBeforeMs;
    this.#options = options;
    this.#filter = new PageFilter(store, options.only);
  }

  /** Steps that follow each other with nothing done in between read a small copy once: that is most of what they cost. */
  async readingOnce<T>(work: () => Promise<T>): Promise<T> {
    this.#isKeeping = true;
    try {
      return await work();
    } finally {
      this.#isKeeping = false;
      this.#batch = null;
    }
  }

  /** Those that --only wants, unless all are asked for; ascending by id. */
  async *batches(nowMs: number, roundBeganMs: number, isFiltered = true): AsyncGenerator<readonly VisitRecord[]> {
    this.setAside = 0;
    for await (const batch of this.#mine()) {
      const due = batch.filter((visit) => this.#isDue(visit, nowMs, roundBeganMs));
      yield isFiltered ? await this.#filter.wanted(due) : due;
    }
  }

  /** Of these pages, which somebody told of, those that may be looked at now, and that --only wants, in their order. */
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

  /** Of these, which were due when the round began, those that another refresh has not looked at since, or tried to. */
  async untouched(ids: readonly number[], nowMs: number, roundBeganMs: number): Promise<ReadonlySet<number>> {
    const untouched = (await this.#store.visitsOf(ids)).filter(({ state, checkedAtMs, failures, notBeforeMs }) => {
      if (checkedAtMs >= roundBeganMs && checkedAtMs <= nowMs) return false;
      return state === 'none' || failures === 0 || notBeforeMs <= nowMs;
    });
    return new Set(untouched.map(({ id }) => id));
  }

  /** Of these pages those that --only wants, whether they may be looked at now or not. */
  async wanted(ids: readonly number[]): Promise<number[]> {
    const wanted: number[] = [];
    for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
      const visits = await this.#store.visitsOf(ids.slice(from, from + READ_AT_ONCE));
      for (const { id } of await this.#filter.wanted(visits)) wanted.push(id);
    }
    return wanted;
  }

  /** The visits that are not left to watchers, ascending by id. */
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
      yield led === null && only === null ? batch : batch.filter((visit) => this.#isMine(visit));
    }
  }

  #isMine(visit: VisitRecord): boolean {
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

  /** `isTold`: that there is a page now is news, and does not wait for the longest interval. */
  #isDue(visit: VisitRecord, nowMs: number, roundBeganMs: number, isTold = false): boolean {
    const { state, checks, checkedAtMs, notBeforeMs } = visit;
    const { minInterval, maxInterval } = this.#options;
    if (checks === 0 && checkedAtMs >= roundBeganMs && checkedAtMs <= nowMs) return false;
    const isNone = state === 'none';
    const intervalMs = isNone && !isTold ? maxInterval : minInterval;
    if (checkedAtMs <= nowMs && nowMs - checkedAtMs < intervalMs) return false;
    // Further away than any retry: the clock was put back since.
    const longestMs = LONGEST_WAIT_MS + Math.max(minInterval, isNone ? maxInterval : 0);
    // Where there was no page to lose, a failure waits for the longest interval, too: of one that is told, for a day.
    const untilMs = isNone && isTold ? Math.min(notBeforeMs, notBeforeMs - maxInterval + SET_ASIDE_MS) : notBeforeMs;
    const isSetAside = untilMs > nowMs && untilMs <= nowMs + longestMs;
    if (isSetAside) this.setAside++;
    return !isSetAside;
  }
}
