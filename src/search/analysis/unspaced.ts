/**
 * Text of scripts without spaces between words: Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese.
 *
 * Each character is a term, and so is each pair of neighbours. A character is a letter with its combining marks. Two
 * or more characters are found as a phrase of pairs, so that any part of the text can be found.
 */
import { classAt, IGNORED, MARK, UNSPACED } from './character-classes.ts';
import { normalizeChunk } from './chunk.ts';

/** Text is normalised in pieces of about this many code units. */
const PIECE = 512;
const MAX_PIECE = 1_024;
const SECOND_PART = /[ﾞﾟ\u1160-\u11ff]/;

/** The position after the run of such text that begins at a position. */
export function runEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && belongsToRun(classAt(text, at))) at += widthAt(text, at);
  return at;
}

/** Calls `onCharacter` with every character of a run, in normal form. */
export function readCharacters(text: string, from: number, to: number, onCharacter: (character: string) => void): void {
  for (let at = from; at < to; ) {
    let end = Math.min(to, at + PIECE);
    // A mark stays with its letter, also in the half-width form, and a Korean vowel with its consonant.
    while (end < to && end < at + MAX_PIECE && (classAt(text, end) !== UNSPACED || SECOND_PART.test(text[end]!))) end++;
    if (end < to && isSecondHalf(text.charCodeAt(end))) end++;
    readPiece(normalizeChunk(text.slice(at, end)), onCharacter);
    at = end;
  }
}

/** Returns the position after the last character. */
export function emitRun(
  text: string,
  from: number,
  to: number,
  first: number,
  onTerm: (term: string, position: number) => void,
): number {
  let position = first;
  let before = '';
  readCharacters(text, from, to, (character) => {
    if (before !== '') onTerm(before + character, position - 1);
    onTerm(character, position++);
    before = character;
  });
  return position;
}

function readPiece(piece: string, onCharacter: (character: string) => void): void {
  let start = 0;
  for (let at = 0; at < piece.length; ) {
    at += widthAt(piece, at);
    while (at < piece.length && classAt(piece, at) === MARK) at += widthAt(piece, at);
    onCharacter(piece.slice(start, at));
    start = at;
  }
}

function belongsToRun(kind: number): boolean {
  return kind === UNSPACED || kind === MARK || kind === IGNORED;
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
}

function isSecondHalf(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
