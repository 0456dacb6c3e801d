/**
 * Ranks all pages that match a query, without leaving out any (docs/search-ranking.md). In: a query and an open index.
 * Out: the ids of all pages that match, and the best of them with their scores.
 */
import { Compiler } from '../../../src/search/evaluate/compile.ts';
import type { LinkSources } from '../../../src/search/evaluate/filter-pages.ts';
import { loosen } from '../../../src/search/evaluate/loosen.ts';
import { PageMatcher } from '../../../src/search/evaluate/match-pages.ts';
import { TermLists } from '../../../src/search/evaluate/term-lists.ts';
import type { OpenIndex } from '../../../src/search/index/index-reader.ts';
import type { Query } from '../../../src/search/query/query.ts';
import { inOrder } from '../../../src/search/rank/best-pages.ts';
import { firstPages } from '../../../src/search/rank/first-pages.ts';
import { addProximity } from '../../../src/search/rank/proximity.ts';
import { scoringWords, wordsToCompare } from '../../../src/search/rank/rank-pages.ts';
import { lengthTable, PAGES_AT_ONCE, PageScorer, scoredWords } from '../../../src/search/rank/score-pages.ts';
import { compareRank, type RankedPage } from '../../../src/search/rank/top-pages.ts';
import { PROXIMITY_PAGES, WEIGHTS } from '../../../src/search/weights.ts';

export interface ExhaustiveRanking {
  readonly found: ReadonlySet<number>;
  readonly best: readonly { readonly urlId: number; readonly score: number }[];
}

export function rankAll(index: OpenIndex, query: Query, sources: LinkSources, most: number): ExhaustiveRanking {
  const compiler = new Compiler(index);
  const matcher = new PageMatcher(index, new TermLists(), sources);
  const compiled = loosen(compiler.compile(query), matcher, (term) => compiler.wordOf(term));
  const words = scoringWords(compiled).map((one) => scoredWords(one, matcher));
  const rarities = new Map(words.map((one) => [one.words, one.rarity]));
  const lengths = lengthTable(index);
  const scorer = new PageScorer(matcher, lengths);
  // Scores with fractions depend on the order in which gains are added.
  const scored = inOrder(words);
  const ranked: RankedPage[] = [];
  const ids = new Map<number, number>();
  for (const live of index.segments) {
    const matching = matcher.match(compiled, live);
    const first = firstPages(compiled, live, matcher, rarities);
    const all = matching.toArray();
    for (let from = 0; from < all.length; from += PAGES_AT_ONCE) {
      const pages = all.subarray(from, from + PAGES_AT_ONCE);
      const scores = new Float64Array(pages.length);
      for (const word of scored) scorer.addGains(word, live, { pages, count: pages.length }, scores);
      for (const [i, page] of pages.entries()) {
        const number = live.base + page;
        const rank = live.segment.columns.pageRank(page);
        const score = scores[i]! + WEIGHTS.pageRank * Math.log10(1 + rank / index.averageRank);
        ranked.push({ number, tier: first.has(page) ? 1 : 0, score });
        ids.set(number, live.segment.columns.wide.urlId[page]!);
      }
    }
  }
  ranked.sort(compareRank);
  const near = wordsToCompare(words);
  if (near.length >= 2) addProximity(ranked.slice(0, PROXIMITY_PAGES), near, matcher, lengths, PROXIMITY_PAGES);
  const best = ranked.sort(compareRank).slice(0, most);
  return { found: new Set(ids.values()), best: best.map(({ number, score }) => ({ urlId: ids.get(number)!, score })) };
}
