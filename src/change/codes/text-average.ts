/**
 * Text code I (P10): the sum of the character codes, divided by the number of distinct characters. The paper's figures
 * can be reproduced only with the habits of its program: signed bytes (its em dash counts −105), the end of file
 * counted as a character (−1), distinct characters counted only up to 127, and a division in single precision.
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
  // A text without any ASCII character has nothing to divide by.
  const code = distinct === 0 ? 0 : Math.fround(Math.fround(sum) / Math.fround(distinct));
  return { sum, characters: all + 1, distinct, code };
}
