/** Says what scores consist of. In: ranked pages and the words of their query. Out: the parts of each score. */
import type { PageMatcher } from '../evaluate/match-pages.ts';
import { lengthTable, type ScoredWords, SegmentScores } from './score-pages.ts';
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
  const lengths = lengthTable(matcher.index);
  const gains = pages.map(() => [] as number[]);
  for (const live of matcher.index.segments) {
    const { base, segment } = live;
    const here = pages.flatMap(({ number }, i) => (number >= base && number < base + segment.pages ? i : []));
    if (here.length === 0) continue;
    for (const word of words) {
      const scores = new SegmentScores(live, matcher, lengths);
      scores.add(word);
      for (const i of here) gains[i]!.push(scores.scores[pages[i]!.number - base] as number);
    }
  }
  return pages.map(({ score }, i) => {
    const parts = words.map(({ words: { text }, rarity }, word) => ({ text, rarity, gain: gains[i]![word]! }));
    return { words: parts, proximityAndRank: score - parts.reduce((sum, { gain }) => sum + gain, 0) };
  });
}
