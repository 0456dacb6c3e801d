/** Completes a word that is being typed. */
import type { FoundWord, TermTable } from './term-table.ts';
import type { Vocabulary } from './vocabulary.ts';
import { isCompletion, isWord } from './word-kind.ts';

/** Frequent words that are compared with the word in front. */
const COMPARED = 30;
/** Identifiers and rare words are not in the table. With this many letters, few enough terms begin so. */
const LETTERS_TO_READ_TERMS = 3;
const MAX_TERMS_READ = 500;
const LONGEST_PREFIX = 64;

export function completeWord(
  vocabulary: Vocabulary,
  table: TermTable,
  prefix: string,
  before: string,
  limit: number,
): string[] {
  if (prefix.length > LONGEST_PREFIX) return [];
  const found = new Map<string, number>();
  for (const { text, documents } of table.mostFrequent(prefix, COMPARED)) found.set(text, documents);
  if (prefix.length >= LETTERS_TO_READ_TERMS) {
    for (const { term, documents } of vocabulary.startingWith(prefix, MAX_TERMS_READ))
      if (isCompletion(term)) found.set(term, documents);
  }
  found.delete(prefix);
  const words = [...found].map(([text, documents]): FoundWord => ({ text, documents }));
  words.sort((a, b) => b.documents - a.documents || (a.text < b.text ? -1 : 1));
  return inContext(vocabulary, words.slice(0, COMPARED), before)
    .slice(0, limit)
    .map(({ text }) => text);
}

/** Words that follow the word in front somewhere in the copy come first. */
function inContext(vocabulary: Vocabulary, words: FoundWord[], before: string): FoundWord[] {
  if (vocabulary.documentsWithPair === undefined || !isWord(before)) return words;
  const pairs = new Map(words.map(({ text }) => [text, vocabulary.documentsWithPair!(before, text)]));
  return words.sort((a, b) => pairs.get(b.text)! - pairs.get(a.text)! || b.documents - a.documents);
}
