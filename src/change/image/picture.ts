/**
 * Image files as grey pixels, for the image code (P12). In: the bytes of a PNG, JPEG or GIF and how many pixels a side are wanted.
 * Out: the size of the picture and so many pixels of it, each the average of what lies under it; no pixels where the file is
 * broken, of a kind we cannot draw, or larger than MAX_PIXELS.
 *
 * Which format it is, the bytes say: servers often name another. Of a moving picture the first frame is drawn. What is
 * transparent is middle grey, on which neither black nor white drawings vanish.
 *
 * Always: nothing is thrown, whatever the bytes are. The size is judged before anything is unpacked; memory stays within some
 * megabytes and time within what the bytes and MAX_PIXELS allow.
 */
import { drawGif, gifSize } from './gif.ts';
import { drawJpeg, jpegSize } from './jpeg.ts';
import { isDrawable, type PictureSize } from './picture-size.ts';
import { drawPng, pngSize } from './png.ts';
import { webpSize } from './webp-size.ts';

export interface Picture extends PictureSize {
  /** `side` × `side`, row after row; null where the file cannot be drawn. */
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
  // Drawing it takes two more decoders, one of them for a film codec.
  { size: webpSize, draw: null },
];

/** Null where it is no picture of a format that is known here. */
export async function readPicture(bytes: Buffer, side: number): Promise<Picture | null> {
  for (const { size, draw } of FORMATS) {
    const found = size(bytes);
    if (found === null) continue;
    return { ...found, grey: draw !== null && isDrawable(found) ? await draw(bytes, side) : null };
  }
  return null;
}

/** Null where it cannot be drawn. */
export async function greyPixels(bytes: Buffer, side: number): Promise<Uint8Array | null> {
  return (await readPicture(bytes, side))?.grey ?? null;
}
