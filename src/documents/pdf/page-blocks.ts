/**
 * Finds the blocks of a PDF page: paragraphs, columns and cells. In: pieces of text with their places, of one
 * direction. Out: blocks of pieces. A block grows from its first piece by the pieces above, below and beside it, until
 * the space around it is as wide as between two columns (the method and the limits of pdftotext).
 *
 * What always holds: the work is limited; a page that needs more has no blocks.
 */

/** A piece of text in a frame in which it runs from left to right, and y grows from top to bottom. */
export interface Piece {
  readonly text: string;
  readonly isRightToLeft: boolean;
  readonly left: number;
  readonly right: number;
  readonly base: number;
  readonly size: number;
  /** Its place in the order in which the page draws the pieces. */
  readonly at: number;
  /** A space was drawn before it. */
  readonly afterSpace: boolean;
}

export interface Block {
  readonly pieces: Piece[];
  left: number;
  right: number;
  top: number;
  bottom: number;
}

// All of these are multiples of the size of the font.
const LINE_SPACING = 1.5;
const WITHIN_LINE = 0.5;
const NEAR = 0.7;
const COLUMN_GAP = 1;
const NEAR_EXPONENT = 0.3;
const SIZE_OF_NEXT_LINE = 0.05;
const SIZE_OF_OVERLAP = 0.6;
const SIZE_OF_NEIGHBOUR = 0.2;
/** More rows of neighbours are a column of their own. */
const FEW_ROWS = 3;
const ASCENT = 0.72;
const DESCENT = 0.2;
/** A page of a newspaper needs a tenth of this. */
const MAX_STEPS = 3_000_000;

/** Returns null if the page needs too much work. */
export function findBlocks(pieces: readonly Piece[]): Block[] | null {
  const waiting = new WaitingPieces(pieces);
  const blocks: Block[] = [];
  for (let first = waiting.first(); first !== null; first = waiting.first()) {
    blocks.push(growFrom(baseOf(first, waiting), waiting));
    if (waiting.steps > MAX_STEPS) return null;
  }
  return blocks;
}

/**
 * The exponents of a line are above its other pieces. A block that began with an exponent would be too small for the
 * line, so it begins with the larger piece beside the exponent.
 */
function baseOf(first: Piece, waiting: WaitingPieces): Piece {
  const { base, left, right, size } = first;
  let larger = first;
  for (const piece of waiting.between(base, base + size)) {
    const isBeside = piece.left < right + NEAR_EXPONENT * size && piece.right > left - NEAR_EXPONENT * size;
    const isLower = piece.base - base < WITHIN_LINE * piece.size;
    if (isBeside && isLower && piece.size > (1 + SIZE_OF_NEXT_LINE) * larger.size) larger = piece;
  }
  return larger;
}

function growFrom(first: Piece, waiting: WaitingPieces): Block {
  const { size } = first;
  const block: Block = { pieces: [], left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  let [highest, lowest] = [first.base, first.base];
  const add = (piece: Piece): void => {
    block.pieces.push(piece);
    block.left = Math.min(block.left, piece.left);
    block.right = Math.max(block.right, piece.right);
    block.top = Math.min(block.top, piece.base - ASCENT * piece.size);
    block.bottom = Math.max(block.bottom, piece.base + DESCENT * piece.size);
    highest = Math.min(highest, piece.base);
    lowest = Math.max(lowest, piece.base);
  };
  const isSize = (piece: Piece, share: number): boolean => Math.abs(piece.size - size) < share * size;
  const overlaps = (piece: Piece, near: number): boolean =>
    piece.left < block.right + near * size && piece.right > block.left - near * size;
  waiting.take(first.base, first.base, (piece) => piece === first, add);
  for (let before = 0; before < block.pieces.length && waiting.steps <= MAX_STEPS; ) {
    before = block.pieces.length;
    const isNextLine = (piece: Piece): boolean => overlaps(piece, 0) && isSize(piece, SIZE_OF_NEXT_LINE);
    waiting.take(highest - LINE_SPACING * size, highest, isNextLine, add);
    waiting.take(lowest, lowest + LINE_SPACING * size, isNextLine, add);
    const [from, to] = [highest - WITHIN_LINE * size, lowest + WITHIN_LINE * size];
    waiting.take(from, to, (piece) => overlaps(piece, NEAR) && isSize(piece, SIZE_OF_OVERLAP), add);
    if (block.pieces.length > before) continue;
    for (const isBeside of [isLeft, isRight]) {
      const isNeighbour = (piece: Piece): boolean => isBeside(piece, block, size) && isSize(piece, SIZE_OF_NEIGHBOUR);
      const rows = waiting.rows(from, to, isNeighbour);
      if (rows > 0 && rows <= FEW_ROWS) waiting.take(from, to, isNeighbour, add);
    }
  }
  return block;
}

function isLeft(piece: Piece, { left }: Block, size: number): boolean {
  return piece.right <= left && piece.right > left - COLUMN_GAP * size;
}

function isRight(piece: Piece, { right }: Block, size: number): boolean {
  return piece.left >= right && piece.left < right + COLUMN_GAP * size;
}

/** The pieces that belong to no block yet, in rows by their base line. */
class WaitingPieces {
  readonly #rows = new Map<number, Piece[]>();
  readonly #order: number[];
  #firstRow = 0;
  steps = 0;

  constructor(pieces: readonly Piece[]) {
    for (const piece of pieces) {
      const row = rowOf(piece.base);
      const found = this.#rows.get(row);
      if (found === undefined) this.#rows.set(row, [piece]);
      else found.push(piece);
    }
    this.#order = [...this.#rows.keys()].sort((a, b) => a - b);
    for (const row of this.#rows.values()) row.sort((a, b) => a.base - b.base || a.left - b.left);
  }

  first(): Piece | null {
    while (this.#firstRow < this.#order.length) {
      const first = this.#rows.get(this.#order[this.#firstRow]!)![0];
      if (first !== undefined) return first;
      this.#firstRow++;
    }
    return null;
  }

  *between(from: number, to: number): Generator<Piece> {
    for (let row = rowOf(from); row <= rowOf(to); row++) {
      const pieces = this.#rows.get(row) ?? [];
      this.steps += 1 + pieces.length;
      for (const piece of pieces) if (piece.base >= from && piece.base <= to) yield piece;
    }
  }

  take(from: number, to: number, isWanted: (piece: Piece) => boolean, add: (piece: Piece) => void): void {
    for (let row = rowOf(from); row <= rowOf(to); row++) {
      const pieces = this.#rows.get(row);
      this.steps += 1 + (pieces?.length ?? 0);
      if (pieces === undefined || pieces.length === 0) continue;
      let kept = 0;
      for (const piece of pieces) {
        if (piece.base >= from && piece.base <= to && isWanted(piece)) add(piece);
        else pieces[kept++] = piece;
      }
      pieces.length = kept;
    }
  }

  /** The number of rows that have a wanted piece. */
  rows(from: number, to: number, isWanted: (piece: Piece) => boolean): number {
    let rows = 0;
    for (let row = rowOf(from); row <= rowOf(to); row++) {
      const pieces = this.#rows.get(row);
      this.steps += 1 + (pieces?.length ?? 0);
      if (pieces?.some((piece) => piece.base >= from && piece.base <= to && isWanted(piece))) rows++;
    }
    return rows;
  }
}

const ROW_HEIGHT = 4;

function rowOf(base: number): number {
  return Math.floor(base / ROW_HEIGHT);
}
