/** The meaning of a visit to a page: decisions without a database, the same for every engine. */
import type { Reason } from '../../core/reasons.ts';
import {
  CHANGE_KINDS,
  type ChangeKind,
  type Finding,
  type Revisit,
  type UrlResult,
  type UrlState,
  type VisitRecord,
  type VisitUpdate,
} from '../contract.ts';

export const VISIT_KINDS = ['page', 'redirect', 'none'] as const satisfies readonly VisitRecord['state'][];

/** A `skipped` URL with a visit row was answered once and forbidden later; it may be allowed again one day. */
const KIND_OF: Readonly<Record<UrlState, VisitRecord['state'] | null>> = {
  waiting: null,
  fetched: 'page',
  duplicate: 'page',
  redirect: 'redirect',
  failed: 'none',
  skipped: 'none',
  gone: 'none',
};

/** Findings that show whether a change source was right. A page that has left has changed, too. */
const TOLD_THE_TRUTH: readonly Finding[] = ['same', 'noise', 'changed', 'moved', 'gone'];
/** Findings that do not show whether a change source was right. */
const TOLD_NOTHING: readonly Finding[] = ['missing', 'failing'];
/** A URL that never was a page, or is no page any more, has no page to lose. */
const WITHOUT_PAGE: readonly UrlState[] = ['failed', 'gone', 'skipped'];

/** The result of a visit, to be stored in the visit row of the URL. */
export interface Look {
  readonly id: number;
  readonly checkedAtMs: number;
  /** The state of the URL after the visit. */
  readonly state: UrlState;
  readonly isSource: boolean;
  readonly failures: number;
  readonly notBeforeMs: number;
  readonly trouble: Reason | null;
  /** The visit checked the claim of a source. */
  readonly sawClaim: boolean;
  readonly isOtherContent: boolean;
  /** The update of the schedule; absent if the schedule has no news. */
  readonly update: VisitUpdate | undefined;
}

/** The position in VISIT_KINDS for a URL in this state; null if the URL has no visit row. */
export function visitKind(state: UrlState): number | null {
  const kind = KIND_OF[state];
  return kind === null ? null : VISIT_KINDS.indexOf(kind);
}

export function toldTheTruth(finding: Finding): boolean {
  return TOLD_THE_TRUTH.includes(finding);
}

export function isTroubled(finding: Finding): boolean {
  return TOLD_NOTHING.includes(finding);
}

export function hasNoPage(state: UrlState): boolean {
  return WITHOUT_PAGE.includes(state);
}

/** Only the time of the visit must be written. Most visits are plain. */
export function isPlain({ validators, isReread, capture, reason }: UrlResult, finding: Finding): boolean {
  return finding === 'same' && !validators && !isReread && capture === null && reason === null;
}

/**
 * A whole number, as it is stored, and always another time than
 * before: the time shows that the same result has come again.
 */
export function nextCheck({ sinceMs, checkedAtMs }: Revisit): number {
  const wholeMs = Math.ceil(checkedAtMs);
  return wholeMs === sinceMs ? sinceMs + 1 : wholeMs;
}

/** Logged kinds that count as a change of a page. Noise does not, nor does a page that is new or lost its last link. */
export const REAL_CHANGES: readonly ChangeKind[] = ['changed', 'moved', 'gone', 'returned'];

/** SQL: the number of changes of the URL with the id `u.id`, in the table `changes`. */
export function changesOfUrl(changes: string): string {
  const kinds = REAL_CHANGES.map((kind) => CHANGE_KINDS.indexOf(kind)).join();
  return `(SELECT count(*) FROM ${changes} l WHERE l.url_id = u.id AND l.kind IN (${kinds}))`;
}

/**
 * The kind of change that is logged for a page that exists and is different from before. `isSameCopy`: it was a copy of
 * another page, and has the same content as that page again. Then only the change of the other page counts.
 */
export function toldAs(before: UrlState, finding: Finding, isSameCopy: boolean): ChangeKind {
  if (isSameCopy) return 'noise';
  if (before === 'gone' || before === 'skipped') return 'returned';
  if (before === 'failed') return 'new';
  return before === 'redirect' || finding === 'changed' ? 'changed' : 'noise';
}
