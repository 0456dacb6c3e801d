/** The size of a picture, and the limits up to which a picture is drawn. */

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** More than cameras usually have, and less than a decompression bomb needs. */
const MAX_PIXELS = 1 << 25;
/** The limit of JPEG and GIF. It bounds the memory of a row. */
const MAX_SIDE_PIXELS = 65_535;

export function isDrawable({ width, height }: PictureSize): boolean {
  const [least, most] = width < height ? [width, height] : [height, width];
  return least > 0 && most <= MAX_SIDE_PIXELS && least * most <= MAX_PIXELS;
}
