/**
 * Formats hunks in colour: removed text is red and struck through, added text is green and underlined, so that
 * nobody has to distinguish red from green. The caller must remove control characters from the text first,
 * because a terminal would obey ECMA-48 sequences.
 */
import { type DiffHunk, piecesOf } from './hunks.ts';
import { type DiffPiece, shortenSame } from './piece.ts';

const PLAIN = '\x1b[0m';

export function asTerminal(hunks: readonly DiffHunk[]): string {
  return markedLines(hunks, {
    removed: ['\x1b[31;9m', PLAIN],
    added: ['\x1b[32;4m', PLAIN],
    place: ['\x1b[2m── ', ` ──${PLAIN}`],
  });
}

/** Formats hunks as plain text, `[-removed-]{+added+}`, for files, pipes and terminals without colours. */
export function asPlain(hunks: readonly DiffHunk[]): string {
  return markedLines(hunks, { removed: ['[-', '-]'], added: ['{+', '+}'], place: ['@@ ', ' @@'] });
}

/**
 * Formats hunks as lines of text with marks around removed and added text. A mark never spans a line
 * break, so that each line can be read alone and a pager cannot lose a colour. A removed or added
 * line break with nothing before it shows as ¶.
 */
interface Marks {
  readonly removed: readonly [before: string, after: string];
  readonly added: readonly [before: string, after: string];
  readonly place: readonly [before: string, after: string];
}

const BREAK_SIGN = '¶';

function markedLines(hunks: readonly DiffHunk[], marks: Marks): string {
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
