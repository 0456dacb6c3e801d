/**
 * Reduces a picture of any size to `side` × `side` cells. Each cell is the average of the part of the picture that it
 * covers. Rows are added as they are decoded, in any order, so that a picture is never completely in memory.
 *
 * What always holds: the result is exact up to rounding. Along each side a pixel is `side` units long, and a cell is as
 * many units long as the picture has pixels, so both end on whole units. The size may be fractional: then the last
 * pixels extend beyond the edge, and the part outside is ignored.
 */
export const MID_GREY = 128;

export class GreyCells {
  readonly #width: number;
  readonly #height: number;
  readonly #side: number;
  readonly #sums: Float64Array;
  /** The sums of the row that is being added. */
  readonly #row: Float64Array;

  constructor(width: number, height: number, side: number) {
    this.#width = width;
    this.#height = height;
    this.#side = side;
    // One additional row and column take the part that extends beyond the edge.
    this.#sums = new Float64Array((side + 1) * side);
    this.#row = new Float64Array(side + 1);
  }

  /** The first `count` entries of `pixels` are the pixels of row `y` at `fromX`, `fromX + everyX` and so on. */
  addRow(y: number, pixels: Uint8Array, count: number, fromX = 0, everyX = 1): void {
    const side = this.#side;
    this.#gather(pixels, count, fromX, everyX);
    const end = (y + 1) * side;
    // The cell number is counted up and not computed by division again: with
    // fractions, a division could stop the progress.
    let cell = Math.floor((y * side) / this.#height);
    for (let at = y * side; at < end; cell++) {
      const next = Math.min(end, (cell + 1) * this.#height);
      const first = cell * side;
      for (let x = 0; x < side; x++) this.#sums[first + x]! += this.#row[x]! * (next - at);
      at = next;
    }
  }

  #gather(pixels: Uint8Array, count: number, fromX: number, everyX: number): void {
    const side = this.#side;
    const width = this.#width;
    const row = this.#row.fill(0);
    let cell = Math.floor((fromX * side) / width);
    let cellEnd = (cell + 1) * width;
    for (let i = 0, x = fromX; i < count; i++, x += everyX) {
      const pixel = pixels[i]!;
      const end = (x + 1) * side;
      let at = x * side;
      while (at >= cellEnd) {
        cell++;
        cellEnd += width;
      }
      while (end > cellEnd) {
        row[cell]! += pixel * (cellEnd - at);
        at = cellEnd;
        cell++;
        cellEnd += width;
      }
      row[cell]! += pixel * (end - at);
    }
  }

  average(): Uint8Array {
    const units = this.#width * this.#height;
    const sums = this.#sums.subarray(0, this.#side * this.#side);
    return Uint8Array.from(sums, (sum) => Math.round(sum / units));
  }
}

/** Luma as in Rec. 601, which JPEG uses too. */
export function greyOf(red: number, green: number, blue: number): number {
  return (red * 77 + green * 150 + blue * 29) >> 8;
}

/** Blends a pixel over middle grey. `alpha` is between 0 and 255. */
export function overMidGrey(grey: number, alpha: number): number {
  return Math.round((grey * alpha + MID_GREY * (255 - alpha)) / 255);
}

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
