/**
 * The image code (P12). The image is reduced to n × n grey pixels and made two-tone. Each 16 pixels of a row form one
 * number. The code is the determinant of these numbers.
 *
 * The rows give n lines of n/16 numbers, which is not a square and has no determinant. There are n²/16 = (n/4)²
 * numbers, so we write them row by row into a square with sides of n/4: 4, 8 or 16. Two-tone means lighter than the
 * mean of the image or not; with a fixed limit all dark images would be equal.
 *
 * What always holds: the determinant is exact. By Hadamard's bound it has at most 288 bits.
 */

export const IMAGE_SIDES = [16, 32, 64] as const;
export type ImageSide = (typeof IMAGE_SIDES)[number];

const PIXELS_A_NUMBER = 16;

/** The code of `side` × `side` grey pixels, row by row. Null if the number of pixels is different. */
export function imageCode(grey: Uint8Array, side: ImageSide): bigint | null {
  if (!IMAGE_SIDES.includes(side) || grey.length !== side * side) return null;
  const numbers = packPixels(grey);
  const width = side / 4;
  const rows = Array.from({ length: width }, (_, row) => numbers.slice(row * width, (row + 1) * width));
  return determinant(rows);
}

/** Packs sixteen pixels into a number, the first pixel as the highest bit: the paper's four hexadecimal digits. */
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

/**
 * Computes the determinant by Bareiss's elimination: every division is exact, so integers are enough. Changes `rows`.
 */
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
