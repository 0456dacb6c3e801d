/** What the report needs of the rest of the watcher, and no more: a memory to read and a rank for each page. */
import type { Change, WatchedPage } from '../records.ts';

export interface ReportMemory {
  readonly epoch: string;
  /** The number of the last change. No page that `pages` gives has a higher one. */
  readonly lastSeq: number;
  /** Changes after this number are all kept. */
  readonly oldestSeq: number;
  readonly pageCount: number;
  /** Whether the first sweep is done. */
  readonly isComplete: boolean;
  /** Up to when changes were looked for. */
  readonly sweptAtMs: number;
  /** After a key, which need not be there any more, in an order that stays the same. */
  pages(after: string | null, limit: number): Promise<readonly WatchedPage[]>;
  /** After a number, in order, without gaps as long as it is not older than `oldestSeq`. */
  changes(after: number, limit: number): Promise<readonly Change[]>;
  /** Whether anything is said of a page; `pages` has no other, `changes` may. Left out where all are told. */
  isTold?(url: string): boolean;
  /** Whether the rules of the site still make it a page: of one that they do not, `pages` has nothing, and only that it is deleted is told. */
  isStillPage?(page: Pick<WatchedPage, 'key' | 'url'>): boolean;
}

/** W3. */
export interface PageRank {
  readonly frequency: number;
  readonly level: number;
  readonly rank: number;
}

export interface ReportSource {
  /** Scheme and authority, no `/` at the end. */
  readonly site: string;
  readonly memory: ReportMemory;
  rankOf(page: Pick<WatchedPage, 'url' | 'updates'>): PageRank;
  /** Equal while all ranks are; left out where they only change with the pages. */
  rankKey?(): string;
}
