/**
 * Turns rows of a PNG into grey pixels, for each of its colour types (section 6.1). Of
 * samples with 16 bits, the higher 8 bits are used.
 */
import { greyOf, overMidGrey } from './grey-cells.ts';
import type { PictureSize } from './picture-size.ts';

export interface PngHead extends PictureSize {
  readonly depth: number;
  readonly colourType: number;
  readonly isInterlaced: boolean;
  readonly palette: Buffer;
  readonly transparency: Buffer;
}

/** Writes the first `count` pixels of `row` to `grey`. */
export type RowReader = (row: Uint8Array, grey: Uint8Array, count: number) => void;

const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

export function bitsAPixel({ colourType, depth }: PngHead): number {
  return SAMPLES[colourType]! * depth;
}

export function rowReaderFor(head: PngHead): RowReader {
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
