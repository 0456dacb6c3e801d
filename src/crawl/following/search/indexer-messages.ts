/** The messages between a run and its thread that writes the search index. */
import type { Share } from '../../../core/file-modes.ts';
import type { CrawlPlace } from '../../place/crawl-place.ts';
import type { EarlyPage } from './early-pages.ts';
import type { UnreadSummary } from './index-notes.ts';
import type { IndexOptions } from './page-indexer.ts';

/** The two indexes of a copy: the pages as they are now, and all stored versions. */
export interface IndexPlace {
  readonly kind: 'pages' | 'versions';
  /** The folder of its files. */
  readonly dir: string;
}

export interface IndexerSetup {
  readonly place: CrawlPlace;
  readonly index: IndexPlace;
  /** The crawl, its database and the version of the reading: an index of anything else is emptied. */
  readonly indexId: string;
  readonly options: IndexOptions;
  /** Someone waits for the index, and nothing else runs: the thread has ordinary priority. */
  readonly isAwaited: boolean;
  /** Who else may read the index; null leaves the modes of the files as they are. */
  readonly share: Share | null;
  /** Two numbers: the id of the page that the thread works on, or 0; and how many ids of the batch are durable. */
  readonly current: SharedArrayBuffer;
  /** STOP or HURRY: leave the batch. */
  readonly stop: SharedArrayBuffer;
  /** What the thread before this one knew about pages to read again. */
  readonly early: readonly EarlyPage[];
}

/** Nothing of the batch counts. */
export const STOP = 1;
/** What is done becomes durable, and another thread continues. */
export const HURRY = 2;

export type ToIndexer =
  | { readonly task: 'index'; readonly ids: readonly number[]; readonly position: string; readonly heavy: HeavyPages }
  /** Tries the pages again that could not be read. */
  | { readonly task: 'retry' }
  | { readonly task: 'clear' }
  /** Merges until nothing is left to merge. */
  | { readonly task: 'settle' }
  | { readonly task: 'close' };

export interface HeavyPages {
  /** Left out: they have ended the thread twice. */
  readonly skip: readonly number[];
  /** It has ended the thread once. Everything before it is written first, so that only its own needs count. */
  readonly suspect: number;
}

export interface IndexFigures {
  readonly position: string | null;
  /** For the index of versions: the number of versions. */
  readonly pages: number;
  readonly unread: UnreadSummary;
}

/** The first message comes when the index is open. Then each task but `close` has one answer. */
export type FromIndexer =
  | { readonly done: IndexFigures }
  | { readonly stopped: readonly EarlyPage[] }
  | { readonly failure: string; readonly code: string };
