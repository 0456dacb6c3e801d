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
  /** The hash of each block's words. Numbers are left out: a date, a page number or a counter makes no other block. */
  readonly hashes: Uint32Array;
  /** The words of each block without its numbers. A block of numbers alone has none, and the hash 0. */
  readonly textWords: Uint32Array;
  /** 1 for a block that consists of link text alone, else 0. */
  readonly linked: Uint8Array;
  readonly blocks: number;
  /** True if the page had more words than were collected. */
  readonly isCut: boolean;
}
