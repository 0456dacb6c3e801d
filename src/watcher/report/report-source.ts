/** The parts of the watcher that a report needs: a memory to read and a rank for each page. */
import type { Rank } from '../rank/rank.ts';
import type { Change, WatchedPage } from '../records.ts';

export interface ReportMemory {
  readonly epoch: string;
  /** The number of the last change. No page from `pages` has a higher number. */
  readonly lastSeq: number;
  /** All changes after this number are still stored. */
  readonly oldestSeq: number;
  readonly pageCount: number;
  /** Whether the first sweep is done. */
  readonly isComplete: boolean;
  /** The time up to which changes were looked for. */
  readonly sweptAtMs: number;
  /** The pages after a key, in a stable order. The key's page may be gone. */
  pages(after: string | null, limit: number): Promise<readonly WatchedPage[]>;
  /** The changes after a number, in order, without gaps as long as the number is not older than `oldestSeq`. */
  changes(after: number, limit: number): Promise<readonly Change[]>;
  /**
   * Whether a page is reported. `pages` returns only reported pages, `changes` may return
   * others. Absent if all pages are reported.
   */
  isReported?(url: string): boolean;
  /**
   * Whether the rules of the site still accept this page. If not, `pages` leaves it out
   * and only its deletion is reported.
   */
  isStillPage?(page: Pick<WatchedPage, 'key' | 'url'>): boolean;
}

export interface ObservableMemory extends ReportMemory {
  /** Returns a function that removes the listener. */
  onChange(listener: (changes: readonly Change[]) => void): () => void;
}

export interface ReportSource {
  /** Scheme and authority, without `/` at the end. */
  readonly site: string;
  readonly memory: ReportMemory;
  rankOf(page: Pick<WatchedPage, 'url' | 'updates'>): Rank;
  /** The key is the same as long as all ranks are the same. Absent if ranks change only with the pages. */
  rankKey?(): string;
}
