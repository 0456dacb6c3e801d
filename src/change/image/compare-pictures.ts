/**
 * Describes two versions of an image file whose bytes differ: the size of each, its image code (P12),
 * and whether both look the same, like an image that was only compressed again. The change itself is
 * already known, and nothing here denies it (P14).
 *
 * The code alone cannot tell whether two images look the same: one pixel near the mean that falls to the other
 * side gives another determinant, and very different images may share a code. So we compare the pixels from
 * which the code is made, in the largest of the paper's three sizes for which the image is large enough.
 * docs/images.md has the figures behind the limit.
 */
import { IMAGE_SIDES, type ImageSide, imageCode } from '../codes/image-code.ts';
import { GreyCells } from './grey-cells.ts';
import type { Picture } from './picture.ts';

export interface ImageChange {
  /** The image codes in decimal. Null if a version cannot be drawn. */
  readonly codes: BothVersions<string>;
  /** Compared in grey, and by the first frame of an animation. Null if one version cannot be drawn. */
  readonly looksSame: boolean | null;
  /** Size in pixels. Null if the file does not tell. */
  readonly width: BothVersions<number>;
  readonly height: BothVersions<number>;
}

export interface BothVersions<T> {
  readonly before: T | null;
  readonly after: T | null;
}

/** A small number of pixels, so that an image that was compressed again may keep its code. */
const CODE_SIDE: ImageSide = 16;
const LOOK_SIDE: ImageSide = 64;
/** The maximum difference of two cells, out of 255. */
const MOST_APART = 7;
/** A cell of fewer pixels shows compression artefacts at edges, which a reader does not see. */
const PIXELS_A_CELL = 4;
/** The maximum ratio between the two aspect ratios. It allows for the rounding of a reduced copy. */
const MOST_STRETCHED = 1.03;

export async function compareImages(before: Buffer, after: Buffer): Promise<ImageChange | null> {
  return comparePictures(await readForLooks(before), await readForLooks(after));
}

/** Reads the data by which two versions are compared. Null if the bytes are not a picture of a known format. */
export async function readForLooks(bytes: Buffer): Promise<Picture | null> {
  // The decoders are loaded with the first image that changed. Most refreshes meet none.
  const { readPicture } = await import('./picture.ts');
  return readPicture(bytes, LOOK_SIDE);
}

/** Null if neither version is a picture, such as SVG drawings. */
export function comparePictures(was: Picture | null, is: Picture | null): ImageChange | null {
  if (was === null && is === null) return null;
  return {
    codes: { before: codeOf(was), after: codeOf(is) },
    looksSame: looksSame(was, is),
    width: { before: was?.width ?? null, after: is?.width ?? null },
    height: { before: was?.height ?? null, after: is?.height ?? null },
  };
}

function looksSame(was: Picture | null, is: Picture | null): boolean | null {
  if (!was?.grey || !is?.grey) return null;
  const stretched = (was.width * is.height) / (was.height * is.width);
  if (Math.max(stretched, 1 / stretched) > MOST_STRETCHED) return false;
  const least = Math.min(was.width, was.height, is.width, is.height);
  const side = IMAGE_SIDES.findLast((fine) => fine * PIXELS_A_CELL <= least) ?? CODE_SIDE;
  const cells = coarser(is.grey, side);
  return coarser(was.grey, side).every((cell, i) => Math.abs(cell - cells[i]!) <= MOST_APART);
}

function codeOf(picture: Picture | null): string | null {
  return picture?.grey ? String(imageCode(coarser(picture.grey, CODE_SIDE), CODE_SIDE)) : null;
}

function coarser(grey: Uint8Array, side: ImageSide): Uint8Array {
  const cells = new GreyCells(LOOK_SIDE, LOOK_SIDE, side);
  for (let y = 0; y < LOOK_SIDE; y++) {
    cells.addRow(y, grey.subarray(y * LOOK_SIDE, (y + 1) * LOOK_SIDE), LOOK_SIDE);
  }
  return cells.average();
}
