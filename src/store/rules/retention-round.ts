/**
 * How a retention round proceeds: which pages were judged by which rule, and how many captures one transaction judges.
 */
import type { KeptContents } from '../records/retention-records.ts';

/** Value of `judge_from`: the rule can drop nothing more. */
export const NEVER = Number.MAX_SAFE_INTEGER;
/** A transaction ends after the page that reaches this number of judged captures. */
export const CAPTURES_AT_ONCE = 10_000;
/** The name of the note with the rule by which all pages were judged. */
export const JUDGED_BY = 'captures-judged-by';
const UNDER_WAY = 'under way';

/**
 * The value of `judge_from` up to which pages must be judged. After a change of the rule this is all pages
 * until a whole round is done, because it is not known which page was judged by which rule. `note` is the
 * new text of the note; null if the text does not change.
 */
export function boundaryOf(
  keep: KeptContents,
  judgedBy: string | null,
): { readonly boundary: number; readonly note: string | null } {
  if (judgedBy === ruleName(keep)) return { boundary: keep.kind === 'since' ? keep.sinceMs : 0, note: null };
  return { boundary: NEVER, note: judgedBy === UNDER_WAY ? null : UNDER_WAY };
}

export function ruleName(keep: KeptContents): string {
  return keep.kind === 'newest' ? `newest ${keep.contents}` : 'since';
}
