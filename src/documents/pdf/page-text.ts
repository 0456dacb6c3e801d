/**
 * The text of one PDF page. In: the text items of the page, in the order in which the page draws them. Out: lines of
 * text in reading order. A word that is hyphenated at the end of a line is joined again, so that a search finds it.
 */
import { accented, isAccentOf, withAccents } from './accents.ts';
import { orderBlocks } from './block-order.ts';
import { type Block, findBlocks, type Piece } from './page-blocks.ts';
import { findRegions } from './page-regions.ts';

/** The parts of a text item of pdf.js that the text needs. */
export interface TextItem {
  readonly str: string;
  readonly dir: string;
  readonly width: number;
  readonly hasEOL: boolean;
  /** The place and the size of the text (ISO 32000-1, 8.3.4). */
  readonly transform: readonly number[];
}

/** A page with more pieces is read in the order in which it is drawn. */
const MAX_PIECES = 20_000;
/** Two pieces are on one line if their base lines differ by less than this share of the size. */
const WITHIN_LINE = 0.5;
/** A gap of this share of the size is a space. */
const SPACE = 0.1;
/** After an index or an exponent, a smaller gap is a space. Otherwise the variables of a formula are one word. */
const SPACE_AFTER_INDEX = 0.04;
/** Texts that overlap by more than this share are words of their own: an index below an exponent, or a shadow. */
const OVERLAP = 0.5;
/** Sizes and base lines that differ by less than this share of the size are equal. */
const SAME = 0.05;

export function textOfItems(items: readonly TextItem[]): string {
  const lines = items.length > MAX_PIECES ? null : linesInOrder(items);
  return joinLines(lines ?? linesAsDrawn(items));
}

/**
 * Each direction of writing has its own blocks. They are put in order together, as somebody sees the page who reads its
 * most frequent direction. Null if the page needs too much work.
 */
function linesInOrder(items: readonly TextItem[]): string[] | null {
  const [main, ...others] = [...Map.groupBy(piecesOf(items), ({ turn }) => turn)].sort(
    ([, a], [, b]) => b.length - a.length,
  );
  if (main === undefined) return [];
  const [mainTurn, mainPieces] = main;
  const regionOf = findRegions(mainPieces);
  const regions: Block[][] = [];
  for (const [region, pieces] of Map.groupBy(mainPieces, ({ left, base }) => regionOf(left, base))) {
    const blocks = findBlocks(pieces);
    if (blocks === null) return null;
    regions[region] = blocks;
  }
  for (const [turn, pieces] of others) {
    const blocks = findBlocks(pieces);
    if (blocks === null) return null;
    for (const block of blocks) {
      turnArea(block, (mainTurn - turn) & 3);
      const region = regionOf((block.left + block.right) / 2, (block.top + block.bottom) / 2);
      regions[region] ??= [];
      regions[region].push(block);
    }
  }
  // A region without pieces has no blocks, and `flatMap` leaves it out.
  return regions.flatMap((blocks) => orderBlocks(blocks).flatMap(linesOf));
}

/** Moves the area of a block to a frame that is turned by quarters. Its pieces keep their own frame. */
function turnArea(block: Block, quarters: number): void {
  for (let turned = 0; turned < quarters; turned++) {
    const { left, right, top, bottom } = block;
    [block.left, block.right, block.top, block.bottom] = [-bottom, -top, left, right];
  }
}

function piecesOf(items: readonly TextItem[]): (Piece & { turn: number })[] {
  const pieces: (Piece & { turn: number })[] = [];
  let afterSpace = false;
  for (const [at, { str, dir, width, transform }] of items.entries()) {
    const text = str.trim();
    if (text === '') {
      afterSpace ||= str !== '';
      continue;
    }
    const [a, b, c, d, x, y] = transform as [number, number, number, number, number, number];
    const turn = Math.round((2 * Math.atan2(b, a)) / Math.PI) & 3;
    // Turned so that the text runs from left to right. The vertical axis of PDF points up.
    const [left, base] = [
      [x, -y],
      [y, x],
      [-x, y],
      [-y, -x],
    ][turn] as [number, number];
    const size = Math.hypot(c, d) || 1;
    afterSpace ||= str.startsWith(' ');
    const piece = { text, isRightToLeft: dir === 'rtl', left, right: left + width, base, size, at, afterSpace, turn };
    const accent = pieces.at(-1);
    if (accent?.turn === turn && isAccentOf(accent, piece)) {
      pieces[pieces.length - 1] = { ...piece, text: accented(text, accent.text), afterSpace: accent.afterSpace };
    } else {
      pieces.push(piece);
    }
    afterSpace = str.endsWith(' ');
  }
  return pieces;
}

function linesOf({ pieces }: Block): string[] {
  pieces.sort((a, b) => a.base - b.base || a.left - b.left);
  const lines: string[] = [];
  let line: Piece[] = [];
  let first: Piece | null = null;
  for (const piece of pieces) {
    if (first !== null && piece.base - first.base > WITHIN_LINE * Math.max(first.size, piece.size)) {
      lines.push(textOfLine(line));
      line = [];
      first = null;
    }
    line.push(piece);
    if (first === null || piece.size > first.size) first = piece;
  }
  if (line.length > 0) lines.push(textOfLine(line));
  return lines;
}

function textOfLine(line: Piece[]): string {
  const rightToLeft = line.reduce(
    (sum, { text, isRightToLeft }) => sum + (isRightToLeft ? text.length : -text.length),
    0,
  );
  line.sort(rightToLeft > 0 ? (a, b) => b.right - a.right : (a, b) => a.left - b.left);
  let text = '';
  let before: Piece | null = null;
  for (const piece of line) {
    if (before !== null && isSpaceBetween(before, piece)) text += ' ';
    text += piece.text;
    before = piece;
  }
  return text;
}

function isSpaceBetween(before: Piece, piece: Piece): boolean {
  if (piece.afterSpace) return true;
  const size = Math.max(before.size, piece.size);
  const isSameFont =
    Math.abs(before.size - piece.size) < SAME * size && Math.abs(before.base - piece.base) < SAME * size;
  const gap = Math.max(piece.left - before.right, before.left - piece.right);
  return gap > (isSameFont ? SPACE : SPACE_AFTER_INDEX) * size || gap < -OVERLAP * size;
}

function linesAsDrawn(items: readonly TextItem[]): string[] {
  const lines: string[] = [];
  let line = '';
  for (const { str, hasEOL } of items) {
    line += str;
    if (!hasEOL) continue;
    lines.push(line);
    line = '';
  }
  return [...lines, line];
}

const SOFT_HYPHEN = '\u00ad';
/** A letter and a hyphen at the end of a line. */
const HYPHENATED = /\p{L}[-\u00ad\u2010]$/u;
const STARTS_LOWER = /^\p{Ll}/u;

function joinLines(written: readonly string[]): string {
  const lines: string[] = [];
  for (const one of written) {
    const text = withAccents(one.trim());
    if (text === '') continue;
    const before = lines.at(-1);
    if (before !== undefined && HYPHENATED.test(before.slice(-3)) && STARTS_LOWER.test(text)) {
      // Only the first word moves up, so that the lines keep their length.
      const space = text.indexOf(' ');
      lines[lines.length - 1] = before.slice(0, -1) + (space < 0 ? text : text.slice(0, space));
      if (space > 0) lines.push(text.slice(space + 1).trimStart());
    } else {
      lines.push(text);
    }
  }
  return lines.join('\n').replaceAll(SOFT_HYPHEN, '');
}
