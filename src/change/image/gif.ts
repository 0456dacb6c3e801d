/** Draws the first frame of a GIF (GIF89a) on a canvas of middle grey. */
import { GreyCells, greyOf, isDrawable, MID_GREY, type PictureSize } from './grey-cells.ts';

const HEAD_BYTES = 13;
const MAX_BLOCKS = 1 << 16;
const EXTENSION = 0x21;
const GRAPHIC_CONTROL = 0xf9;
const IMAGE = 0x2c;

export function gifSize(bytes: Buffer): PictureSize | null {
  if (bytes.length < HEAD_BYTES || !/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) return null;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

export function drawGif(bytes: Buffer, side: number): Uint8Array | null {
  const { width, height } = gifSize(bytes)!;
  const frame = firstFrame(bytes);
  if (frame === null || !isDrawable(frame)) return null;
  const cells = new GreyCells(width, height, side);
  const canvasRow = new Uint8Array(width).fill(MID_GREY);
  const shown = Math.max(0, Math.min(frame.width, width - frame.left));
  const isDrawn = drawFrame(bytes, frame, (y, row) => {
    if (frame.top + y < height) {
      canvasRow.set(row.subarray(0, shown), Math.min(frame.left, width));
      cells.addRow(frame.top + y, canvasRow, width);
    }
  });
  if (!isDrawn) return null;
  canvasRow.fill(MID_GREY);
  for (let y = 0; y < height; y++) {
    if (y < frame.top || y >= frame.top + frame.height) cells.addRow(y, canvasRow, width);
  }
  return cells.average();
}

function firstFrame(bytes: Buffer): GifFrame | null {
  let table = tableAt(bytes, HEAD_BYTES, bytes[10]!);
  let clear = -1;
  let at = HEAD_BYTES + table.length;
  for (let blocks = 0; blocks < MAX_BLOCKS && at < bytes.length; blocks++) {
    const kind = bytes[at]!;
    if (kind === IMAGE) {
      if (at + 11 > bytes.length) return null;
      const packed = bytes[at + 9]!;
      const own = tableAt(bytes, at + 10, packed);
      if (own.length > 0) table = own;
      return {
        left: bytes.readUInt16LE(at + 1),
        top: bytes.readUInt16LE(at + 3),
        width: bytes.readUInt16LE(at + 5),
        height: bytes.readUInt16LE(at + 7),
        isInterlaced: (packed & 0x40) !== 0,
        grey: greyTable(table, clear),
        dataAt: at + 10 + own.length,
      };
    }
    if (kind !== EXTENSION) return null;
    if (bytes[at + 1] === GRAPHIC_CONTROL && bytes[at + 2] === 4 && (bytes[at + 3]! & 1) === 1) clear = bytes[at + 6]!;
    at += 2;
    while (at < bytes.length && bytes[at] !== 0) at += 1 + bytes[at]!;
    at++;
  }
  return null;
}

/** The colour table that a flag byte announces, or an empty buffer if it announces none. */
function tableAt(bytes: Buffer, at: number, packed: number): Buffer {
  return (packed & 0x80) === 0 ? bytes.subarray(at, at) : bytes.subarray(at, at + 3 * (2 << (packed & 7)));
}

function greyTable(table: Buffer, clear: number): Uint8Array {
  const grey = new Uint8Array(256);
  for (let i = 0; i < 256; i++) grey[i] = greyOf(table[3 * i] ?? 0, table[3 * i + 1] ?? 0, table[3 * i + 2] ?? 0);
  if (clear >= 0) grey[clear] = MID_GREY;
  return grey;
}

/** Decodes the pixels of one frame of a GIF, row by row: LZW with codes of growing length (GIF89a, appendix F). */

interface GifFrame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly isInterlaced: boolean;
  /** The grey value of each colour. */
  readonly grey: Uint8Array;
  /** Offset of the first byte of the data, which tells the length of the first codes. */
  readonly dataAt: number;
}

const MAX_CODES = 4096;
/** The first row and the step of each pass of an interlaced frame (appendix E). */
const PASSES: readonly (readonly [from: number, every: number])[] = [
  [0, 8],
  [4, 8],
  [2, 4],
  [1, 2],
];
const ONE_PASS: typeof PASSES = [[0, 1]];

/** Calls `onRow` with each row. The array is used again for the next row. Returns whether all rows were decoded. */
function drawFrame(bytes: Buffer, frame: GifFrame, onRow: (y: number, row: Uint8Array) => void): boolean {
  const { width, grey } = frame;
  const row = new Uint8Array(width);
  const rows = rowNumbers(frame);
  let y = rows.next().value;
  let x = 0;
  return unpackCodes(bytes, frame.dataAt, (colour) => {
    row[x++] = grey[colour]!;
    if (x < width) return true;
    onRow(y as number, row);
    x = 0;
    y = rows.next().value;
    return y !== undefined;
  });
}

function* rowNumbers({ height, isInterlaced }: GifFrame): Generator<number, undefined> {
  for (const [from, every] of isInterlaced ? PASSES : ONE_PASS) for (let y = from; y < height; y += every) yield y;
}

/** Passes colours to `onColour` until it returns false. Returns whether that happened before the end of the data. */
function unpackCodes(bytes: Buffer, dataAt: number, onColour: (colour: number) => boolean): boolean {
  const rootBits = bytes[dataAt] ?? 0;
  if (rootBits < 1 || rootBits > 8) return false;
  const clear = 1 << rootBits;
  const end = clear + 1;
  const prefix = new Uint16Array(MAX_CODES);
  const suffix = new Uint8Array(MAX_CODES);
  const stack = new Uint8Array(MAX_CODES);
  for (let colour = 0; colour < clear; colour++) suffix[colour] = colour;
  let codeBits = rootBits + 1;
  let next = end + 1;
  let before = -1;
  let first = 0;
  let buffer = 0;
  let bits = 0;
  let at = dataAt + 1;
  let inBlock = 0;
  for (;;) {
    while (bits < codeBits) {
      if (inBlock === 0) {
        inBlock = bytes[at++] ?? 0;
        if (inBlock === 0) return false;
      }
      if (at >= bytes.length) return false;
      buffer |= bytes[at++]! << bits;
      bits += 8;
      inBlock--;
    }
    const code = buffer & ((1 << codeBits) - 1);
    buffer >>>= codeBits;
    bits -= codeBits;
    if (code === clear) {
      codeBits = rootBits + 1;
      next = end + 1;
      before = -1;
      continue;
    }
    if (code === end || code > next || (code === next && before < 0) || (before < 0 && code > end)) return false;
    // A code that is just being defined stands for the previous string followed by the first colour of that string.
    let depth = 0;
    let walk = code;
    if (code === next) {
      stack[depth++] = first;
      walk = before;
    }
    for (; walk > end; walk = prefix[walk]!) stack[depth++] = suffix[walk]!;
    first = suffix[walk]!;
    stack[depth++] = first;
    while (depth > 0) if (!onColour(stack[--depth]!)) return true;
    if (before >= 0 && next < MAX_CODES) {
      prefix[next] = before;
      suffix[next] = first;
      next++;
      if (next === 1 << codeBits && codeBits < 12) codeBits++;
    }
    before = code;
  }
}
