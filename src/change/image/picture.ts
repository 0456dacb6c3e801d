/**
 * Turns image files into grey pixels for the image code (P12). In: the bytes of a PNG, JPEG or GIF, and the wanted
 * number of pixels per side. Out: the size of the picture and its reduced pixels, each the average of the area that it
 * covers. There are no pixels if the file is broken, of an unsupported kind, or larger than MAX_PIXELS.
 *
 * The bytes tell the format, because servers often name a wrong one. Of an animation, the first frame is drawn.
 * Transparent areas become middle grey, on which neither black nor white drawings vanish.
 *
 * What always holds: nothing throws, whatever the bytes are. The size is checked before anything is decompressed. The
 * memory stays within some megabytes, and the time is bounded by the number of bytes and MAX_PIXELS.
 */
import { drawGif, gifSize } from './gif.ts';
import { isDrawable, type PictureSize } from './grey-cells.ts';
import { drawJpeg, jpegSize } from './jpeg.ts';
import { drawPng, pngSize } from './png.ts';

export interface Picture extends PictureSize {
  /** `side` × `side` pixels, row by row. Null if the file cannot be drawn. */
  readonly grey: Uint8Array | null;
}

interface Format {
  readonly size: (bytes: Buffer) => PictureSize | null;
  readonly draw: ((bytes: Buffer, side: number) => Promise<Uint8Array | null> | Uint8Array | null) | null;
}

const FORMATS: readonly Format[] = [
  { size: pngSize, draw: drawPng },
  { size: jpegSize, draw: drawJpeg },
  { size: gifSize, draw: drawGif },
  // Drawing WebP would need two more decoders, one of them for a video codec.
  { size: webpSize, draw: null },
];

/** Null if the bytes are not a picture of a known format. */
export async function readPicture(bytes: Buffer, side: number): Promise<Picture | null> {
  for (const { size, draw } of FORMATS) {
    const found = size(bytes);
    if (found === null) continue;
    return { ...found, grey: draw !== null && isDrawable(found) ? await draw(bytes, side) : null };
  }
  return null;
}

/** Reads the size of a WebP picture from the header of its first chunk (RFC 9649, 2.5 to 2.7). */
const CHUNK_AT = 12;
const HEAD_BYTES = 30;

function webpSize(bytes: Buffer): PictureSize | null {
  if (bytes.length < HEAD_BYTES) return null;
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, CHUNK_AT) !== 'WEBP') return null;
  switch (bytes.toString('latin1', CHUNK_AT, CHUNK_AT + 4)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return null;
  }
}
