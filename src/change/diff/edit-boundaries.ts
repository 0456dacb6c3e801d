/**
 * Rates how well an edit may begin or end before a token. The best edge is a line, then a sentence, a clause, a word.
 */
import type { Run } from './run.ts';
import { gapStart, type Tokens } from './tokens.ts';

const LINE = 4;
const SENTENCE = 3;
const CLAUSE = 2;
const WORD = 1;
const SENTENCE_ENDS = '.!?…';
/** These end a sentence without a space after them. */
const FULL_STOPS = '。！？';
const CLAUSE_ENDS = ',;:)]}>、，；';

export function wordEdges(old: Tokens, young: Tokens): EdgeScore {
  return (side, token) => {
    const tokens = side === 'a' ? old : young;
    if (token === 0 || token >= tokens.count - 1) return LINE;
    const before = tokens.text[tokens.ends[token - 1]! - 1]!;
    if (before === '\n' || tokens.text[tokens.starts[token]!] === '\n') return LINE;
    if (FULL_STOPS.includes(before)) return SENTENCE;
    if (gapStart(tokens, token) === tokens.starts[token]) return 0;
    if (SENTENCE_ENDS.includes(before)) return SENTENCE;
    return CLAUSE_ENDS.includes(before) ? CLAUSE : WORD;
  };
}

/** More than any indentation that is counted. */
const AFTER_BLANK = 50;
const MAX_INDENT = 40;

/**
 * For source code: the best edge follows a blank line, and a less indented line is better. In prose, which has neither
 * blank lines nor indentation, all edges are equal.
 */
export function lineEdges(old: Tokens, young: Tokens): EdgeScore {
  return (side, line) => {
    const tokens = side === 'a' ? old : young;
    const isAfterBlank = line > 0 && indentOf(tokens, line - 1) === MAX_INDENT + 1;
    if (line >= tokens.count) return isAfterBlank ? AFTER_BLANK : 0;
    return (isAfterBlank ? AFTER_BLANK : 0) - indentOf(tokens, line);
  };
}

/** The white space at the beginning of a line, up to MAX_INDENT. One more for a line that has only white space. */
function indentOf({ text, starts, ends }: Tokens, line: number): number {
  const from = starts[line]!;
  const to = ends[line]!;
  let at = from;
  while (at < to && (text.charCodeAt(at) <= 32 || text.charCodeAt(at) === 160)) {
    if (at - from >= MAX_INDENT) return MAX_INDENT;
    at++;
  }
  return at === to ? MAX_INDENT + 1 : at - from;
}

/**
 * Moves edits to where people expect them. The position of an edit is often a choice: in "It rains. It pours." the new
 * sentence may be "It snows. " or "snows. It ". An edit that only adds or only removes can slide along the tokens that
 * repeat at its ends. The position with the best score of its two edges wins.
 */

/** A page may consist of one repeated word. Then no position is better than another. */
const MAX_SLIDE = 256;

/** Rates the edge before this token: of the old text for removals, of the new text for additions. */
type EdgeScore = (side: 'a' | 'b', token: number) => number;

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
