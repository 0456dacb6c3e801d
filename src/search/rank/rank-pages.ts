/**
 * Ranks the pages that match a query. In: a compiled query over an open index. Out: the best pages with their scores,
 * and the number of all matches.
 *
 * The total is exact, and so is the order. Pages that cannot be among the best are not scored (best-pages.ts). The best
 * pages are then compared by proximity.
 */
import type { Compiled, CompiledWords } from '../evaluate/compiled-query.ts';
import type { PageMatcher } from '../evaluate/match-pages.ts';
import type { LiveSegment } from '../index/index-reader.ts';
import { PageBits } from '../index/page-bits.ts';
import { NOINDEX } from '../index/segment/page-columns.ts';
import { PROXIMITY_PAGES, WEIGHTS } from '../weights.ts';
import { BestPages } from './best-pages.ts';
import { firstPages } from './first-pages.ts';
import { addProximity } from './proximity.ts';
import { lengthTable, type ScoredWords, scoredWords } from './score-pages.ts';
import { compareRank, type RankedPage } from './top-pages.ts';

const MOST_COMPARED = 32;

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
  const more = request.more.map((one) => ({ ...one, rarity: one.rarity * words.length * WEIGHTS.feedback }));
  const lengths = lengthTable(index);
  const near = wordsToCompare(words);
  const most = near.length < 2 ? request.most : Math.max(request.most, PROXIMITY_PAGES);
  const best = new BestPages([...words, ...more], matcher, lengths, most);
  const matches = index.segments.map((live) => {
    const found = matcher.match(query, live);
    return request.withNoindex ? found : found.without(hiddenPages(live));
  });
  let total = 0;
  let first = 0;
  // Large segments first: the sooner the best pages are good, the more pages are passed over.
  const parts = index.segments.map((live, i) => {
    const having = firstPages(query, live, matcher, rarities).and(matches[i]!);
    total += matches[i]!.count;
    first += having.count;
    return { live, found: matches[i]!, having };
  });
  parts.sort((a, b) => b.live.segment.pages - a.live.segment.pages);
  const rest = parts.map(({ live, found, having }) => ({
    live,
    pages: first < most ? found.copy().without(having) : null,
  }));
  for (const { live, having } of parts) best.take(1, having, live);
  for (const { live, pages } of rest) if (pages !== null) best.take(0, pages, live);
  const ranked = best.top.sorted();
  if (near.length >= 2) addProximity(ranked, near, matcher, lengths, request.most);
  return { pages: ranked.sort(compareRank).slice(0, request.most), total, matches, words };
}

/** The words whose closeness counts: the first ones of a very long query. */
export function wordsToCompare(words: readonly ScoredWords[]): ScoredWords[] {
  return words
    .filter(({ words: { field, pattern } }) => field !== 'anchor' && pattern === null)
    .slice(0, MOST_COMPARED);
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

const HIDDEN = new WeakMap<LiveSegment['segment'], PageBits>();

function hiddenPages({ segment }: LiveSegment): PageBits {
  let hidden = HIDDEN.get(segment);
  if (hidden === undefined) {
    hidden = new PageBits(segment.pages);
    const { flags } = segment.columns.narrow;
    for (let page = 0; page < segment.pages; page++) if (((flags[page] as number) & NOINDEX) !== 0) hidden.add(page);
    HIDDEN.set(segment, hidden);
  }
  return hidden;
}
