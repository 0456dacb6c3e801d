/** What the store keeps of watchers, the programs that tell of a site's changes: plain data, the same for every engine. */
import type { FoundUrl, UrlState } from './records.ts';

/**
 * How a page of a host with a watcher stands: the watcher does not tell of it, and it goes by the ordinary schedule; it was
 * told to have changed, or to be deleted, and nobody has looked since; or the watcher's silence about it was worth nothing for a
 * while, and it goes by the ordinary schedule until somebody has looked. All others are covered by the watcher's silence.
 */
export const WATCH_MARKS = ['untold', 'changed', 'gone', 'unseen'] as const;
export type WatchMark = (typeof WATCH_MARKS)[number];

/** Looks at pages a watcher was silent about, beyond which all its counts are halved. */
export const MOST_JUDGED_SILENT = 200;

/** How well a watcher told the truth, as of sources. */
export interface WatcherOutcomes {
  /** Said to have changed, and had. */
  readonly confirmed: number;
  /** Said to have changed, and had not; said to be deleted, and was there. */
  readonly falseAlarms: number;
  /** Changed, and nothing was said. */
  readonly missed: number;
  /** Not said to have changed, and had not. */
  readonly quiet: number;
}

export interface WatcherRecord extends WatcherOutcomes {
  readonly hostId: number;
  readonly host: string;
  /** Where its report is, or is said to be; '' where nobody says so. */
  readonly url: string;
  /** Up to where it was read; null where that is not known. */
  readonly cursor: string | null;
  /** When it was last asked for, and last read; 0 for never. */
  readonly askedAtMs: number;
  readonly readAtMs: number;
}

/** What is new of a watcher; what is left out stays as it is. */
export interface WatcherNews {
  /** Written only while the host is leased to this owner; URLs become known all the same. */
  readonly owner?: string;
  readonly url?: string;
  readonly cursor?: string | null;
  readonly askedAtMs?: number;
  readonly readAtMs?: number;
  /** Added to what is known, which fades. */
  readonly outcomes?: WatcherOutcomes;
  /** URLs it tells of, which are made known. */
  readonly found?: readonly FoundUrl[];
  /** Whether those of them that wait are marked as changed: told of, and not fetched yet. */
  readonly areOwed?: boolean;
  readonly patternBudget?: number;
  /** What was last looked at before then, and has no mark, is marked as unseen. */
  readonly unseenBeforeMs?: number;
  readonly marks?: readonly { readonly id: number; readonly mark: WatchMark | null }[];
}

/** The mark of a page from now on, null for none; applied where the result with this id counts. */
export interface MarkUpdate {
  readonly id: number;
  readonly hostId: number;
  readonly mark: WatchMark | null;
}

export interface MarkedUrl {
  readonly id: number;
  readonly mark: WatchMark;
}

/** What a report's word of a URL is compared with. */
export interface KnownPage {
  readonly id: number;
  /** Its key, as in `FoundUrl.key`. */
  readonly key: string;
  readonly state: UrlState;
  /** SHA-256 of its decoded body in hexadecimal digits; '' where the copy has none. */
  readonly digest: string;
}
