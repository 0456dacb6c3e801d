/**
 * Shortens the unchanged parts of very long lines to their ends, for people: a script of a page may be one line of a
 * megabyte in which one word changed. Changed text is never shortened.
 */
import type { DiffPiece } from './piece.ts';

const MAX_SAME_CHARS = 320;
const SHOWN_AT_EITHER_END = 140;
const LEFT_OUT = ' […] ';

export function shortenSame(pieces: readonly DiffPiece[]): DiffPiece[] {
  return pieces.map((piece) =>
    piece.kind !== 'same' || piece.text.length <= MAX_SAME_CHARS
      ? piece
      : { kind: 'same', text: piece.text.split('\n').map(shortenLine).join('\n') },
  );
}

function shortenLine(line: string): string {
  if (line.length <= MAX_SAME_CHARS) return line;
  const head = line.slice(0, wholeBefore(line, SHOWN_AT_EITHER_END));
  const tail = line.slice(wholeBefore(line, line.length - SHOWN_AT_EITHER_END));
  // Cuts at a word boundary if there is one nearby.
  return head.replace(/\s\S{0,30}$/, '') + LEFT_OUT + tail.replace(/^\S{0,30}\s/, '');
}

/** Moves the index so that it does not split a surrogate pair. */
function wholeBefore(line: string, at: number): number {
  const code = line.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
