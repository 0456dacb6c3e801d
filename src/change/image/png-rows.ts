/**
 * Reads the rows in the decompressed data of a PNG: undoes the filters (section 9)
 * and separates interlaced passes (section 8.1).
 */
import type { GreyCells } from './grey-cells.ts';
import { bitsAPixel, type PngHead, type RowReader } from './png-pixels.ts';

interface Pass {
  readonly fromX: number;
  readonly fromY: number;
  readonly everyX: number;
  readonly everyY: number;
}

const WHOLE: readonly Pass[] = [{ fromX: 0, fromY: 0, everyX: 1, everyY: 1 }];
const ADAM7: readonly Pass[] = [
  { fromX: 0, fromY: 0, everyX: 8, everyY: 8 },
  { fromX: 4, fromY: 0, everyX: 8, everyY: 8 },
  { fromX: 0, fromY: 4, everyX: 4, everyY: 8 },
  { fromX: 2, fromY: 0, everyX: 4, everyY: 4 },
  { fromX: 0, fromY: 2, everyX: 2, everyY: 4 },
  { fromX: 1, fromY: 0, everyX: 2, everyY: 2 },
  { fromX: 0, fromY: 1, everyX: 1, everyY: 2 },
];

export class PngRows {
  readonly #head: PngHead;
  readonly #read: RowReader;
  readonly #cells: GreyCells;
  readonly #passes: readonly Pass[];
  readonly #pixelBytes: number;
  readonly #grey: Uint8Array;
  /** The current row and the row above. Each begins with the number of its filter. */
  #row: Uint8Array;
  #above: Uint8Array;
  #filled = 0;
  #pass = -1;
  #y = 0;
  #count = 0;
  #rowBytes = 0;

  constructor(head: PngHead, read: RowReader, cells: GreyCells) {
    this.#head = head;
    this.#read = read;
    this.#cells = cells;
    this.#passes = head.isInterlaced ? ADAM7 : WHOLE;
    this.#pixelBytes = Math.max(1, bitsAPixel(head) >> 3);
    this.#grey = new Uint8Array(head.width);
    const most = this.#bytesOf(head.width);
    this.#row = new Uint8Array(most);
    this.#above = new Uint8Array(most);
    this.#nextPass();
  }

  get isWhole(): boolean {
    return this.#pass >= this.#passes.length;
  }

  /** Returns false if a row has an unknown filter. */
  add(piece: Buffer): boolean {
    for (let at = 0; at < piece.length && !this.isWhole; ) {
      const end = Math.min(piece.length, at + this.#rowBytes - this.#filled);
      this.#row.set(piece.subarray(at, end), this.#filled);
      this.#filled += end - at;
      at = end;
      if (this.#filled === this.#rowBytes && !this.#endRow()) return false;
    }
    return true;
  }

  #endRow(): boolean {
    const { fromX, everyX, everyY } = this.#passes[this.#pass]!;
    const row = this.#row;
    if (row[0]! > 4) return false;
    unfilter(row, this.#above, this.#rowBytes, this.#pixelBytes);
    this.#read(row.subarray(1), this.#grey, this.#count);
    this.#cells.addRow(this.#y, this.#grey, this.#count, fromX, everyX);
    this.#row = this.#above;
    this.#above = row;
    this.#filled = 0;
    this.#y += everyY;
    if (this.#y >= this.#head.height) this.#nextPass();
    return true;
  }

  /** A pass of a small picture may have no pixels, and then it has no rows either. */
  #nextPass(): void {
    const { width, height } = this.#head;
    for (this.#pass++; this.#pass < this.#passes.length; this.#pass++) {
      const { fromX, fromY, everyX } = this.#passes[this.#pass]!;
      if (fromX >= width || fromY >= height) continue;
      this.#y = fromY;
      this.#count = Math.ceil((width - fromX) / everyX);
      this.#rowBytes = this.#bytesOf(this.#count);
      this.#above.fill(0);
      return;
    }
  }

  #bytesOf(pixels: number): number {
    return 1 + Math.ceil((pixels * bitsAPixel(this.#head)) / 8);
  }
}

/** `row` begins with the number of its filter. Both rows have `end` bytes. */
function unfilter(row: Uint8Array, above: Uint8Array, end: number, pixelBytes: number): void {
  const firstWithLeft = 1 + pixelBytes;
  switch (row[0]) {
    case 1:
      for (let i = firstWithLeft; i < end; i++) row[i]! += row[i - pixelBytes]!;
      break;
    case 2:
      for (let i = 1; i < end; i++) row[i]! += above[i]!;
      break;
    case 3:
      for (let i = 1; i < end; i++) row[i]! += ((i < firstWithLeft ? 0 : row[i - pixelBytes]!) + above[i]!) >> 1;
      break;
    case 4:
      for (let i = 1; i < Math.min(end, firstWithLeft); i++) row[i]! += above[i]!;
      for (let i = firstWithLeft; i < end; i++) {
        row[i]! += paeth(row[i - pixelBytes]!, above[i]!, above[i - pixelBytes]!);
      }
      break;
  }
}

function paeth(left: number, up: number, upLeft: number): number {
  const toLeft = Math.abs(up - upLeft);
  const toUp = Math.abs(left - upLeft);
  const toUpLeft = Math.abs(left + up - 2 * upLeft);
  if (toLeft <= toUp && toLeft <= toUpLeft) return left;
  return toUp <= toUpLeft ? up : upLeft;
}
