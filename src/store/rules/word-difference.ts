/**
 * How many words a page has that another page lacks, and the other way round. In: the word counts of both pages
 * (page/html/text/collect-words.ts), which include the template. Out: the smallest numbers that explain the counts.
 *
 * What always holds: the true numbers are at least as large, unless a counter differs by 128 or more. They are nearly
 * always exact if few words differ. An added word hides only if missing words share both of its counters, which becomes
 * likely when more than a hundred words are missing.
 */
const TABLE = 64;

export interface WordDifference {
  /** Words of the page that the other page lacks. */
  readonly added: number;
  /** Words of the other page that the page lacks. */
  readonly missing: number;
}

export function wordDifference(page: Uint8Array, other: Uint8Array): WordDifference {
  const tables = [tableDifference(page, other, 0), tableDifference(page, other, TABLE)] as const;
  return {
    added: Math.max(tables[0].added, tables[1].added),
    missing: Math.max(tables[0].missing, tables[1].missing),
  };
}

function tableDifference(page: Uint8Array, other: Uint8Array, from: number): WordDifference {
  let added = 0;
  let missing = 0;
  for (let at = from; at < from + TABLE; at++) {
    // A counter of 8 bits starts again at 0, and so does the difference.
    const difference = (((page[at] as number) - (other[at] as number)) << 24) >> 24;
    if (difference > 0) added += difference;
    else missing -= difference;
  }
  return { added, missing };
}
