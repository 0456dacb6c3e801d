/**
 * Moves edits to where people expect them. The position of an edit is often a choice: in "It rains. It pours." the new
 * sentence may be "It snows. " or "snows. It ". An edit that only adds or only removes can slide along the tokens that
 * repeat at its ends. The position with the best score of its two edges wins.
 */
import type { Run } from './run.ts';

/** A page may consist of one repeated word. Then no position is better than another. */
const MAX_SLIDE = 256;

/** Rates the edge before this token: of the old text for removals, of the new text for additions. */
export type EdgeScore = (side: 'a' | 'b', token: number) => number;

/** In: runs in order. Out: runs with the same number of common tokens, but with some edits moved. */
export function slideEdits(a: Int32Array, b: Int32Array, runs: readonly Run[], scoreOf: EdgeScore): Run[] {
  const moved = [{ a: 0, b: 0, length: 0 }, ...runs, { a: a.length, b: b.length, length: 0 }];
  for (let i = 1; i < moved.length; i++) {
    const [before, after] = [moved[i - 1]!, moved[i]!];
    const removes = before.a + before.length < after.a;
    const adds = before.b + before.length < after.b;
    if (removes === adds) continue;
    const shift = bestShift(removes ? a : b, removes ? 'a' : 'b', before, after, scoreOf);
    moved[i - 1] = { ...before, length: before.length + shift };
    moved[i] = { a: after.a + shift, b: after.b + shift, length: after.length - shift };
  }
  return moved.filter(({ length }) => length > 0);
}

/** The number of tokens to move to the right. Of equally good positions, the last one wins. */
function bestShift(ids: Int32Array, side: 'a' | 'b', before: Run, after: Run, scoreOf: EdgeScore): number {
  const from = before[side] + before.length;
  const to = after[side];
  let best = 0;
  let bestScore = Number.NEGATIVE_INFINITY;
  const consider = (shift: number) => {
    const score = scoreOf(side, from + shift) + scoreOf(side, to + shift);
    if (score < bestScore || (score === bestScore && shift < best)) return;
    [best, bestScore] = [shift, score];
  };
  consider(0);
  const leftmost = -Math.min(before.length, MAX_SLIDE);
  for (let shift = -1; shift >= leftmost && ids[from + shift] === ids[to + shift]; shift--) consider(shift);
  const rightmost = Math.min(after.length, MAX_SLIDE);
  for (let shift = 1; shift <= rightmost && ids[from + shift - 1] === ids[to + shift - 1]; shift++) consider(shift);
  return best;
}
