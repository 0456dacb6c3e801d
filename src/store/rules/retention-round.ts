/** How a round of dropping goes: what was judged by which rule, and how much is judged in one transaction. */
import type { KeptContents } from './retention-records.ts';

/** In `judge_from`: nothing more can be dropped by the rule. */
export const NEVER = Number.MAX_SAFE_INTEGER;
/** A transaction ends after the page with which it has judged so many captures. */
export const CAPTURES_AT_ONCE = 10_000;
/** A note: the rule by which all pages were judged. */
export const JUDGED_BY = 'captures-judged-by';
const UNDER_WAY = 'under way';

/**
 * Up to which `judge_from` pages are to be judged. After a change of the rule those are all, until a whole round is done; what was
 * judged by which rule is not known before. `note`: what the note is to say from now on; null where it says so already.
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
