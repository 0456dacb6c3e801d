/**
 * Text code I (P10): the sum of the characters' codes, divided by how many different characters there are. The paper's figures come
 * out only as its program must have worked: signed bytes (its em dash counts −105), the end of file counted as a character (−1),
 * different characters counted only up to 127, and the division in single precision.
 */
import { type ByteCounts, charAt, END_OF_FILE } from './text-bytes.ts';

export interface TextAverage {
  readonly sum: number;
  readonly characters: number;
  readonly distinct: number;
  readonly code: number;
}

export function textAverage({ of, all }: ByteCounts): TextAverage {
  let sum = END_OF_FILE;
  let distinct = 0;
  for (let place = 0; place < of.length; place++) {
    const count = of[place] as number;
    sum += count * charAt(place);
    if (count > 0 && charAt(place) >= 0) distinct++;
  }
  // A text without a single ASCII character has nothing to divide by.
  const code = distinct === 0 ? 0 : Math.fround(Math.fround(sum) / Math.fround(distinct));
  return { sum, characters: all + 1, distinct, code };
}
