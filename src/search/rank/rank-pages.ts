/**
 * Ranks the pages that match a query. In: a compiled query over an open index. Out: the best pages with their scores,
 * and the number of all matches.
 *
 * Every matching page is scored; nothing is left out on an estimate. The best pages are then compared by proximity.
 */
import type { Compiled, CompiledWords } from '../evaluate/compiled-query.ts';
import type { PageMatcher } from '../evaluate/match-pages.ts';
import type { LiveSegment, OpenIndex } from '../index/index-reader.ts';
import { PageBits } from '../index/page-bits.ts';
import { NOINDEX } from '../index/segment/page-columns.ts';
import { PROXIMITY_PAGES, WEIGHTS } from '../weights.ts';
import { firstPages } from './first-pages.ts';
import { Proximity } from './proximity.ts';
import { lengthTable, type ScoredWords, SegmentScores, scoredWords } from './score-pages.ts';
import { compareRank, type RankedPage, TopPages } from './top-pages.ts';

export interface RankRequest {
  /** So many results are wanted, from the first on. */
  readonly most: number;
  /** Whether pages count that ask not to be shown by search engines. */
  readonly withNoindex: boolean;
  /** Words that are not in the query, but raise the scores of its pages. Their weights add up to 1. */
  readonly more: readonly ScoredWords[];
}

export interface Ranking {
  readonly pages: readonly RankedPage[];
  readonly total: number;
  /** By segment: all matches. */
  readonly matches: readonly PageBits[];
  readonly words: readonly ScoredWords[];
}

export function rankPages(query: Compiled, matcher: PageMatcher, request: RankRequest): Ranking {
  const { index } = matcher;
  const words = scoringWords(query).map((one) => scoredWords(one, matcher));
  const rarities = new Map(words.map((one) => [one.words, one.rarity]));
  const lengths = lengthTable(index);
  const top = new TopPages(Math.max(request.most, PROXIMITY_PAGES));
  let total = 0;
  const matches = index.segments.map((live) => {
    const found = matcher.match(query, live);
    if (!request.withNoindex) removeHidden(found, live);
    const count = found.count;
    total += count;
    if (count === 0) return found;
    const first = firstPages(query, live, matcher, rarities);
    const scores = new SegmentScores(live, matcher, lengths);
    for (const one of words) scores.add(one);
    for (const one of request.more) scores.add({ ...one, rarity: one.rarity * words.length * WEIGHTS.feedback });
    const gains = rankGains(index, live);
    for (const page of found.toArray()) {
      const tier = first.has(page) ? 1 : 0;
      const score = (scores.scores[page] as number) + (gains[page] as number);
      if (top.admits(tier, score)) top.add({ number: live.base + page, tier, score });
    }
    return found;
  });
  const pages = top.sorted();
  addProximity(pages.slice(0, PROXIMITY_PAGES), words, matcher, lengths);
  return { pages: pages.sort(compareRank).slice(0, request.most), total, matches, words };
}

/** The words whose pages gain by them: all that are not under NOT. */
export function scoringWords(query: Compiled): CompiledWords[] {
  switch (query.kind) {
    case 'words':
      return [query];
    case 'plain':
      return [...query.required, ...query.optional].flatMap(scoringWords);
    case 'and':
    case 'or':
    case 'xor':
    case 'near':
      return query.operands.flatMap(scoringWords);
    default:
      return [];
  }
}

/** The gains of pages by their PageRank. They are the same for all queries in one state of the index. */
const RANK_GAINS = new WeakMap<LiveSegment, Float64Array>();

function rankGains({ averageRank }: OpenIndex, live: LiveSegment): Float64Array {
  const known = RANK_GAINS.get(live);
  if (known !== undefined) return known;
  const { columns, pages } = live.segment;
  const gains = new Float64Array(pages);
  for (let page = 0; page < pages; page++) {
    gains[page] = WEIGHTS.pageRank * Math.log10(1 + columns.pageRank(page) / averageRank);
  }
  RANK_GAINS.set(live, gains);
  return gains;
}

const HIDDEN = new WeakMap<LiveSegment['segment'], PageBits>();

function removeHidden(found: PageBits, { segment }: LiveSegment): void {
  let hidden = HIDDEN.get(segment);
  if (hidden === undefined) {
    hidden = new PageBits(segment.pages);
    const { flags } = segment.columns.narrow;
    for (let page = 0; page < segment.pages; page++) if (((flags[page] as number) & NOINDEX) !== 0) hidden.add(page);
    HIDDEN.set(segment, hidden);
  }
  found.without(hidden);
}

/** Raises the scores of pages on which the words stand together. */
function addProximity(
  pages: readonly RankedPage[],
  words: readonly ScoredWords[],
  matcher: PageMatcher,
  lengths: Float64Array,
): void {
  const inPages = words.filter(({ words: { field, pattern } }) => field !== 'anchor' && pattern === null);
  if (inPages.length < 2) return;
  const ascending = [...pages].sort((a, b) => a.number - b.number);
  for (const live of matcher.index.segments) {
    const { base, segment } = live;
    const here = ascending.filter(({ number }) => number >= base && number < base + segment.pages);
    if (here.length === 0) continue;
    const proximity = new Proximity(inPages, live, matcher);
    for (const ranked of here) {
      const page = ranked.number - base;
      const length = segment.columns.narrow.length[page] as number;
      ranked.score += proximity.gainOf(page, lengths[length] as number);
    }
  }
}
