/**
 * Corrects queries and completes words while they are typed. In: folded words, and the vocabulary of the index. Out:
 * corrections, or the best completions.
 *
 * What always holds: every word of an answer is a term of the copy, so no list of words is needed, in any language.
 * Nothing throws, whatever the input is. The work for a query is bounded. A table of the words is built when it is
 * needed first, and again when the index has grown much.
 */
import { type Candidate, candidatesFor, correctionOfKnown, lowestScore, mayBeError } from './choose-word.ts';
import { completeWord } from './complete-word.ts';
import { belongTogether, joinWords, splitWord } from './split-words.ts';
import { TermTable } from './term-table.ts';
import type { Vocabulary } from './vocabulary.ts';
import { isWord } from './word-kind.ts';

/** The words behind these are returned as they are. */
const MAX_WORDS = 32;
/** Each search for similar words costs some milliseconds. */
const MAX_SEARCHES = 6;
/** The table is built again when the index has this many times the pages. */
const MUCH_GROWTH = 1.5;
/** How much words count that follow each other somewhere in the copy. */
const PAIR_WEIGHT = 1;
const MAX_COMPLETIONS = 10;

export interface Suggestion {
  /** The words of the query with all corrections. */
  readonly words: readonly string[];
  /** In the order of the query. */
  readonly corrections: readonly Correction[];
}

export interface Correction {
  /** The index of the first replaced word, and the number of replaced words. */
  readonly first: number;
  readonly count: number;
  readonly words: readonly string[];
}

export class Spelling {
  readonly #vocabulary: Vocabulary;
  #table: TermTable | null = null;
  #documentsOfTable = 0;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** What is meant by words that follow each other in a query, or null if nothing better is known. */
  suggest(words: readonly string[]): Suggestion | null {
    if (this.#vocabulary.documents === 0) return null;
    const corrections = new QueryCorrection(this.#vocabulary, () => this.#tableOfNow(), words).find();
    if (corrections.length === 0) return null;
    const corrected = [...words];
    for (const { first, count, words: better } of corrections.toReversed()) corrected.splice(first, count, ...better);
    return { words: corrected, corrections };
  }

  /** The most probable words that begin with `prefix`, the best first. `before` is the word in front of it. */
  complete(prefix: string, before = '', limit = MAX_COMPLETIONS): string[] {
    if (prefix === '' || this.#vocabulary.documents === 0) return [];
    return completeWord(this.#vocabulary, this.#tableOfNow(), prefix, before, Math.min(limit, MAX_COMPLETIONS));
  }

  #tableOfNow(): TermTable {
    const { documents } = this.#vocabulary;
    if (this.#table === null || documents > this.#documentsOfTable * MUCH_GROWTH) {
      this.#table = new TermTable(this.#vocabulary.all());
      this.#documentsOfTable = documents;
    }
    return this.#table;
  }
}

/** The search for the corrections of one query. */
class QueryCorrection {
  readonly #vocabulary: Vocabulary;
  readonly #table: () => TermTable;
  readonly #words: readonly string[];
  readonly #documents: readonly number[];
  #searches = 0;

  constructor(vocabulary: Vocabulary, table: () => TermTable, words: readonly string[]) {
    this.#vocabulary = vocabulary;
    this.#table = table;
    this.#words = words.slice(0, MAX_WORDS);
    this.#documents = this.#words.map((word) => (isWord(word) ? vocabulary.documentsOf(word) : 0));
  }

  find(): Correction[] {
    const corrections: Correction[] = [];
    let before = '';
    for (let at = 0; at < this.#words.length; at++) {
      const alone = this.#correct(at, before);
      const joined = this.#join(at, alone);
      const better = joined ?? alone;
      const count = joined === null ? 1 : 2;
      if (better !== null) corrections.push({ first: at, count, words: better.words });
      before = better?.words.at(-1) ?? this.#words[at]!;
      at += count - 1;
    }
    return corrections;
  }

  #correct(at: number, before: string): Candidate | null {
    const word = this.#words[at]!;
    if (!isWord(word) || this.#searches >= MAX_SEARCHES) return null;
    const documents = this.#documents[at]!;
    if (documents > 0) {
      if (!mayBeError(word, documents, this.#table().mostDocuments)) return null;
      this.#searches++;
      return correctionOfKnown(this.#table(), word, documents);
    }
    this.#searches++;
    const lowest = lowestScore(word, this.#vocabulary.documents);
    const candidates = candidatesFor(this.#table(), word, lowest);
    const split = splitWord(this.#vocabulary, word);
    if (split !== null && split.score > lowest) candidates.push(split);
    return this.#bestInContext(candidates, before, this.#words[at + 1] ?? '');
  }

  /** Words that follow the word in front, or stand in front of the next word, somewhere in the copy are preferred. */
  #bestInContext(candidates: readonly Candidate[], before: string, after: string): Candidate | null {
    let best: Candidate | null = null;
    for (const { words, score } of candidates) {
      const pairs = this.#pairsOf(before, words[0]!) + this.#pairsOf(words.at(-1)!, after);
      const inContext = score + PAIR_WEIGHT * Math.log1p(pairs);
      if (best === null || inContext > best.score) best = { words, score: inContext };
    }
    return best;
  }

  #pairsOf(first: string, second: string): number {
    if (!isWord(first) || !isWord(second)) return 0;
    return this.#vocabulary.documentsWithPair?.(first, second) ?? 0;
  }

  /** The word and the next one as one word, if that explains both better than `alone`. */
  #join(at: number, alone: Candidate | null): Candidate | null {
    const [word, next] = [this.#words[at]!, this.#words[at + 1]];
    if (next === undefined || !isWord(word) || !isWord(next)) return null;
    const joined = joinWords(this.#vocabulary, word, next);
    if (joined === null) return null;
    const areKnown = this.#documents[at]! > 0 && this.#documents[at + 1]! > 0;
    if (areKnown) return belongTogether(this.#vocabulary, word, next) ? joined : null;
    return alone === null || joined.score > alone.score ? joined : null;
  }
}
