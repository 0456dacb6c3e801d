/**
 * The image code (P12): the image as n × n grey pixels, made two-tone, each 16 pixels of a row one number, and the determinant of
 * those.
 *
 * The rows give n lines of n/16 numbers, which is no square and has no determinant. There are n²/16 = (n/4)² of them, so we
 * write them row after row into a square of n/4: 4, 8 or 16 a side. Two-tone means lighter than the image's mean or
 * not; with a fixed limit all dark images would be alike.
 *
 * Always: the determinant is exact. By Hadamard's bound it has at most 288 bits.
 */

export const IMAGE_SIDES = [16, 32, 64] as const;
export type ImageSide = (typeof IMAGE_SIDES)[number];

const PIXELS_A_NUMBER = 16;

/** Of `side` × `side` grey pixels, row after row; null where that is not how many there are. */
export function imageCode(grey: Uint8Array, side: ImageSide): bigint | null {
  if (!IMAGE_SIDES.includes(side) || grey.length !== side * side) return null;
  const numbers = packPixels(grey);
  const width = side / 4;
  const rows = Array.from({ length: width }, (_, row) => numbers.slice(row * width, (row + 1) * width));
  return determinant(rows);
}

/** Sixteen pixels a number, the first the highest bit: the paper's four hexadecimal digits. */
export function packPixels(grey: Uint8Array): bigint[] {
  let sum = 0;
  for (const pixel of grey) sum += pixel;
  const numbers: bigint[] = [];
  for (let start = 0; start < grey.length; start += PIXELS_A_NUMBER) {
    let bits = 0;
    for (let at = start; at < start + PIXELS_A_NUMBER; at++) {
      bits = bits * 2 + ((grey[at] as number) * grey.length > sum ? 1 : 0);
    }
    numbers.push(BigInt(bits));
  }
  return numbers;
}

/** By Bareiss's elimination: every division comes out even, so whole numbers do. Changes `rows`. */
export function determinant(rows: bigint[][]): bigint {
  let sign = 1n;
  let before = 1n;
  for (let step = 0; step < rows.length - 1; step++) {
    const swap = rows.findIndex((row, at) => at >= step && row[step] !== 0n);
    if (swap < 0) return 0n;
    if (swap !== step) {
      [rows[step], rows[swap]] = [rows[swap] as bigint[], rows[step] as bigint[]];
      sign = -sign;
    }
    const top = rows[step] as bigint[];
    const pivot = top[step] as bigint;
    for (const row of rows.slice(step + 1)) {
      const factor = row[step] as bigint;
      for (let at = step + 1; at < rows.length; at++) {
        row[at] = ((row[at] as bigint) * pivot - factor * (top[at] as bigint)) / before;
      }
    }
    before = pivot;
  }
  return sign * (rows.at(-1)?.at(-1) ?? 1n);
}
