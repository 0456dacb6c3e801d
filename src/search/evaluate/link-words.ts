/**
 * Finds pages by the texts of the links that lead to them. In: the words of a query. Out: the pages, by their numbers,
 * and how many pages link to each with such a text. Links of dead pages do not count.
 */
import type { LiveSegment, OpenIndex } from '../index/index-reader.ts';
import { PageBits } from '../index/page-bits.ts';
import { linkKey } from '../index/segment/keys.ts';
import { LINK_POSITIONS } from '../index/segment/word-places.ts';
import type { CompiledWords } from './compiled-query.ts';
import type { TermLists } from './term-lists.ts';
import { WordPositions } from './word-positions.ts';

export type LinkedPages = ReadonlyMap<number, number>;

export function linkedPages(index: OpenIndex, { terms, phrases }: CompiledWords, lists: TermLists): LinkedPages {
  const counts = new Map<number, number>();
  for (const live of index.segments) {
    const { segment } = live;
    const sources = new PageBits(segment.pages);
    const firsts = [...terms.map(({ term }) => term), ...phrases.flatMap(([first]) => first!.terms)];
    for (const term of firsts) {
      const list = lists.list(live, linkKey(term));
      list?.addTo(sources);
    }
    if (sources.and(live.live).isEmpty) continue;
    const words = new WordPositions({ terms, phrases, field: 'link' }, live, lists, linkKey);
    for (const page of sources) {
      const { starts, from, to } = words.on(page);
      countTargets(index, live, page, starts.subarray(from, to), counts);
    }
  }
  return counts;
}

/** Counts a page for each target of its links that have one of the positions. */
export function countTargets(
  index: OpenIndex,
  { segment }: LiveSegment,
  page: number,
  positions: Int32Array,
  counts: Map<number, number>,
): void {
  if (positions.length === 0) return;
  const targets = segment.linkTargets(page);
  const ids = new Set<number>();
  for (const position of positions) ids.add(targets[Math.floor(position / LINK_POSITIONS)] ?? 0);
  for (const id of ids) {
    const number = index.numberOf(id);
    if (number >= 0) counts.set(number, (counts.get(number) ?? 0) + 1);
  }
}
