/**
 * Rates how well an edit may begin or end before a token. The best edge is a line, then a sentence, a clause, a word.
 */
import type { EdgeScore } from './slide.ts';
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
