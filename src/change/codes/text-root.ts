/**
 * Text code II (P11): the root of the sum of the squared character codes, divided by the number of
 * characters. The paper calls it the root mean square, which would divide under the root; we follow its
 * figures. Characters are read as for text code I.
 */
import { type ByteCounts, charAt, END_OF_FILE } from './text-bytes.ts';

export interface TextRoot {
  readonly squares: number;
  readonly characters: number;
  readonly code: number;
}

export function textRoot({ of, all }: ByteCounts): TextRoot {
  let squares = END_OF_FILE * END_OF_FILE;
  for (let place = 0; place < of.length; place++) squares += (of[place] as number) * charAt(place) ** 2;
  const characters = all + 1;
  return { squares, characters, code: rootCode(squares, characters) };
}

/**
 * √squares ÷ characters. The root is also rounded to single precision before the division;
 * otherwise the paper's 5.683418 would end in 9.
 */
export function rootCode(squares: number, characters: number): number {
  return characters === 0 ? 0 : Math.fround(Math.fround(Math.sqrt(squares)) / characters);
}
