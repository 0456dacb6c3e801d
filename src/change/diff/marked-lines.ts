/**
 * Formats hunks as lines of text with marks around removed and added text. A mark never spans a line
 * break, so that each line can be read alone and a pager cannot lose a colour. A removed or added
 * line break with nothing before it shows as ¶.
 */
import { type DiffHunk, piecesOf } from './hunks.ts';
import type { DiffPiece } from './piece.ts';
import { shortenSame } from './shorten.ts';

export interface Marks {
  readonly removed: readonly [before: string, after: string];
  readonly added: readonly [before: string, after: string];
  readonly place: readonly [before: string, after: string];
}

const BREAK_SIGN = '¶';

export function markedLines(hunks: readonly DiffHunk[], marks: Marks): string {
  const texts = hunks.map((hunk) => {
    const shown = shortenSame(piecesOf(hunk))
      .map((piece) => markedPiece(piece, marks))
      .join('');
    return `${marks.place[0]}line ${hunk.newLine}${marks.place[1]}\n${shown}${shown.endsWith('\n') ? '' : '\n'}`;
  });
  return texts.join('\n');
}

function markedPiece({ kind, text }: DiffPiece, marks: Marks): string {
  if (kind === 'same') return text;
  const [before, after] = marks[kind];
  const lines = text.split('\n');
  return lines
    .map((line, i) => {
      const isBroken = i < lines.length - 1;
      if (line === '' && !isBroken) return '';
      return `${before}${line === '' ? BREAK_SIGN : line}${after}${isBroken ? '\n' : ''}`;
    })
    .join('');
}
