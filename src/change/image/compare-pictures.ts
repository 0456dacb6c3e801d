/**
 * Two versions of an image file whose bytes differ, described: how large each is, its image code (P12), and whether they look the
 * same, as a picture does that was only compressed anew. That it has changed is known by then, and nothing here denies it (P14).
 *
 * The code alone cannot tell what looks the same: one pixel near the mean that falls to the other side gives another
 * determinant, and very different pictures may share one. So the pixels are compared that a code is made of: as many as the
 * picture is large enough for, of the paper's three sizes. docs/images.md has the figures behind the limit.
 */
import { IMAGE_SIDES, type ImageSide, imageCode } from '../codes/image-code.ts';
import { GreyCells } from './grey-cells.ts';
import { type Picture, readPicture } from './picture.ts';

export interface ImageChange {
  /** The image codes in decimal; null of what cannot be drawn. */
  readonly codes: BothVersions<string>;
  /** In grey, and of a moving picture the first frame; null where one of them cannot be drawn. */
  readonly looksSame: boolean | null;
  /** In pixels; null where the file does not say. */
  readonly width: BothVersions<number>;
  readonly height: BothVersions<number>;
}

export interface BothVersions<T> {
  readonly before: T | null;
  readonly after: T | null;
}

/** Few, so that what was compressed anew has a chance of the same code. */
export const CODE_SIDE: ImageSide = 16;
const LOOK_SIDE: ImageSide = 64;
/** Of 255. */
const MOST_APART = 7;
/** A cell of fewer pixels shows what compressing does to edges, which a reader does not see. */
const PIXELS_A_CELL = 4;
/** How much wider for its height one may be than the other: the rounding of a smaller copy. */
const MOST_STRETCHED = 1.03;

export async function compareImages(before: Buffer, after: Buffer): Promise<ImageChange | null> {
  return comparePictures(await readForLooks(before), await readForLooks(after));
}

/** What two versions are compared by. Null where it is no picture of a known format. */
export function readForLooks(bytes: Buffer): Promise<Picture | null> {
  return readPicture(bytes, LOOK_SIDE);
}

/** Null where neither is a picture, such as drawings in SVG. */
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
