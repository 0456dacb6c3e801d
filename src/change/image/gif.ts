/** Draws the first frame of a GIF (GIF89a) on a canvas of middle grey. */
import { drawFrame, type GifFrame } from './gif-frame.ts';
import { GreyCells, greyOf, MID_GREY } from './grey-cells.ts';
import { isDrawable, type PictureSize } from './picture-size.ts';

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
