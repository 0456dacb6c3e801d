/** What the store keeps of looks at a page after the first: plain data, the same for every engine. */
import type { Reason } from '../core/reasons.ts';

/**
 * What a look at a page found: the same content; another, but nothing a reader would notice; another; that it has moved; that
 * the server has it no more, for the first time or for good; that the server did not answer; that we may not ask.
 */
export const FINDINGS = ['same', 'noise', 'changed', 'moved', 'missing', 'gone', 'failing', 'refused'] as const;
export type Finding = (typeof FINDINGS)[number];

/** What happened to a page, as it is told to others; see `ChangeEntry`. */
export const CHANGE_KINDS = ['new', 'changed', 'noise', 'moved', 'gone', 'returned', 'orphaned'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** What is known of a page when it is looked at again. */
export interface EarlierVisit {
  /** When it was last looked at: a result counts only while that is still so. */
  readonly checkedAtMs: number;
  /** Looks in a row that found it missing, or found no answer. */
  readonly failures: number;
  /** What the last look found instead of a page; null where it found one. */
  readonly trouble: Reason | null;
  /** As the server gave them; '' where it gave none. */
  readonly etag: string;
  readonly lastModified: string;
  /** Of the content the copy has now, as `PageRecord.digest`; '' where it has none. */
  readonly digest: string;
  /** Looks in a row that found another content each. */
  readonly streak: number;
  /** Where it led, being a redirect. */
  readonly redirectTo: string | null;
}

/** A result's part about a page that was known before. */
export interface Revisit {
  /** `EarlierVisit.checkedAtMs` as claimed. What is missing or failing has `failures` one above `EarlierVisit.failures`, too. */
  readonly sinceMs: number;
  /** When the server was asked this time. */
  readonly checkedAtMs: number;
  readonly finding: Finding;
  /** Null unless `noise` or `changed`: what changed, as JSON (change/compare-versions.ts). */
  readonly change: string | null;
}

/**
 * How often a page was looked at and what came of it, without a guess of what that means (frontier/revisit): the state of
 * the schedule.
 */
export interface VisitState {
  readonly checkedAtMs: number;
  /** Changes seen; older ones may count less. */
  readonly changes: number;
  /** The sum of the natural logarithms of the intervals, in ms, at whose end it had changed. */
  readonly changedLogMs: number;
  /** The sum of the other intervals. */
  readonly quietMs: number;
  /** For rules that keep an interval a page. */
  readonly intervalMs: number;
}

/** A page that may be looked at again. */
export interface VisitRecord extends VisitState {
  readonly id: number;
  readonly hostId: number;
  /** The shape of its path, in 32 bits: pages of a kind tend to change alike. */
  readonly pattern: number;
  readonly depth: number;
  /** Looks after the first. */
  readonly checks: number;
  /** A page of the copy; a redirect; or a URL that has no page any more, or never had one. */
  readonly state: 'page' | 'redirect' | 'none';
  /** What tells of other pages: a sitemap or a feed. */
  readonly isSource: boolean;
  readonly failures: number;
  /** Not before this time, because it failed; 0 at any time. */
  readonly notBeforeMs: number;
  /** When a change source says that it changed last; 0 where none tells of it. */
  readonly claimedMs: number;
  /** The claim as of the last look. */
  readonly claimSeenMs: number;
}

/** The new state of a page that was looked at, or whose look failed. */
export interface VisitUpdate extends VisitState {
  readonly id: number;
}

/** How well the change sources of a host (its sitemaps and feeds) told the truth: looks at pages they tell of. */
export interface SourceRecord {
  readonly hostId: number;
  readonly host: string;
  /** Said to have changed, and had. */
  readonly confirmed: number;
  /** Said to have changed, and had not. */
  readonly falseAlarms: number;
  /** Changed, and nothing was said. */
  readonly missed: number;
  /** Not said to have changed, and had not. */
  readonly quiet: number;
}

/** One thing that happened to a page: what `history`, the feed and those who are told of changes read. */
export interface ChangeEntry {
  /** Ascending in the order of commits; never given twice. */
  readonly seq: number;
  readonly id: number;
  readonly url: string;
  readonly atMs: number;
  readonly kind: ChangeKind;
  readonly title: string;
  /** Where it is gone or refused: why. */
  readonly reason: Reason | null;
  /** Of a change: as in `Revisit.change`. */
  readonly change: string | null;
}
