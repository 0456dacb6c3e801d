/**
 * A picture of any size brought to `side` × `side` cells, each the average of the part of the picture that it covers. It takes rows
 * as they are decoded, in any order, so that no picture is ever whole in memory.
 *
 * Always: exact up to rounding. Along each side a pixel is `side` units long and a cell as many as the picture has pixels, and so both
 * end on whole units. The size may have fractions: the last pixels then hang over the edge, and what does is left out.
 */
export const MID_GREY = 128;

export class GreyCells {
  readonly #width: number;
  readonly #height: number;
  readonly #side: number;
  readonly #sums: Float64Array;
  /** Of the row that is being added. */
  readonly #row: Float64Array;

  constructor(width: number, height: number, side: number) {
    this.#width = width;
    this.#height = height;
    this.#side = side;
    // One row and one column more take what hangs over.
    this.#sums = new Float64Array((side + 1) * side);
    this.#row = new Float64Array(side + 1);
  }

  /** The first `count` of `pixels` are those of row `y` at `fromX`, `fromX + everyX` and so on. */
  addRow(y: number, pixels: Uint8Array, count: number, fromX = 0, everyX = 1): void {
    const side = this.#side;
    this.#gather(pixels, count, fromX, everyX);
    const end = (y + 1) * side;
    // Cell by cell, and not by dividing again, which fractions could make stand still.
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

/** `alpha` from 0 to 255. */
export function overMidGrey(grey: number, alpha: number): number {
  return Math.round((grey * alpha + MID_GREY * (255 - alpha)) / 255);
}
