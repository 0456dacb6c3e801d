/**
 * The pages of a segment on which the phrases of a word stand, and what their places count. In: the phrases. Out: pages
 * in ascending order. A page is looked at once: matching and scoring both need it.
 */
import type { LiveSegment } from '../index/index-reader.ts';
import { PageBits } from '../index/page-bits.ts';
import type { SomePages } from '../index/segment/page-list.ts';
import { DESCRIPTION_FROM, PLACE_WEIGHTS, type Place, TEXT_FROM, URL_FROM } from '../index/segment/word-places.ts';
import type { CompiledWords } from './compiled-query.ts';
import type { TermLists } from './term-lists.ts';
import { WordPositions } from './word-positions.ts';

export interface PhrasePages extends SomePages {
  readonly bits: PageBits;
  /** By page: the sum of what its places count. */
  readonly weights: Float64Array;
}

/** `candidates`: the pages that may have one of the phrases. */
export function phrasePages(
  { phrases, field }: CompiledWords,
  candidates: PageBits,
  live: LiveSegment,
  lists: TermLists,
): PhrasePages {
  const bits = new PageBits(live.segment.pages);
  const pages = candidates.toArray();
  const weights = new Float64Array(pages.length);
  const positions = new WordPositions({ terms: [], phrases, field }, live, lists);
  let found = 0;
  for (let i = 0; i < pages.length; i++) {
    const page = pages[i] as number;
    const { starts, from, to } = positions.on(page);
    if (from === to) continue;
    let weight = 0;
    for (let at = from; at < to; at++) weight += PLACE_WEIGHTS[placeAt(starts[at] as number)];
    bits.add(page);
    pages[found] = page;
    weights[found++] = weight;
  }
  return { bits, pages, weights, count: found };
}

/** The roles of blocks are not known here. */
function placeAt(position: number): Place {
  if (position >= TEXT_FROM) return 'text';
  return position >= DESCRIPTION_FROM ? 'description' : position >= URL_FROM ? 'url' : 'title';
}
