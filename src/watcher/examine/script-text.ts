/**
 * Pieces of a script: where an expression ends, where the chain that ends at a token begins, and the text of a piece.
 */
import { NAME, NUMBER, PUNCTUATION, REGEX, type ScriptTokens, STRING, TEMPLATE } from './script-tokens.ts';

/** Longer texts are cut, because the report of a page has to stay small. */
const MAX_WRITTEN_CHARS = 200;
const MAX_EXPRESSION_TOKENS = 4_000;
const MAX_CHAIN_STEPS = 64;

const KEYWORDS = new Set(
  (
    'if for while switch return function catch typeof void new delete in of instanceof var let const else do case default throw ' +
    'try finally break continue with yield await async class extends super null true false undefined this import export'
  ).split(' '),
);

export function isKeyword(word: string): boolean {
  return KEYWORDS.has(word);
}

/** A name that is not a keyword. */
export function isPlainName(script: ScriptTokens, index: number): boolean {
  return script.kind(index) === NAME && !isKeyword(script.word(index));
}

export function isDot(script: ScriptTokens, index: number): boolean {
  return script.is(index, '.') || script.is(index, '?.');
}

/**
 * The index where the expression that begins at `from` ends: at a comma, a semicolon, a
 * closing bracket, or a line end that ends it.
 */
export function expressionEnd(script: ScriptTokens, from: number, to: number): number {
  const limit = Math.min(to, from + MAX_EXPRESSION_TOKENS);
  let at = from;
  while (at < limit && script.spend()) {
    if (at > from && script.isAfterNewline(at) && endsOperand(script, at - 1) && beginsOperand(script, at)) return at;
    if (script.kind(at) === PUNCTUATION) {
      const word = script.word(at);
      if (word === ';' || word === ',' || word === ')' || word === ']' || word === '}') return at;
      const pair = script.pair(at);
      if (pair > at) {
        at = pair + 1;
        continue;
      }
    }
    at++;
  }
  return Math.min(at, to);
}

/** The index where the chain `a.b(c)[d]` with the last token at `last` begins; -1 if no chain ends there. */
export function chainStart(script: ScriptTokens, last: number, from: number): number {
  let at = last;
  for (let steps = 0; steps < MAX_CHAIN_STEPS && at >= from; steps++) {
    if (script.is(at, ')') || script.is(at, ']')) {
      at = script.pair(at) - 1;
      if (at < from) return -1;
      // In `(a).b` and `[a].b` the bracket does not belong to a chain.
      if (script.kind(at) !== NAME && !script.is(at, ')') && !script.is(at, ']')) return -1;
      continue;
    }
    if (script.kind(at) !== NAME) return -1;
    if (at - 2 < from || !isDot(script, at - 1)) return isKeyword(script.word(at)) && !script.is(at, 'this') ? -1 : at;
    at -= 2;
  }
  return -1;
}

/**
 * The text of the tokens from `from` to `to`, without comments. Spaces are kept only where the
 * source has them and they separate words.
 */
export function written(script: ScriptTokens, from: number, to: number, maxChars = MAX_WRITTEN_CHARS): string {
  let text = '';
  for (let at = from; at < to; at++) {
    if (text.length > maxChars) break;
    if (at > from && script.hasGap(at) && !clings(script, at)) text += ' ';
    text += script.word(at);
  }
  text = text.replace(/[\u0000-\u0020]+/g, ' ');
  return text.length > maxChars ? `${text.slice(0, maxChars - 1).replace(/[\ud800-\udbff]$/, '')}…` : text;
}

function clings(script: ScriptTokens, at: number): boolean {
  const word = script.word(at);
  if (word === ')' || word === ']' || word === ',' || word === ';' || word === '.') return true;
  if (word === '(' && isPlainName(script, at - 1)) return true;
  const before = script.word(at - 1);
  return before === '(' || before === '[' || before === '.';
}

function endsOperand(script: ScriptTokens, at: number): boolean {
  const kind = script.kind(at);
  if (kind !== PUNCTUATION) return kind !== NAME || !isKeyword(script.word(at)) || script.is(at, 'this');
  return script.is(at, ')') || script.is(at, ']') || script.is(at, '}');
}

function beginsOperand(script: ScriptTokens, at: number): boolean {
  const kind = script.kind(at);
  if (kind === NAME) return !script.is(at, 'in') && !script.is(at, 'of') && !script.is(at, 'instanceof');
  return kind === STRING || kind === NUMBER || kind === TEMPLATE || kind === REGEX;
}
