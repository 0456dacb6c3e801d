/**
 * Joins letters with accents that old fonts draw as characters of their own. In: a text, or two pieces of a page. Out:
 * letters with combining accents, composed where Unicode has such a letter.
 */
import type { Piece } from './page-blocks.ts';

/** The accents with their combining characters. */
const COMBINING: ReadonlyMap<string, string> = new Map([
  ['¨', '\u0308'],
  ['¯', '\u0304'],
  ['´', '\u0301'],
  ['¸', '\u0327'],
  ['ˆ', '\u0302'],
  ['ˇ', '\u030c'],
  ['˘', '\u0306'],
  ['˙', '\u0307'],
  ['˚', '\u030a'],
  ['˜', '\u0303'],
  ['˝', '\u030b'],
]);
const ACCENTED = /([¨¯´¸ˆˇ˘˙˚˜˝]) ?(\p{L})/gu;
const STARTS_WITH_LETTER = /^\p{L}/u;

/** In a line, an accent before a letter belongs to it if they make one letter. */
export function withAccents(text: string): string {
  return text.replace(ACCENTED, (written, accent: string, letter: string) => {
    const one = (letter + COMBINING.get(accent)!).normalize('NFC');
    return one.length === 1 ? one : written;
  });
}

/** A formula draws an accent first, and then the letter below it. */
export function isAccentOf(accent: Piece, piece: Piece): boolean {
  if (!COMBINING.has(accent.text) || !STARTS_WITH_LETTER.test(piece.text)) return false;
  const isInLine = Math.abs(accent.base - piece.base) < piece.size;
  return isInLine && accent.left < piece.left + piece.size && accent.right > piece.left;
}

/** Puts an accent on the first letter of a text. */
export function accented(text: string, accent: string): string {
  const letter = String.fromCodePoint(text.codePointAt(0)!);
  return (letter + COMBINING.get(accent)!).normalize('NFC') + text.slice(letter.length);
}
