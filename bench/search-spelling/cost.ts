/**
 * Measures time and memory with large vocabularies. In: real words, and a number of terms. Out: CPU times and bytes. The
 * terms beyond the real words are made by a model of three letters, so that as many words are close to a word as in a
 * real vocabulary of this size.
 */
import { Spelling } from '../../src/search/spelling/spelling.ts';
import { TermTable } from '../../src/search/spelling/term-table.ts';
import type { Vocabulary, VocabularyTerm } from '../../src/search/spelling/vocabulary.ts';
import { type Random, randomBelow, seededRandom } from '../../testbed/random.ts';
import { mistype } from './typing-errors.ts';

export interface CostRow {
  readonly terms: number;
  readonly words: number;
  readonly buildMs: number;
  readonly megabytes: number;
  /** CPU time of one corrected word: the median, the 95th of 100, and the highest. */
  readonly wordMs: readonly [number, number, number];
  readonly completionMs: readonly [number, number, number];
}

const QUERIES = 400;
const PREFIXES = ['a', 's', 'c', 'x', 'co', 'in', 'pre', 'tra', 'inter', 'compi'];
const ROUNDS = 10;
const LATIN_WORD = /^[a-z]{3,20}$/;
const START = '^^^';
const END = '$';
const LONGEST = 24;

export function measureCost(realTerms: Iterable<VocabularyTerm>, terms: number): CostRow {
  const random = seededRandom(1, terms);
  const vocabulary = largeVocabulary(realTerms, terms, random);
  const all = [...vocabulary.all()];
  new TermTable(all);
  const { ms: buildMs, result: table } = cpuTime(() => new TermTable(all));
  const spelling = new Spelling(vocabulary);
  spelling.complete('a');
  const wordTimes = Array.from({ length: QUERIES }, () => {
    const written = mistype(all[randomBelow(random, all.length)]!.term, 'qwerty', random);
    return cpuTime(() => spelling.suggest([written])).ms;
  });
  const completionTimes = Array.from({ length: ROUNDS }, () =>
    PREFIXES.map((prefix) => cpuTime(() => spelling.complete(prefix)).ms),
  ).flat();
  return {
    terms,
    words: table.count,
    buildMs,
    megabytes: table.bytes / 1e6,
    wordMs: spread(wordTimes),
    completionMs: spread(completionTimes),
  };
}

function largeVocabulary(realTerms: Iterable<VocabularyTerm>, count: number, random: Random): Vocabulary {
  const documentsOf = new Map<string, number>();
  const next = new Map<string, string>();
  for (const { term, documents } of realTerms) {
    if (!LATIN_WORD.test(term)) continue;
    if (documentsOf.size < count) documentsOf.set(term, documents);
    const text = START + term + END;
    for (let i = START.length; i < text.length; i++) {
      const key = text.slice(i - START.length, i);
      next.set(key, (next.get(key) ?? '') + text[i]);
    }
  }
  while (documentsOf.size < count) {
    const word = madeWord(next, random);
    // Most words are on one or two pages, and a few on many, as in any text.
    if (!documentsOf.has(word)) documentsOf.set(word, Math.ceil(0.7 / (random() + 1e-4)));
  }
  const sorted = [...documentsOf.keys()].sort();
  return {
    documents: count,
    documentsOf: (term) => documentsOf.get(term) ?? 0,
    *startingWith(prefix, limit) {
      let from = 0;
      for (let step = 2 ** 23; step >= 1; step /= 2) if (sorted[from + step - 1]! < prefix) from += step;
      for (const term of sorted.slice(from, from + limit)) {
        if (!term.startsWith(prefix)) return;
        yield { term, documents: documentsOf.get(term)! };
      }
    },
    *all() {
      for (const term of sorted) yield { term, documents: documentsOf.get(term)! };
    },
  };
}

function madeWord(next: ReadonlyMap<string, string>, random: Random): string {
  let word = '';
  for (let key = START; word.length < LONGEST; ) {
    const choices = next.get(key)!;
    const letter = choices[randomBelow(random, choices.length)]!;
    if (letter === END) break;
    word += letter;
    key = key.slice(1) + letter;
  }
  return word;
}

function cpuTime<T>(work: () => T): { ms: number; result: T } {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1000, result };
}

function spread(times: number[]): [number, number, number] {
  const sorted = times.toSorted((a, b) => a - b);
  return [sorted[sorted.length >> 1]!, sorted[Math.floor(sorted.length * 0.95)]!, sorted.at(-1)!];
}
