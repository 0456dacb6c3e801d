/** How large a picture is, and how large it may be to be drawn. */

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** More than cameras have as a rule, and less than a bomb needs. */
export const MAX_PIXELS = 1 << 25;
/** As in JPEG and GIF; it bounds what a row takes. */
export const MAX_SIDE_PIXELS = 65_535;

export function isDrawable({ width, height }: PictureSize): boolean {
  const [least, most] = width < height ? [width, height] : [height, width];
  return least > 0 && most <= MAX_SIDE_PIXELS && least * most <= MAX_PIXELS;
}
