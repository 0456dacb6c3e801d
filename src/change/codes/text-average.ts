/**
 * Text code I (P10): the sum of the characters' codes, divided by how many different characters there are. The paper's figures come
 * out only as its program must have worked: signed bytes (its em dash counts −105), the end of file counted as a character (−1),
 * different characters counted only up to 127, and the division in single precision.
 */
import { END_OF_FILE } from './text-bytes.ts';

export interface TextAverage {
  readonly sum: number;
  readonly characters: number;
  readonly distinct: number;
  readonly code: number;
}

export function textAverage(bytes: Int8Array): TextAverage {
  const seen = new Uint8Array(128);
  let sum = END_OF_FILE;
  let distinct = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    sum += byte;
    if (byte >= 0 && seen[byte] === 0) {
      seen[byte] = 1;
      distinct++;
    }
  }
  // A text without a single ASCII character has nothing to divide by.
  const code = distinct === 0 ? 0 : Math.fround(Math.fround(sum) / Math.fround(distinct));
  return { sum, characters: bytes.length + 1, distinct, code };
}
