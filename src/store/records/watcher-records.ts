/** Records of watchers, the programs that report the changes of a site: plain data, the same for every engine. */
import type { FoundUrl, UrlState } from './records.ts';

/**
 * The state of a page of a host with a watcher. `untold`: the watcher does not report on this page, so the ordinary
 * schedule applies. `changed` and `gone`: the watcher reported a change or a deletion, and the page has not been
 * visited since. `unseen`: for a while the watcher's silence was no evidence; the ordinary schedule applies until the
 * next visit. A page without a mark is covered by the watcher's silence.
 */
export const WATCH_MARKS = ['untold', 'changed', 'gone', 'unseen'] as const;
export type WatchMark = (typeof WATCH_MARKS)[number];

/** When more visits than this went to pages without a report, all counts of the watcher are halved. */
export const MOST_JUDGED_SILENT = 200;

/** How often a watcher was right, counted as for change sources. */
export interface WatcherOutcomes {
  /** The watcher reported a change, and the page had changed. */
  readonly confirmed: number;
  /** The watcher reported a change, and there was none; or it reported a deletion, and the page was there. */
  readonly falseAlarms: number;
  /** The page had changed, and the watcher reported nothing. */
  readonly missed: number;
  /** The watcher reported nothing, and the page had not changed. */
  readonly quiet: number;
}

export interface WatcherRecord extends WatcherOutcomes {
  readonly hostId: number;
  readonly host: string;
  /** The known or announced address of its report; '' if there is none. */
  readonly url: string;
  /** The position up to which the report was read; null if it is not known. */
  readonly cursor: string | null;
  /** Time of the last request for the report, and of the last successful one; 0 for never. */
  readonly askedAtMs: number;
  readonly readAtMs: number;
}

/** Changes of a watcher's record; absent fields stay as they are. */
export interface WatcherNews {
  /** If set, written only while this owner has the lease of the host. URLs become known in any case. */
  readonly owner?: string;
  readonly url?: string;
  readonly cursor?: string | null;
  readonly askedAtMs?: number;
  readonly readAtMs?: number;
  /** Added to the known counts, which fade. */
  readonly outcomes?: WatcherOutcomes;
  /** URLs from the report, which become known. */
  readonly found?: readonly FoundUrl[];
  /**
   * Whether the waiting URLs among `found` are marked as changed: the watcher reported them,
   * and they are not fetched yet.
   */
  readonly areOwed?: boolean;
  readonly patternBudget?: number;
  /** Pages without a mark whose last visit was before this time are marked as unseen. */
  readonly unseenBeforeMs?: number;
  readonly marks?: readonly { readonly id: number; readonly mark: WatchMark | null }[];
}

/** The new mark of a page, null for none; applied only if the result with this id counts. */
export interface MarkUpdate {
  readonly id: number;
  readonly hostId: number;
  readonly mark: WatchMark | null;
}

export interface MarkedUrl {
  readonly id: number;
  readonly mark: WatchMark;
}

/** What is known about a URL, for the comparison with a watcher report. */
export interface KnownPage {
  readonly id: number;
  /** The key of the URL, as in `FoundUrl.key`. */
  readonly key: string;
  readonly state: UrlState;
  /** SHA-256 of the decoded body in hexadecimal digits; '' if the copy has none. */
  readonly digest: string;
}
