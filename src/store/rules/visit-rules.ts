/** What a look at a page means, whichever engine keeps it: decisions without a database. */
import type { Reason } from '../core/reasons.ts';
import type { ChangeKind, Finding, Revisit, UrlResult, UrlState, VisitRecord, VisitUpdate } from './contract.ts';

export const VISIT_KINDS = ['page', 'redirect', 'none'] as const satisfies readonly VisitRecord['state'][];

/** Of `skipped`: answered once, and forbidden since; it may be allowed again one day. */
const KIND_OF: Readonly<Record<UrlState, VisitRecord['state'] | null>> = {
  waiting: null,
  fetched: 'page',
  duplicate: 'page',
  redirect: 'redirect',
  failed: 'none',
  skipped: 'none',
  gone: 'none',
};

/** Looks after which it is known whether a source was right: a page that has left has changed, too. */
const TOLD_THE_TRUTH: readonly Finding[] = ['same', 'noise', 'changed', 'moved', 'gone'];
/** Looks after which it is not known whether a source was right. */
const TOLD_NOTHING: readonly Finding[] = ['missing', 'failing'];
/** What never was a page, or is none any more, has nothing more to lose. */
const WITHOUT_PAGE: readonly UrlState[] = ['failed', 'gone', 'skipped'];

/** What a look at a URL left to be noted in its visit. */
export interface Look {
  readonly id: number;
  readonly checkedAtMs: number;
  /** What the URL is now. */
  readonly state: UrlState;
  readonly isSource: boolean;
  readonly failures: number;
  readonly notBeforeMs: number;
  readonly trouble: Reason | null;
  /** Whether the look answered what a source claimed. */
  readonly sawClaim: boolean;
  readonly isOtherContent: boolean;
  /** Of the schedule; absent where it has nothing new. */
  readonly update: VisitUpdate | undefined;
}

/** The position in VISIT_KINDS of a URL in this state; null where it has no visit. */
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

/** Nothing is to be written but that it was looked at. Most looks are such. */
export function isPlain({ validators, isReread, capture, reason }: UrlResult, finding: Finding): boolean {
  return finding === 'same' && !validators && !isReread && capture === null && reason === null;
}

/** Whole, as it is kept; and another time than before, always: by that the same result is told when it comes again. */
export function nextCheck({ sinceMs, checkedAtMs }: Revisit): number {
  const wholeMs = Math.ceil(checkedAtMs);
  return wholeMs === sinceMs ? sinceMs + 1 : wholeMs;
}

/** How a page that is there, and is not what it was, is told of. */
export function toldAs(before: UrlState, finding: Finding): ChangeKind {
  if (before === 'gone' || before === 'skipped') return 'returned';
  if (before === 'failed') return 'new';
  return before === 'redirect' || finding === 'changed' ? 'changed' : 'noise';
}
