/** The word counts (src/page/html/text/collect-words.ts) of words that come from no page, such as those of a variant. */
import type { PageWords } from '../../src/core/page/page-words.ts';

const TABLE = 64;

export function countWords({ words, count }: Pick<PageWords, 'words' | 'count'>): Uint8Array {
  const counts = new Uint8Array(2 * TABLE);
  for (let at = 0; at < count; at++) {
    const word = words[at] as number;
    (counts[(word >>> 1) % TABLE] as number)++;
    (counts[TABLE + ((word >>> 9) % TABLE)] as number)++;
  }
  return counts;
}
