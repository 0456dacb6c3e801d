/**
 * The pages that may be looked at now, from the store, some thousands at a time. A URL without a page is tried only after the
 * longest interval; one that failed waits for its time; one that is new in this round is as new as can be.
 */
import type { RefreshOptions } from '../core/refresh-options.ts';
import type { Store, VisitRecord } from '../store/contract.ts';
import { PageFilter } from './page-filter.ts';

const READ_AT_ONCE = 16_384;
/** Longer than any wait that the retry table gives; one by an interval of the user's may come on top. */
const LONGEST_WAIT_MS = 2 * 86_400_000;

export class DueVisits {
  readonly #store: Store;
  readonly #options: RefreshOptions;
  readonly #filter: PageFilter;
  /** All visits, where they came in one batch and are to be kept. */
  #batch: readonly VisitRecord[] | null = null;
  #isKeeping = false;
  /** Pages that failed and wait for their time, as of the last reading. */
  setAside = 0;

  constructor(store: Store, options: RefreshOptions) {
    this.#store = store;
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
    for await (const batch of this.#allVisits()) {
      const due = batch.filter((visit) => this.#isDue(visit, nowMs, roundBeganMs));
      yield isFiltered ? await this.#filter.wanted(due) : due;
    }
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

  #isDue({ state, checks, checkedAtMs, notBeforeMs }: VisitRecord, nowMs: number, roundBeganMs: number): boolean {
    const { minInterval, maxInterval } = this.#options;
    if (checks === 0 && checkedAtMs >= roundBeganMs && checkedAtMs <= nowMs) return false;
    const intervalMs = state === 'none' ? maxInterval : minInterval;
    if (checkedAtMs <= nowMs && nowMs - checkedAtMs < intervalMs) return false;
    // Further away than any retry: the clock was put back since.
    const longestMs = LONGEST_WAIT_MS + Math.max(minInterval, state === 'none' ? maxInterval : 0);
    const isSetAside = notBeforeMs > nowMs && notBeforeMs <= nowMs + longestMs;
    if (isSetAside) this.setAside++;
    return !isSetAside;
  }
}
