/**
 * The own text of a page: its words without the blocks that are template.
 */
import type { PageWords } from '../core/page/page-words.ts';
import { K, SAMPLE_NUMBERS, sketchFirst, WORDS } from './fingerprints/fingerprints.ts';

/** Short blocks are left out of a sketch if at most this share of the own words is in them. */
const MOST_SHORT = 0.3;

/** The sketch of the own text (E5), or nothing if there is too little text for a fingerprint. */
export function sketchOwnText(page: PageWords, marks: Uint8Array): { sketch?: Uint32Array } {
  const sketch = sketchFirst(collectOwn(page, marks, leastWords(page, marks)));
  return sketch.length > SAMPLE_NUMBERS ? { sketch } : {};
}

/**
 * The number of words that a block needs to be sketched. Blocks that are shorter than a gram are mostly labels, which
 * are template on one page and not yet known as template on another. Such a block changes the grams around it, so two
 * short pages with the same text would differ. An index or a table consists of short blocks and keeps them.
 */
function leastWords({ ends, blocks }: PageWords, marks: Uint8Array): number {
  let own = 0;
  let short = 0;
  let start = 0;
  for (let block = 0; block < blocks; block++) {
    const end = ends[block] as number;
    if (marks[block] === 0) {
      own += end - start;
      if (end - start < K) short += end - start;
    }
    start = end;
  }
  return short <= MOST_SHORT * own ? K : 1;
}

/** Copies the words of the own text, without blocks of fewer than `least` words. Returns how many there are. */
function collectOwn({ words, ends, blocks }: PageWords, marks: Uint8Array, least: number): number {
  let length = 0;
  // Blocks that follow each other are copied together.
  let from = 0;
  let start = 0;
  for (let block = 0; block < blocks; block++) {
    const end = ends[block] as number;
    if (marks[block] === 1 || end - start < least) {
      length = append(words, from, start, length);
      from = end;
    }
    start = end;
  }
  return append(words, from, start, length);
}

/** Copies a part of the words behind the first `length` collected words. Returns how many are collected then. */
function append(words: Uint32Array, from: number, to: number, length: number): number {
  if (from < to) WORDS.set(words.subarray(from, to), length);
  return length + to - from;
}
