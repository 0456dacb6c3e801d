/**
 * Hashes that blocks at the edge of a page share although their words differ: "Next: <title>, up: <title>, contents",
 * "Retrieved from <URL of the page>", or the title of the next page below the label "next".
 */
import type { PageWords } from '../../core/page/page-words.ts';

/** Keep these hashes apart from the hashes of blocks. */
const FRAME_SEED = 0x1b873593;
const PLACE_SEED = 0x5bd1e995;
const PLACE_BEFORE_SEED = 0x27d4eb2f;
/** Stands for the block before the first block and after the last one. */
const PAGE_EDGE = 1;

/** The hash of the first and the last word of a block, without numbers. 0 if there is no word between them. */
export function frameOf({ words, ends }: PageWords, block: number): number {
  let first = block === 0 ? 0 : (ends[block - 1] as number);
  let last = (ends[block] as number) - 1;
  while (first < last && isNumber(words[first] as number)) first++;
  while (first < last && isNumber(words[last] as number)) last--;
  return last - first < 2 ? 0 : mix(words[first] as number, words[last] as number) ^ FRAME_SEED;
}

/** The hash of the two blocks around a block. 0 if one of them is not template. */
export function placeOf({ blocks, hashes }: PageWords, block: number, marks: Uint8Array): number {
  const before = block === 0 ? PAGE_EDGE : (hashes[block - 1] as number) * (marks[block - 1] as number);
  const after = block === blocks - 1 ? PAGE_EDGE : (hashes[block + 1] as number) * (marks[block + 1] as number);
  return before === 0 || after === 0 ? 0 : mix(after, before) ^ PLACE_SEED;
}

/** The hash of the block after a block. 0 if it is not template. */
export function placeBefore({ blocks, hashes }: PageWords, block: number, marks: Uint8Array): number {
  const after = block === blocks - 1 ? 0 : (hashes[block + 1] as number) * (marks[block + 1] as number);
  return after === 0 ? 0 : mix(after, PAGE_EDGE) ^ PLACE_BEFORE_SEED;
}

function mix(a: number, b: number): number {
  return Math.imul((a << 5) | (a >>> 27), 0x9e3779b1) ^ b;
}

/** Returns true for a word that consists of digits alone. */
function isNumber(word: number): boolean {
  return (word & 1) === 1;
}
