/**
 * Draws a JPEG (ITU T.81), baseline or progressive, brightness only. For a large picture only the first coefficient of
 * each block is used. It is the average of 8 × 8 pixels, which is enough for a reduced picture. This saves the
 * transform, 63/64 of the memory and, for a progressive file, all scans except the first few.
 *
 * Not supported: arithmetic coding, 12 bits, lossless, CMYK and RGB. A file that ends
 * before its picture is complete counts as broken.
 */
import { GreyCells, type PictureSize } from './grey-cells.ts';
import { type JpegPart, jpegParts, readFrame } from './jpeg-parts.ts';
import { JpegPlane } from './jpeg-plane.ts';
import { JpegScans } from './jpeg-scans.ts';
import { JpegTables } from './jpeg-tables.ts';

/**
 * A progressive file has about ten scans. With runs of empty blocks, a scan of a few bytes can cover the whole picture.
 */
const MAX_SCANS = 32;
/**
 * A smaller or thinner picture has too few blocks per cell: blocks on the border of two cells would blur both cells.
 */
const PIXELS_A_CELL = 32;
/** Up to this size, all coefficients of a small or thin picture are kept. */
const MAX_WHOLE_PIXELS = 1 << 22;
const SCAN = 0xda;

export function jpegSize(bytes: Buffer): PictureSize | null {
  if (bytes.length < 4 || bytes[0] !== 0xff || bytes[1] !== 0xd8 || bytes[2] !== 0xff) return null;
  for (const part of jpegParts(bytes)) if (isFrame(part)) return sizeOf(part.body);
  return null;
}

export function drawJpeg(bytes: Buffer, side: number): Uint8Array | null {
  const tables = new JpegTables();
  let plane: JpegPlane | null = null;
  let scans: JpegScans | null = null;
  let count = 0;
  for (const part of jpegParts(bytes)) {
    if (isFrame(part)) {
      const frame = scans === null ? readFrame(part) : null;
      if (frame === null) return null;
      plane = new JpegPlane(frame, isDrawnWhole(frame, side));
      scans = new JpegScans(frame, plane, tables);
    } else if (part.marker === SCAN) {
      if (scans === null || ++count > MAX_SCANS || !scans.scan(bytes, part)) return null;
    } else if (!tables.define(part)) return null;
  }
  if (plane === null || !scans?.isDrawn || !(tables.isBrightnessFirst || plane.isAlone)) return null;
  const table = tables.quantization[plane.component.quantization];
  return table === undefined ? null : shrink(plane, table, side);
}

function isDrawnWhole({ width, height }: PictureSize, side: number): boolean {
  return Math.min(width, height) < side * PIXELS_A_CELL && width * height <= MAX_WHOLE_PIXELS;
}

function shrink(plane: JpegPlane, table: Uint16Array, side: number): Uint8Array {
  const cells = new GreyCells(plane.width, plane.height, side);
  let y = 0;
  for (const row of plane.rows(table)) cells.addRow(y++, row, row.length);
  return cells.average();
}

/** Whether the marker is one of SOF0 to SOF15, without DHT, JPG and DAC, whose numbers lie between them. */
function isFrame({ marker }: JpegPart): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function sizeOf(body: Buffer): PictureSize | null {
  return body.length < 6 ? null : { height: body.readUInt16BE(1), width: body.readUInt16BE(3) };
}
