/**
 * Divides a PDF page at the white space between columns of prose. In: pieces of text. Out: a function that says in
 * which region a point is. The regions are numbered in reading order: above the columns, left, right, below. The
 * columns of a table are no regions, because a table is read row by row, and its texts are shorter.
 *
 * What always holds: the work is limited; a page that needs more is one region.
 */
import type { Piece } from './page-blocks.ts';

type RegionOf = (x: number, y: number) => number;

/** White space from one base line to another. */
interface Gutter {
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
}

/** The gutter is looked for at vertical lines with this distance. */
const STEP = 3;
const MAX_LINES = 1_000;
const MAX_STEPS = 1_000_000;
const MAX_DEPTH = 5;
/** A row has fewer pieces. */
const ROW_PIECES = 100;
/** The shortest column has this many lines. */
const MIN_LINES = 8;
/** A gutter is not in the outer part of a page. */
const MARGIN = 0.15;
/** Most texts end before a gutter. */
const MOST = 0.5;
/** The texts of two columns have about the same width. A list has narrow labels and wide texts. */
const SIMILAR = 0.6;
/** Lines of prose have this share of the width of their column. */
const FULL = 0.85;
// All of these are multiples of the size of the font.
const MIN_GUTTER = 0.7;
const MIN_WIDTH = 10;
const WITHIN_TEXT = 1;
/** A text spans two columns if it reaches this far into both. */
const SPANNED = 4;
const WITHIN_LINE = 0.4;
/** A line at the end of the columns with more space is a header or a footer of the page. */
const NEXT_LINE = 2.2;
/** Before a text that does not span both columns, they end at more space than this. */
const END_SPACE = 1.4;

interface Work {
  steps: number;
  regions: number;
}

export function findRegions(pieces: readonly Piece[]): RegionOf {
  const sorted = pieces.toSorted((a, b) => a.base - b.base);
  return divide(sorted, 0, { steps: 0, regions: 0 });
}

function divide(pieces: readonly Piece[], depth: number, work: Work): RegionOf {
  const gutter = depth < MAX_DEPTH ? findGutter(pieces, work) : null;
  if (gutter === null) {
    const region = work.regions++;
    return () => region;
  }
  const isBeside = ({ base }: Piece): boolean => base >= gutter.top && base <= gutter.bottom;
  const part = (isWanted: (piece: Piece) => boolean) => divide(pieces.filter(isWanted), depth + 1, work);
  const above = part(({ base }) => base < gutter.top);
  const left = part((piece) => isBeside(piece) && piece.left < gutter.x);
  const right = part((piece) => isBeside(piece) && piece.left >= gutter.x);
  const below = part(({ base }) => base > gutter.bottom);
  return (x, y) => {
    if (y < gutter.top) return above(x, y);
    if (y > gutter.bottom) return below(x, y);
    return x < gutter.x ? left(x, y) : right(x, y);
  };
}

/** The gutter with the most lines beside it. */
function findGutter(pieces: readonly Piece[], work: Work): Gutter | null {
  if (pieces.length < 2 * MIN_LINES) return null;
  let best: (Gutter & { lines: number }) | null = null;
  const seen = new Set<string>();
  for (const x of gapsOf(pieces)) {
    work.steps += pieces.length;
    if (work.steps > MAX_STEPS) return null;
    for (let from = 0; from < pieces.length; ) {
      let to = from;
      let onLeft = 0;
      for (; to < pieces.length && !isAcross(pieces[to]!, x); to++) if (pieces[to]!.left < x) onLeft++;
      const name = `${from} ${to} ${onLeft}`;
      if (Math.min(onLeft, to - from - onLeft) >= MIN_LINES && !seen.has(name)) {
        seen.add(name);
        const isWhole = endsAt(pieces, from - 1, from, x) && endsAt(pieces, to, to - 1, x);
        work.steps += to - from;
        const found = isWhole ? gutterBetween(pieces.slice(from, to), x) : null;
        if (found !== null && found.lines > (best?.lines ?? 0)) best = found;
      }
      from = to + 1;
    }
  }
  return best;
}

function isAcross(piece: Piece, x: number): boolean {
  return piece.left < x && piece.right > x;
}

/**
 * Columns end at the end of the page, at a text that spans both, or at wide space. A long line of one column that
 * reaches across the gutter does not end them.
 */
function endsAt(pieces: readonly Piece[], across: number, inside: number, x: number): boolean {
  const piece = pieces[across];
  if (piece === undefined) return true;
  const { base, size } = piece;
  if (Math.abs(base - pieces[inside]!.base) > END_SPACE * size) return true;
  const row = pieces.slice(Math.max(0, across - ROW_PIECES), across + ROW_PIECES).filter((other) => {
    return Math.abs(other.base - base) < WITHIN_LINE * size;
  });
  const before = joined([piece, ...row.filter((other) => other.left < piece.left).sort((a, b) => b.right - a.right)])!;
  const after = joined([piece, ...row.filter((other) => other.left > piece.left).sort((a, b) => a.left - b.left)])!;
  return before.left < x - SPANNED * size && after.right > x + SPANNED * size;
}

