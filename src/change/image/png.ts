/**
 * Draws a PNG (W3C PNG, third edition). The chunks are listed first. Then the pixel data is decompressed in pieces, and
 * each row is added to the cells as soon as it is complete.
 *
 * Only the checksum of the decompressed data is checked, by zlib. A wrong checksum at the very end does no harm.
 */
import { createInflate } from 'node:zlib';
import { GreyCells, type PictureSize } from './grey-cells.ts';
import { bitsAPixel, type PngHead, PngRows } from './png-rows.ts';

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const HEAD_BYTES = 33;
const MAX_CHUNKS = 1 << 16;
/** 16 million pixels of four bytes. Undoing their filters takes one second of CPU time. */
const MAX_UNPACKED_BYTES = 1 << 26;
/** The numbers of bits per sample that each colour type may have (table 12). */
const DEPTHS: ReadonlyMap<number, readonly number[]> = new Map([
  [0, [1, 2, 4, 8, 16]],
  [2, [8, 16]],
  [3, [1, 2, 4, 8]],
  [4, [8, 16]],
  [6, [8, 16]],
]);

export function pngSize(bytes: Buffer): PictureSize | null {
  if (bytes.length < HEAD_BYTES || !SIGNATURE.equals(bytes.subarray(0, SIGNATURE.length))) return null;
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return null;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

export async function drawPng(bytes: Buffer, side: number): Promise<Uint8Array | null> {
  const { head, data } = chunksOf(bytes);
  const { width, height, depth, colourType } = head;
  if (!DEPTHS.get(colourType)?.includes(depth)) return null;
  if ((width * height * bitsAPixel(head)) / 8 > MAX_UNPACKED_BYTES) return null;
  if (bytes[26] !== 0 || bytes[27] !== 0 || bytes[28]! > 1) return null;
  if (colourType === 3 && head.palette.length === 0) return null;
  const cells = new GreyCells(width, height, side);
  const rows = new PngRows(head, cells);
  return (await unpack(data, rows)) ? cells.average() : null;
}

function chunksOf(bytes: Buffer): { head: PngHead; data: Buffer[] } {
  const data: Buffer[] = [];
  let palette: Buffer = Buffer.alloc(0);
  let transparency: Buffer = Buffer.alloc(0);
  for (let at = SIGNATURE.length, chunks = 0; at + 8 <= bytes.length && chunks < MAX_CHUNKS; chunks++) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const body = bytes.subarray(at + 8, at + 8 + length);
    if (type === 'IEND') break;
    if (type === 'IDAT' && body.length > 0) data.push(body);
    else if (type === 'PLTE') palette = body;
    else if (type === 'tRNS') transparency = body;
    at += length + 12;
  }
  const head = {
    ...pngSize(bytes)!,
    depth: bytes[24]!,
    colourType: bytes[25]!,
    isInterlaced: bytes[28] === 1,
    palette,
    transparency,
  };
  return { head, data };
}

const PIECE_BYTES = 1 << 16;

/**
 * Returns whether all rows were read. Uses a stream, because the pixels of a small file may take hundreds of megabytes.
 */
async function unpack(data: readonly Buffer[], rows: PngRows): Promise<boolean> {
  const inflate = createInflate({ chunkSize: PIECE_BYTES });
  // The loop below sees the error. Without a listener, the error would end the process.
  inflate.on('error', () => {});
  feed(inflate, data);
  try {
    for await (const piece of inflate) {
      if (!rows.add(piece as Buffer)) return false;
      if (rows.isWhole) return true;
    }
  } catch {
    return rows.isWhole;
  } finally {
    inflate.destroy();
  }
  return rows.isWhole;
}

function feed(inflate: ReturnType<typeof createInflate>, data: readonly Buffer[]): void {
  for (const piece of data) inflate.write(piece);
  inflate.end();
}
