/** Reads a phrase between quotation marks, with the escapes in it and a number behind it. */
import { isQuote } from './signs.ts';

export interface PhraseReading {
  /** The words with one space between them. */
  readonly text: string;
  /** The index after the phrase. */
  readonly end: number;
  readonly isClosed: boolean;
  /** The number of `"a b"~5`, or null. */
  readonly slack: number | null;
  /** A weight such as ^2, which was dropped. */
  readonly dropped: string;
}

const SUFFIX = /~(\d{1,4})|\^[\d.]{1,8}|~/y;

/** `start` is the index after the opening mark. */
export function readPhrase(text: string, start: number): PhraseReading {
  const parts: string[] = [];
  let from = start;
  let at = start;
  for (; at < text.length && !isQuote(text[at]!); at++) {
    const next = text[at + 1] ?? '';
    if (text[at] === '\\' && (next === '\\' || isQuote(next))) {
      parts.push(text.slice(from, at));
      from = at + 1;
      at++;
    }
  }
  parts.push(text.slice(from, at));
  SUFFIX.lastIndex = at + 1;
  const suffix = SUFFIX.exec(text);
  const slack = suffix?.[1] === undefined ? null : Number(suffix[1]);
  return {
    text: parts.join('').replace(/\s+/g, ' ').trim(),
    end: suffix === null ? at + 1 : SUFFIX.lastIndex,
    isClosed: at < text.length,
    slack,
    dropped: suffix !== null && slack === null ? suffix[0] : '',
  };
}

/** The text of a phrase such that `readPhrase` reads it as exactly this phrase. */
export function inQuotes(text: string): string {
  let escaped = '';
  for (const character of text) escaped += character === '\\' || isQuote(character) ? `\\${character}` : character;
  return `"${escaped}"`;
}
