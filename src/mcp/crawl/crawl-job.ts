/** The messages between the server and the process that crawls for it. */
import type { OptionSource } from '../../core/options/option-table.ts';

export interface CrawlJob {
  readonly kind: 'crawl' | 'refresh';
  readonly dir: string;
  /** The URL or the host to work on, as the model wrote it; '' for the whole copy. */
  readonly target: string;
  /** Stop after about so many requests for pages. */
  readonly limit: number;
  readonly seconds: number;
  /** Settings of this machine and secrets of the user. Rules of the crawl are not among them. */
  readonly sources: readonly OptionSource[];
}

export interface CrawlOutcome {
  readonly ending: string;
  /** Whether the limit or the time of the call has ended it. */
  readonly isStopped: boolean;
  readonly requested: number;
  readonly newPages: number;
  /** URLs that wait to be fetched. */
  readonly waiting: number;
  readonly lastChangeBefore: number;
  readonly lastChange: number;
}

export type ToChild = { readonly type: 'start'; readonly job: CrawlJob } | { readonly type: 'stop' };

export type FromChild =
  | { readonly type: 'progress'; readonly requested: number }
  | { readonly type: 'done'; readonly outcome: CrawlOutcome }
  /** `sentence` is for the model and has nothing from the web. */
  | { readonly type: 'refused'; readonly code: string; readonly sentence: string; readonly detail: string | null };
