/** Spaces that are missing or too many: `searchengine` for `search engine`, `datab ase` for `database`. */
import { type Candidate, scoreOf } from './choose-word.ts';
import type { Vocabulary } from './vocabulary.ts';
import { isWord, SHORTEST_WORD } from './word-kind.ts';

const MISSING_SPACE = 0.7;
/** The cost if pairs are not counted. Then two words that stand next to each other by chance are no evidence. */
const UNPROVEN_SPACE = 0.9;
/** Hardly any two pieces make a word of the copy by chance. */
const ADDED_SPACE = 0.2;
/** Without counts of pairs, short parts are no evidence: most syllables are words of some language. */
const SHORTEST_PART = 3;
/** Pairs that are looked up for a word. */
const MAX_PAIRS = 4;
/** A pair of words that both exist is joined only into a word on at least so many pages. */
const LEAST_JOINED_DOCUMENTS = 5;
/** How many times the pages of the rarer word these must be, if pairs are not counted. */
const CLEARLY_MORE = 20;

/** The best way to write an unknown word as two words of the copy, or null. */
export function splitWord(vocabulary: Vocabulary, word: string): Candidate | null {
  const countsPairs = vocabulary.documentsWithPair !== undefined;
  const shortest = countsPairs ? SHORTEST_WORD : SHORTEST_PART;
  const splits: { readonly words: readonly [string, string]; readonly expected: number }[] = [];
  for (let at = shortest; at <= word.length - shortest; at++) {
    const words = [word.slice(0, at), word.slice(at)] as const;
    if (words[0].length < SHORTEST_PART && words[1].length < SHORTEST_PART) continue;
    const expected = expectedPairs(vocabulary, ...words);
    if (expected > 0) splits.push({ words, expected });
  }
  splits.sort((a, b) => b.expected - a.expected);
  let best: Candidate | null = null;
  for (const { words, expected } of splits.slice(0, MAX_PAIRS)) {
    const documents = vocabulary.documentsWithPair?.(...words) ?? expected;
    if (documents === 0) continue;
    const score = scoreOf(documents, countsPairs ? MISSING_SPACE : UNPROVEN_SPACE);
    if (best === null || score > best.score) best = { words, score };
  }
  return best;
}

/** The pair as one word of the copy, or null. */
export function joinWords(vocabulary: Vocabulary, first: string, second: string): Candidate | null {
  const joined = first + second;
  if (!isWord(joined)) return null;
  const documents = vocabulary.documentsOf(joined);
  return documents === 0 ? null : { words: [joined], score: scoreOf(documents, ADDED_SPACE) };
}

/** Whether two words of the copy are one word: the joined word is frequent, and they never follow each other. */
export function belongTogether(vocabulary: Vocabulary, first: string, second: string): boolean {
  const documents = vocabulary.documentsOf(first + second);
  const rarer = Math.min(vocabulary.documentsOf(first), vocabulary.documentsOf(second));
  if (documents < LEAST_JOINED_DOCUMENTS) return false;
  if (vocabulary.documentsWithPair === undefined) return documents >= CLEARLY_MORE * rarer;
  return documents > rarer && vocabulary.documentsWithPair(first, second) === 0;
}

/** The number of pages with both words, if they had nothing to do with each other. */
function expectedPairs(vocabulary: Vocabulary, first: string, second: string): number {
  const documents = vocabulary.documentsOf(first);
  return documents === 0 ? 0 : (documents * vocabulary.documentsOf(second)) / vocabulary.documents;
}
