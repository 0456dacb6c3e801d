/**
 * The definitions of a JPEG before and between its scans (T.81, B.2.4): codes,
 * quantization, restarts, and the meaning of its colours.
 */
import { type JpegCodes, makeCodes } from './jpeg-bits.ts';
import type { JpegPart } from './jpeg-parts.ts';

/** Maps the order of frequencies to positions in a block (figure 5). */
export const ZIGZAG = Uint8Array.of(
  ...[0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21],
  ...[
    28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54,
  ],
  ...[47, 55, 62, 63],
);

const MARKERS = { codes: 0xc4, arithmetic: 0xcc, quantization: 0xdb, restarts: 0xdd, adobe: 0xee } as const;
const COUNTS = 16;

export class JpegTables {
  /** The codes for first coefficients (`first`) and for the other 63 (`rest`). */
  readonly first: (JpegCodes | undefined)[] = [];
  readonly rest: (JpegCodes | undefined)[] = [];
  /** Quantization tables, indexed by the position in a block. */
  readonly quantization: (Uint16Array | undefined)[] = [];
  /** The number of units between two restarts, or 0 for none. */
  restartEvery = 0;
  /** Three components are brightness and two colour differences, unless the Adobe part says otherwise. */
  isBrightnessFirst = true;

  /** Reads a part that defines something and ignores other parts. Returns false if the definition is invalid. */
  define({ marker, body }: JpegPart): boolean {
    switch (marker) {
      case MARKERS.codes:
        return this.#defineCodes(body);
      case MARKERS.quantization:
        return this.#defineQuantization(body);
      case MARKERS.restarts:
        if (body.length < 2) return false;
        this.restartEvery = body.readUInt16BE(0);
        return true;
      case MARKERS.adobe:
        if (body.length >= 12 && body.toString('latin1', 0, 5) === 'Adobe') this.isBrightnessFirst = body[11] === 1;
        return true;
      default:
        return marker !== MARKERS.arithmetic;
    }
  }

  #defineCodes(body: Buffer): boolean {
    for (let at = 0; at < body.length; ) {
      const target = body[at]!;
      const counts = body.subarray(at + 1, at + 1 + COUNTS);
      if (counts.length < COUNTS || target > 0x13 || (target & 15) > 3) return false;
      const total = counts.reduce((sum, count) => sum + count, 0);
      const symbols = body.subarray(at + 1 + COUNTS, at + 1 + COUNTS + total);
      const codes = symbols.length < total ? null : makeCodes(counts, symbols);
      if (codes === null) return false;
      (target >> 4 === 0 ? this.first : this.rest)[target & 15] = codes;
      at += 1 + COUNTS + total;
    }
    return true;
  }

  #defineQuantization(body: Buffer): boolean {
    for (let at = 0; at < body.length; ) {
      const target = body[at]!;
      const bytes = target >> 4 === 0 ? 1 : 2;
      const end = at + 1 + ZIGZAG.length * bytes;
      if (target > 0x13 || (target & 15) > 3 || end > body.length) return false;
      const table = new Uint16Array(ZIGZAG.length);
      for (const [i, place] of ZIGZAG.entries()) table[place] = body.readUIntBE(at + 1 + i * bytes, bytes);
      this.quantization[target & 15] = table;
      at = end;
    }
    return true;
  }
}
