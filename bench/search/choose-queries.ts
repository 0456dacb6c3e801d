/**
 * The queries of the search benchmark. In: a collection. Out: a thousand queries of twelve kinds, mixed. Words, phrases
 * and neighbours come from random places of the documents, so every engine finds something.
 */
import { openSync, readSync } from 'node:fs';
import { type Random, randomBelow, seededRandom } from '../../testbed/random.ts';
import type { Collection, Document } from './collection.ts';

/** The kinds, and how many queries there are of each. */
const COUNTS = {
  'frequent word': 70,
  'medium word': 70,
  'rare word': 60,
  plain: 220,
  and: 100,
  'or 4': 70,
  'or 8': 50,
  phrase: 100,
  'frequent phrase': 30,
  near: 60,
  prefix: 60,
  intitle: 60,
  not: 50,
} as const;
export type QueryKind = keyof typeof COUNTS;
export const QUERY_KINDS = Object.keys(COUNTS) as QueryKind[];
/** So many results are asked for. */
export const TOP = 10;

export interface BenchQuery {
  readonly kind: QueryKind;
  readonly words: readonly string[];
}

const SAMPLE_BYTES = 30_000_000;
/** The share of the documents that have a frequent word, and a medium one. */
const FREQUENT = 0.1;
const MEDIUM = 0.005;
const LEAST_OF_RARE = 2;
const LETTERS = /[a-z]{2,}/g;

export function chooseQueries(collection: Collection, seed: number): BenchQuery[] {
  const chooser = new QueryChooser(sampleOf(collection), seededRandom(seed));
  const queries = QUERY_KINDS.flatMap((kind) =>
    Array.from({ length: COUNTS[kind] }, (): BenchQuery => ({ kind, words: chooser.wordsFor(kind) })),
  );
  const random = seededRandom(seed, 1);
  for (let i = queries.length - 1; i > 0; i--) {
    const j = randomBelow(random, i + 1);
    [queries[i], queries[j]] = [queries[j]!, queries[i]!];
  }
  return queries;
}

function sampleOf({ path }: Collection): Document[] {
  const bytes = Buffer.alloc(SAMPLE_BYTES);
  const length = readSync(openSync(path, 'r'), bytes);
  const lines = bytes.toString('utf8', 0, length).split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Document);
}

class QueryChooser {
  readonly #random: Random;
  readonly #texts: readonly (readonly string[])[];
  readonly #titles: readonly (readonly string[])[];
  readonly #counts = new Map<string, number>();
  readonly #byFrequency: Readonly<Record<'frequent' | 'medium' | 'rare', string[]>> = {
    frequent: [],
    medium: [],
    rare: [],
  };

  constructor(sample: readonly Document[], random: Random) {
    this.#random = random;
    const wordsOf = (text: string): string[] => text.toLowerCase().match(LETTERS) ?? [];
    this.#texts = sample.map(({ text }) => wordsOf(text)).filter(({ length }) => length >= 20);
    this.#titles = sample.map(({ title }) => wordsOf(title)).filter(({ length }) => length > 0);
    for (const words of this.#texts) {
      for (const word of new Set(words)) this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
    }
    for (const [word, count] of this.#counts) {
      const share = count / this.#texts.length;
      if (count >= LEAST_OF_RARE)
        this.#byFrequency[share >= FREQUENT ? 'frequent' : share >= MEDIUM ? 'medium' : 'rare'].push(word);
    }
  }

  wordsFor(kind: QueryKind): string[] {
    switch (kind) {
      case 'frequent word':
        return [this.#pick(this.#byFrequency.frequent)];
      case 'medium word':
        return [this.#pick(this.#byFrequency.medium)];
      case 'rare word':
        return [this.#pick(this.#byFrequency.rare)];
      case 'plain':
        return this.#near(2 + randomBelow(this.#random, 3), 12);
      case 'and':
        return this.#near(2 + randomBelow(this.#random, 2), 20);
      case 'or 4':
        return this.#mixed(4);
      case 'or 8':
        return this.#mixed(8);
      case 'phrase':
        return this.#phrase(2 + randomBelow(this.#random, 3));
      case 'frequent phrase':
        return this.#frequentPhrase();
      case 'near':
        return this.#near(2, 5);
      case 'prefix':
        return [this.#pick(this.#byFrequency.medium).slice(0, 3 + randomBelow(this.#random, 3))];
      case 'intitle':
        return [this.#pick(this.#pick(this.#titles))];
      case 'not':
        return [this.#pick(this.#byFrequency.medium), this.#pick(this.#byFrequency.frequent)];
    }
  }

  #pick<One>(all: readonly One[]): One {
    return all[randomBelow(this.#random, all.length)]!;
  }

  /** Some words of a short passage of a document. */
  #near(count: number, passage: number): string[] {
    const words = this.#pick(this.#texts);
    const from = randomBelow(this.#random, Math.max(1, words.length - passage));
    const places = Array.from({ length: passage }, (_, i) => i);
    while (places.length > count) places.splice(randomBelow(this.#random, places.length), 1);
    return places.map((place) => words[from + place]!);
  }

  #phrase(count: number): string[] {
    const words = this.#pick(this.#texts);
    const from = randomBelow(this.#random, words.length - count);
    return words.slice(from, from + count);
  }

  #frequentPhrase(): string[] {
    const least = FREQUENT * this.#texts.length;
    for (;;) {
      const words = this.#phrase(2 + randomBelow(this.#random, 2));
      if (words.every((word) => this.#counts.get(word)! >= least)) return words;
    }
  }

  #mixed(count: number): string[] {
    const { medium, frequent, rare } = this.#byFrequency;
    const classes = [medium, frequent, medium, rare];
    return Array.from({ length: count }, (_, i) => this.#pick(classes[i % classes.length]!));
  }
}
