/** A vocabulary in memory, made of the words of pages. It also knows which words stand next to each other. */
import type { Vocabulary } from '../../src/search/spelling/vocabulary.ts';
import type { PageTerms } from './read-words.ts';

/** Pages that are looked through for a pair. The count of the others is estimated. */
const PAIR_SAMPLE = 200;

export class PageVocabulary implements Vocabulary {
  readonly documents: number;
  readonly #ids = new Map<string, number>();
  readonly #sorted: readonly string[];
  /** The pages of each term, in order. */
  readonly #pagesOf: number[][] = [];
  readonly #texts: readonly Int32Array[];
  readonly #pairs = new Map<string, number>();

  constructor(pages: readonly PageTerms[]) {
    this.documents = pages.length;
    this.#texts = pages.map(({ terms }, page) => Int32Array.from(terms, (term) => this.#add(term, page)));
    this.#sorted = [...this.#ids.keys()].sort((a, b) => (a < b ? -1 : 1));
  }

  #add(term: string, page: number): number {
    let id = this.#ids.get(term);
    if (id === undefined) {
      id = this.#ids.size;
      this.#ids.set(term, id);
      this.#pagesOf.push([]);
    }
    const pages = this.#pagesOf[id]!;
    if (pages.at(-1) !== page) pages.push(page);
    return id;
  }

  documentsOf(term: string): number {
    const id = this.#ids.get(term);
    return id === undefined ? 0 : this.#pagesOf[id]!.length;
  }

  *startingWith(prefix: string, limit: number): Iterable<{ term: string; documents: number }> {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#sorted[middle]! < prefix) low = middle + 1;
      else high = middle;
    }
    for (let i = low; i < Math.min(this.#sorted.length, low + limit) && this.#sorted[i]!.startsWith(prefix); i++)
      yield { term: this.#sorted[i]!, documents: this.documentsOf(this.#sorted[i]!) };
  }

  *all(): Iterable<{ term: string; documents: number }> {
    for (const term of this.#sorted) yield { term, documents: this.documentsOf(term) };
  }

  documentsWithPair(first: string, second: string): number {
    const key = `${first} ${second}`;
    let count = this.#pairs.get(key);
    if (count === undefined) {
      count = this.#countPairs(first, second);
      this.#pairs.set(key, count);
    }
    return count;
  }

  #countPairs(first: string, second: string): number {
    const [a, b] = [this.#ids.get(first), this.#ids.get(second)];
    if (a === undefined || b === undefined) return 0;
    const [short, long] = [this.#pagesOf[a]!, this.#pagesOf[b]!].sort((x, y) => x.length - y.length) as [
      number[],
      number[],
    ];
    const others = new Set(long);
    const both = short.filter((page) => others.has(page));
    const sample = both.slice(0, PAIR_SAMPLE);
    const found = sample.filter((page) => hasPair(this.#texts[page]!, a, b)).length;
    return sample.length === 0 ? 0 : Math.round((found * both.length) / sample.length);
  }
}

function hasPair(text: Int32Array, a: number, b: number): boolean {
  for (let at = text.indexOf(a); at !== -1; at = text.indexOf(a, at + 1)) if (text[at + 1] === b) return true;
  return false;
}
