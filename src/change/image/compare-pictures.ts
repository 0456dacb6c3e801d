/**
 * Two versions of an image file whose bytes differ, described: how large each is, its image code (P12), and whether they look the
 * same, as a picture does that was only compressed anew. That it has changed is known by then, and nothing here denies it (P14).
 *
 * The code alone cannot tell what looks the same: one pixel near the mean that falls to the other side gives another
 * determinant, and very different pictures may share one. So the pixels are compared that a code is made of, of the finest
 * size the paper has. docs/change.md has the figures behind the limit.
 */
import { type ImageSide, imageCode } from '../codes/image-code.ts';
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
const MOST_APART = 9;
/** How much wider for its height one may be than the other: the rounding of a smaller copy. */
const MOST_STRETCHED = 1.03;

export async function comparePictures(before: Buffer, after: Buffer): Promise<ImageChange> {
  const was = await readPicture(before, LOOK_SIDE);
  const is = await readPicture(after, LOOK_SIDE);
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
  const { grey } = is;
  return was.grey.every((pixel, i) => Math.abs(pixel - grey[i]!) <= MOST_APART);
}

function codeOf(picture: Picture | null): string | null {
  if (!picture?.grey) return null;
  const cells = new GreyCells(LOOK_SIDE, LOOK_SIDE, CODE_SIDE);
  for (let y = 0; y < LOOK_SIDE; y++) {
    cells.addRow(y, picture.grey.subarray(y * LOOK_SIDE, (y + 1) * LOOK_SIDE), LOOK_SIDE);
  }
  return String(imageCode(cells.average(), CODE_SIDE));
}
