/** Says what scores consist of. In: ranked pages and the words of their query. Out: the parts of each score. */
import type { PageMatcher } from '../evaluate/match-pages.ts';
import { lengthTable, PAGES_AT_ONCE, PageScorer, type ScoredWords } from './score-pages.ts';
import type { RankedPage } from './top-pages.ts';

export interface ScoreParts {
  readonly words: readonly WordPart[];
  /** The gain of words that stand together, and of links from other pages. */
  readonly proximityAndRank: number;
}

export interface WordPart {
  readonly text: string;
  /** The inverse document frequency of the word. */
  readonly rarity: number;
  readonly gain: number;
}

/** The parts are computed as in ranking, a word at a time. */
export function explainScores(
  pages: readonly RankedPage[],
  words: readonly ScoredWords[],
  matcher: PageMatcher,
): ScoreParts[] {
  const scorer = new PageScorer(matcher, lengthTable(matcher.index));
  const gains = pages.map(() => [] as number[]);
  for (const live of matcher.index.segments) {
    const { base, segment } = live;
    const here = pages.flatMap(({ number }, i) => (number >= base && number < base + segment.pages ? i : []));
    here.sort((a, b) => pages[a]!.number - pages[b]!.number);
    for (let from = 0; from < here.length; from += PAGES_AT_ONCE) {
      const some = here.slice(from, from + PAGES_AT_ONCE);
      const numbers = Int32Array.from(some, (i) => pages[i]!.number - base);
      for (const word of words) {
        const scores = new Float64Array(numbers.length);
        scorer.addGains(word, live, { pages: numbers, count: numbers.length }, scores);
        for (const [at, i] of some.entries()) gains[i]!.push(scores[at] as number);
      }
    }
  }
  return pages.map(({ score }, i) => {
    const parts = words.map(({ words: { text }, rarity }, word) => ({ text, rarity, gain: gains[i]![word]! }));
    return { words: parts, proximityAndRank: score - parts.reduce((sum, { gain }) => sum + gain, 0) };
  });
}