/** The vertical lines that fewer texts cross than elsewhere. */
function gapsOf(pieces: readonly Piece[]): number[] {
  const left = pieces.reduce((least, piece) => Math.min(least, piece.left), Infinity);
  const right = pieces.reduce((most, piece) => Math.max(most, piece.right), -Infinity);
  const lines = Math.min(Math.floor((right - left) / STEP), MAX_LINES);
  const changes = new Float64Array(lines + 2);
  for (const piece of pieces) {
    const [from, to] = [piece.left, piece.right].map((x) => Math.min(lines, Math.ceil((x - left) / STEP)));
    changes[from!]!++;
    changes[Math.max(from!, to!)]!--;
  }
  // Sums up the changes: the number of pieces that cross each line.
  const crossed = changes;
  for (let line = 1; line <= lines; line++) crossed[line]! += crossed[line - 1]!;
  const most = crossed.reduce((a, b) => Math.max(a, b), 0);
  const gaps: number[] = [];
  for (let line = Math.ceil(MARGIN * lines); line < (1 - MARGIN) * lines; line++) {
    if (crossed[line]! < MOST * most) gaps.push(left + line * STEP);
  }
  return gaps;
}

/** Checks that two columns of prose stand on both sides of a line that no piece crosses. */
function gutterBetween(pieces: readonly Piece[], x: number): (Gutter & { lines: number }) | null {
  const rows = rowsOf(pieces, x);
  while (isApart(rows[0], rows[1])) rows.shift();
  while (isApart(rows.at(-2), rows.at(-1))) rows.pop();
  const left = rows.flatMap((row) => row.left ?? []);
  const right = rows.flatMap((row) => row.right ?? []);
  if (left.length < MIN_LINES || right.length < MIN_LINES) return null;
  const [leftWidth, rightWidth] = [medianOf(left.map(widthOf)), medianOf(right.map(widthOf))];
  const size = medianOf([...left, ...right].map((text) => text.size));
  const space = Math.min(...right.map((text) => text.left)) - Math.max(...left.map((text) => text.right));
  if (space < MIN_GUTTER * size || Math.min(leftWidth, rightWidth) < MIN_WIDTH * size) return null;
  if (Math.min(leftWidth, rightWidth) < SIMILAR * Math.max(leftWidth, rightWidth)) return null;
  const both = rows.filter((row) => row.left !== null && row.right !== null).length;
  const isTable = both > MOST * Math.min(left.length, right.length) && !(isFull(left) && isFull(right));
  if (isTable) return null;
  // The columns stand beside each other, and not one below the other.
  const beside = Math.min(left.at(-1)!.base, right.at(-1)!.base) - Math.max(left[0]!.base, right[0]!.base);
  const shorter = Math.min(left.at(-1)!.base - left[0]!.base, right.at(-1)!.base - right[0]!.base);
  if (beside < MOST * shorter) return null;
  return { x, top: rows[0]!.base, bottom: rows.at(-1)!.lowest, lines: Math.min(left.length, right.length) };
}

/** The text next to the gutter on one side of a row. */
interface Text {
  left: number;
  right: number;
  readonly base: number;
  size: number;
}

interface Row {
  readonly base: number;
  lowest: number;
  readonly size: number;
  left: Text | null;
  right: Text | null;
}

/** The rows of a page. Their texts reach from the gutter to the next wide gap. */
function rowsOf(pieces: readonly Piece[], x: number): Row[] {
  const rows: { first: Piece; pieces: Piece[] }[] = [];
  for (const piece of pieces) {
    const last = rows.at(-1);
    if (last === undefined || piece.base - last.first.base > WITHIN_LINE * Math.max(piece.size, last.first.size)) {
      rows.push({ first: piece, pieces: [piece] });
    } else {
      last.pieces.push(piece);
    }
  }
  return rows.map(({ first, pieces: row }) => {
    const left = row.filter((piece) => piece.left < x).sort((a, b) => b.right - a.right);
    const right = row.filter((piece) => piece.left >= x).sort((a, b) => a.left - b.left);
    const lowest = row.at(-1)!.base;
    return { base: first.base, lowest, size: first.size, left: joined(left), right: joined(right) };
  });
}

function joined(pieces: readonly Piece[]): Text | null {
  if (pieces.length === 0) return null;
  const { left, right, base, size } = pieces[0]!;
  const text: Text = { left, right, base, size };
  for (const piece of pieces) {
    if (piece.left > text.right + WITHIN_TEXT * size || piece.right < text.left - WITHIN_TEXT * size) break;
    text.left = Math.min(text.left, piece.left);
    text.right = Math.max(text.right, piece.right);
  }
  return text;
}

/** Most lines of prose are as wide as their column. */
function isFull(lines: readonly Text[]): boolean {
  const width = Math.max(...lines.map((text) => text.right)) - Math.min(...lines.map((text) => text.left));
  return lines.filter((text) => widthOf(text) > FULL * width).length > MOST * lines.length;
}

function isApart(upper: Row | undefined, lower: Row | undefined): boolean {
  return (
    upper !== undefined &&
    lower !== undefined &&
    lower.base - upper.lowest > NEXT_LINE * Math.max(upper.size, lower.size)
  );
}

function widthOf({ left, right }: Text): number {
  return right - left;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
