/** The hash of a block of text. Numbers are left out: a date, a page number or a counter makes no other block. */
import { isNumber, type PageWords } from '../../core/page/page-words.ts';

/** Fills `hashes` with the hash of every block. A block of numbers alone has the hash 0. */
export function hashBlocks({ words, ends, blocks }: PageWords, hashes: Uint32Array): void {
  let from = 0;
  for (let block = 0; block < blocks; block++) {
    const end = ends[block] as number;
    let hash = 0;
    for (let at = from; at < end; at++) {
      const word = words[at] as number;
      if (!isNumber(word)) hash = Math.imul((hash << 5) | (hash >>> 27), 0x9e3779b1) ^ word;
    }
    hashes[block] = hash;
    from = end;
  }
}
