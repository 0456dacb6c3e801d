/**
 * How often words occur on a page, in 128 bytes. In: all words of a page, with its template. Out: two tables of 64
 * counters. Each word counts once in each table, and different bits of its hash choose the counters.
 *
 * The difference of two pages is the difference of their counters (store/rules/word-difference.ts). What both pages
 * have in common disappears from it, whether it is template or not. So two pages can be compared without a template,
 * whatever was known about their host when each of them came. Order, blocks and markup do not matter.
 */
import type { PageWords } from '../core/page/page-words.ts';

/** Counters of each table. They have 8 bits, and start again at 0 after 255. */
const TABLE = 64;

/** The lowest bit of a word says whether it is a number, so the counters are chosen by the others. */
export function countWords({ words, count }: PageWords): Uint8Array {
  const counts = new Uint8Array(2 * TABLE);
  for (let at = 0; at < count; at++) {
    const word = words[at] as number;
    (counts[(word >>> 1) % TABLE] as number)++;
    (counts[TABLE + ((word >>> 9) % TABLE)] as number)++;
  }
  return counts;
}
