/**
 * The visible text of a page as numbers: one hash per word, in blocks. Code that compares pages reads it: templates,
 * near duplicates, the search for new content.
 */
export interface PageWords {
  /** The hashes of the words, in order. Only the first `count` are valid. The lowest bit is 1 for a number. */
  readonly words: Uint32Array;
  readonly count: number;
  /** Where each block ends: the index of the first word after it. Only the first `blocks` are valid. */
  readonly ends: Uint32Array;
  /** 1 for a block that consists of link text alone, else 0. */
  readonly linked: Uint8Array;
  readonly blocks: number;
  /** True if the page had more words than were collected. */
  readonly isCut: boolean;
}

/** Returns true for a word that consists of digits alone. */
export function isNumber(word: number): boolean {
  return (word & 1) === 1;
}
