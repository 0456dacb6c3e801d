/**
 * The brightness plane of a JPEG: the coefficients of its blocks, either all 64 of each block or only the first. They
 * are turned into rows of pixels, or into rows of blocks if only the first coefficients are known.
 */
import type { JpegComponent, JpegFrame } from './jpeg-parts.ts';

const SIDE = 8;
const COEFFICIENTS = 64;

/** The cosines of the transform (T.81, A.3.3) with their scale: [frequency × 8 + position]. */
const COSINES = Float64Array.from({ length: COEFFICIENTS }, (_, i) => {
  const frequency = i >> 3;
  const scale = frequency === 0 ? Math.SQRT1_2 / 2 : 0.5;
  return scale * Math.cos(((2 * (i & 7) + 1) * frequency * Math.PI) / 16);
});

export class JpegPlane {
  readonly component: JpegComponent;
  readonly isWhole: boolean;
  /** Whether this is the only component, so that the picture is grey. */
  readonly isAlone: boolean;
  /** Coefficients per block. A row of blocks is as wide as an interleaved scan needs it. */
  readonly stride: number;
  readonly blocksAcross: number;
  readonly coefficients: Int16Array;
  /** Size in pixels, or in blocks if only the first coefficients are known. The last one may be partly outside. */
  readonly width: number;
  readonly height: number;

  constructor(frame: JpegFrame, isWhole: boolean) {
    const component = frame.components[0]!;
    const { across, down } = component;
    this.component = component;
    this.isWhole = isWhole;
    this.isAlone = frame.components.length === 1;
    this.stride = isWhole ? COEFFICIENTS : 1;
    this.blocksAcross = frame.unitsWide * across;
    this.coefficients = new Int16Array(this.blocksAcross * frame.unitsHigh * down * this.stride);
    const most = (of: 'across' | 'down'): number => Math.max(...frame.components.map((other) => other[of]));
    const scale = isWhole ? 1 : SIDE;
    this.width = (frame.width * across) / (most('across') * scale);
    this.height = (frame.height * down) / (most('down') * scale);
  }

  /** Yields the rows from the top. The array is used again for the next row. */
  *rows(table: Uint16Array): Generator<Uint8Array> {
    const { blocksWide, blocksHigh } = this.component;
    if (!this.isWhole) {
      const row = new Uint8ClampedArray(blocksWide);
      for (let y = 0; y < blocksHigh; y++) {
        const first = y * this.blocksAcross;
        for (let x = 0; x < blocksWide; x++) row[x] = 128 + (this.coefficients[first + x]! * table[0]!) / SIDE;
        yield new Uint8Array(row.buffer);
      }
      return;
    }
    const band = new Uint8ClampedArray(blocksWide * SIDE * SIDE);
    for (let y = 0; y < blocksHigh; y++) {
      for (let x = 0; x < blocksWide; x++) this.#transform(y * this.blocksAcross + x, table, band, x * SIDE);
      for (let line = 0; line < SIDE; line++) {
        yield new Uint8Array(band.buffer, line * blocksWide * SIDE, blocksWide * SIDE);
      }
    }
  }

  #transform(block: number, table: Uint16Array, band: Uint8ClampedArray, left: number): void {
    const first = block * COEFFICIENTS;
    const half = HALF.fill(0);
    for (let i = 0; i < COEFFICIENTS; i++) {
      const value = this.coefficients[first + i]! * table[i]!;
      if (value === 0) continue;
      const across = (i & 7) * SIDE;
      const down = i & ~7;
      for (let x = 0; x < SIDE; x++) half[down + x]! += value * COSINES[across + x]!;
    }
    const bandWidth = band.length / SIDE;
    for (let y = 0; y < SIDE; y++) {
      for (let x = 0; x < SIDE; x++) {
        let sum = 128;
        for (let down = 0; down < COEFFICIENTS; down += SIDE) sum += half[down + x]! * COSINES[down + y]!;
        band[y * bandWidth + left + x] = sum;
      }
    }
  }
}

/** A block that is transformed across, but not yet down. */
const HALF = new Float64Array(COEFFICIENTS);
