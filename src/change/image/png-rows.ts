/**
 * Reads the rows in the decompressed data of a PNG: undoes the filters (section 9), separates interlaced passes
 * (section 8.1), and turns rows into grey pixels, for each of the colour types (section 6.1). Of samples with 16 bits,
 * the higher 8 bits are used.
 */
import { type GreyCells, greyOf, overMidGrey, type PictureSize } from './grey-cells.ts';

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

  constructor(head: PngHead, cells: GreyCells) {
    this.#head = head;
    this.#read = rowReaderFor(head);
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

export interface PngHead extends PictureSize {
  readonly depth: number;
  readonly colourType: number;
  readonly isInterlaced: boolean;
  readonly palette: Buffer;
  readonly transparency: Buffer;
}

/** Writes the first `count` pixels of `row` to `grey`. */
type RowReader = (row: Uint8Array, grey: Uint8Array, count: number) => void;

const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

export function bitsAPixel({ colourType, depth }: PngHead): number {
  return SAMPLES[colourType]! * depth;
}

function rowReaderFor(head: PngHead): RowReader {
  switch (head.colourType) {
    case 2:
    case 6:
      return coloured(head);
    case 4:
      return greyWithAlpha(head);
    default:
      return head.depth === 16 ? deepGrey(head) : looked(head.depth, tableOf(head));
  }
}

/** The grey value of each sample value, for a palette or for grey itself. */
function tableOf({ colourType, depth, palette, transparency }: PngHead): Uint8Array {
  const table = new Uint8Array(256);
  const last = (1 << depth) - 1;
  for (let value = 0; value <= last; value++) {
    if (colourType === 3) {
      const [red = 0, green = 0, blue = 0] = palette.subarray(value * 3, value * 3 + 3);
      table[value] = overMidGrey(greyOf(red, green, blue), transparency[value] ?? 255);
    } else {
      const isClear = transparency.length >= 2 && transparency.readUInt16BE(0) === value;
      table[value] = overMidGrey(Math.round((value * 255) / last), isClear ? 0 : 255);
    }
  }
  return table;
}

/** Reads samples of up to 8 bits. The first sample is in the highest bits of a byte. */
function looked(depth: number, table: Uint8Array): RowReader {
  if (depth === 8) {
    return (row, grey, count) => {
      for (let i = 0; i < count; i++) grey[i] = table[row[i]!]!;
    };
  }
  const mask = (1 << depth) - 1;
  return (row, grey, count) => {
    for (let i = 0, bit = 0; i < count; i++, bit += depth) {
      grey[i] = table[(row[bit >> 3]! >> (8 - depth - (bit & 7))) & mask]!;
    }
  };
}

function deepGrey({ transparency }: PngHead): RowReader {
  const clear = transparency.length >= 2 ? transparency.readUInt16BE(0) : -1;
  return (row, grey, count) => {
    for (let i = 0, at = 0; i < count; i++, at += 2) {
      const isClear = ((row[at]! << 8) | row[at + 1]!) === clear;
      grey[i] = isClear ? overMidGrey(0, 0) : row[at]!;
    }
  };
}

function greyWithAlpha({ depth }: PngHead): RowReader {
  const bytes = depth / 8;
  return (row, grey, count) => {
    for (let i = 0, at = 0; i < count; i++, at += 2 * bytes) grey[i] = overMidGrey(row[at]!, row[at + bytes]!);
  };
}

function coloured({ colourType, depth, transparency }: PngHead): RowReader {
  const bytes = depth / 8;
  const pixelBytes = SAMPLES[colourType]! * bytes;
  const hasAlpha = colourType === 6;
  const clear = !hasAlpha && transparency.length >= 6 ? transparency.subarray(0, 6) : null;
  const isClear = (row: Uint8Array, at: number): boolean => {
    for (let sample = 0; sample < 3; sample++) {
      const high = bytes === 2 ? row[at + 2 * sample] : 0;
      const low = row[at + bytes * (sample + 1) - 1];
      if (high !== clear![2 * sample] || low !== clear![2 * sample + 1]) return false;
    }
    return true;
  };
  return (row, grey, count) => {
    for (let i = 0, at = 0; i < count; i++, at += pixelBytes) {
      const value = greyOf(row[at]!, row[at + bytes]!, row[at + 2 * bytes]!);
      if (hasAlpha) grey[i] = overMidGrey(value, row[at + 3 * bytes]!);
      else grey[i] = clear !== null && isClear(row, at) ? overMidGrey(0, 0) : value;
    }
  };
}
