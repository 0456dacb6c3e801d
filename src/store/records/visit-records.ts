/** Records of the visits to a page after its first fetch: plain data, the same for every engine. */
import type { ChangeClass, ChangeLevel, ChangePart } from '../../core/page/change-class.ts';
import type { Reason } from '../../core/reasons.ts';

/**
 * Findings of a visit. `same`: the same content. `noise`: other content, but nothing that a reader would notice.
 * `changed`: other content. `moved`: the URL redirects. `missing` and `gone`: the server no longer has the page, for
 * the first time or for good. `failing`: the server did not answer. `refused`: we may not request the page.
 */
export const FINDINGS = ['same', 'noise', 'changed', 'moved', 'missing', 'gone', 'failing', 'refused'] as const;
export type Finding = (typeof FINDINGS)[number];

/** The kinds of changes that listeners are told about; see `ChangeEntry`. */
export const CHANGE_KINDS = ['new', 'changed', 'noise', 'moved', 'gone', 'returned', 'orphaned'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** What is known about a page before a visit. */
export interface EarlierVisit {
  /** Time of the last visit. A result counts only while this is still the last visit. */
  readonly checkedAtMs: number;
  /** Number of visits in a row that found the page missing or got no response. */
  readonly failures: number;
  /** The reason why the last visit found no page; null if it found one. */
  readonly trouble: Reason | null;
  /** Validators of the server; '' if it sent none. */
  readonly etag: string;
  readonly lastModified: string;
  /** Digest of the current content in the copy, as in `PageRecord.digest`; '' if there is none. */
  readonly digest: string;
  /** `PageRecord.regions` of this content; null if there are none. */
  readonly regions: Uint8Array | null;
  /** `PageRecord.wordCounts` of this content; null if there are none. */
  readonly wordCounts: Uint8Array | null;
  /** Number of visits in a row that each found other content. */
  readonly streak: number;
  /** The previous target, if the URL is a redirect. */
  readonly redirectTo: string | null;
}

/** The part of a result about a page that was known before. */
export interface Revisit extends Partial<ChangeClass> {
  /**
   * `EarlierVisit.checkedAtMs` of the claim. A result with `missing` or `failing` must also
   * have `failures` one higher than `EarlierVisit.failures`.
   */
  readonly sinceMs: number;
  /** Time of the request of this visit. */
  readonly checkedAtMs: number;
  readonly finding: Finding;
  /**
   * The description of the change as JSON (change/compare-versions.ts). Null unless the finding is `noise` or
   * `changed`, and while nobody has described the change yet.
   */
  readonly change: string | null;
  /** The page was missing at the last visit, and this visit found it again. */
  readonly isBack?: boolean;
}

/**
 * The state of the schedule: how often a page was visited and what the
 * visits found, without an estimate (frontier/revisit).
 */
export interface VisitState {
  readonly checkedAtMs: number;
  /** Number of changes seen; older changes may count less. */
  readonly changes: number;
  /** Sum of the natural logarithms of the intervals, in ms, after which the page had changed. */
  readonly changedLogMs: number;
  /** Sum of the other intervals. */
  readonly quietMs: number;
  /** Interval of the page, for policies that keep one. */
  readonly intervalMs: number;
  /** The hours at which the page changes, as one integer (frontier/revisit/rhythm.ts); 0 if none are known. */
  readonly rhythm: number;
}

/** A page that a refresh may visit. */
export interface VisitRecord extends VisitState {
  readonly id: number;
  readonly hostId: number;
  /** 32-bit hash of the path shape: pages of the same shape tend to change alike. */
  readonly pattern: number;
  readonly depth: number;
  /** Number of visits after the first fetch. */
  readonly checks: number;
  /** A page of the copy, a redirect, or a URL that has no page now or never had one. */
  readonly state: 'page' | 'redirect' | 'none';
  /** Whether the page lists other pages: a sitemap or a feed. */
  readonly isSource: boolean;
  readonly failures: number;
  /** Earliest time of the next visit, because the last one failed; 0 if any time is allowed. */
  readonly notBeforeMs: number;
  /** Time of the last change according to a change source; 0 if no source lists the page. */
  readonly claimedMs: number;
  /** The value of `claimedMs` at the last visit. */
  readonly claimSeenMs: number;
  /** The page of which this page was a copy at its last visit (`UrlRecord.duplicateOf`); null if it was none. */
  readonly copyOf: number | null;
  /** Since when no page links to the page; 0 if one does. */
  readonly orphanedMs: number;
}

/** The new schedule state of a page after a visit, successful or not. */
export interface VisitUpdate extends VisitState {
  readonly id: number;
}

/**
 * How often the change sources of a host (its sitemaps and feeds) were right, counted by
 * visits to pages that they list.
 */
export interface SourceRecord {
  readonly hostId: number;
  readonly host: string;
  /** The source reported a change, and the page had changed. */
  readonly confirmed: number;
  /** The source reported a change, and the page had not changed. */
  readonly falseAlarms: number;
  /** The page had changed, and the source reported no change. */
  readonly missed: number;
  /** The source reported no change, and the page had not changed. */
  readonly quiet: number;
}

/** One event of a page, for `history`, the feed and the listeners. */
export interface ChangeEntry extends ChangeClass {
  /** Ascending in the order of commits; a number is never used twice. */
  readonly seq: number;
  readonly id: number;
  readonly url: string;
  readonly atMs: number;
  readonly kind: ChangeKind;
  readonly title: string;
  /** The reason, if the page is gone or refused. */
  readonly reason: Reason | null;
  /** Only for a change: its description as JSON; null while nobody has described it. */
  readonly change: string | null;
}

/** An entry before the store has given it a number. What is left out is null in the entry. */
export type NewChange = Pick<ChangeEntry, 'id' | 'kind' | 'atMs' | 'title'> &
  Partial<Pick<ChangeEntry, 'reason' | 'change' | keyof ChangeClass>>;

/** An edit that several changes share: on each page, the same was removed and added (`ChangeClass.edit`). */
export interface SharedEdit {
  readonly edit: string;
  readonly pages: number;
  /** The number of the first of these changes. */
  readonly firstSeq: number;
  /** The highest level of these changes, and `own` if it is the part of any of them. */
  readonly level: ChangeLevel | null;
  readonly part: ChangePart | null;
  /** The first URLs. */
  readonly examples: readonly string[];
}

/** Which changes count for the shared edits. */
export interface EditRange {
  /** Changes with numbers above `after`, up to `through`. */
  readonly after: number;
  readonly through: number;
  /** The smallest number of pages. */
  readonly least: number;
  /** The largest number of edits that are returned. */
  readonly limit: number;
  /** Only these edits. */
  readonly among?: readonly string[];
}

/** The description of a change that was recorded without one. */
export interface ChangeDescription {
  readonly seq: number;
  readonly change: string;
}
