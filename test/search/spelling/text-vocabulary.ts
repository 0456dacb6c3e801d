/** A vocabulary in memory, made of a few short pages. */
import type { Vocabulary, VocabularyTerm } from '../../../src/search/spelling/vocabulary.ts';

export class TextVocabulary implements Vocabulary {
  readonly #pages: readonly string[][];
  /** Number of times that all terms were read. */
  reads = 0;

  /** Each text is a page of folded words; a text with a number is that many pages. */
  constructor(texts: readonly (string | readonly [text: string, pages: number])[]) {
    this.#pages = texts.flatMap((each) => {
      const [text, pages] = typeof each === 'string' ? [each, 1] : each;
      return Array.from({ length: pages }, () => text.split(' '));
    });
  }

  get documents(): number {
    return this.#pages.length;
  }

  documentsOf(term: string): number {
    return this.#pages.filter((page) => page.includes(term)).length;
  }

  startingWith(prefix: string, limit: number): VocabularyTerm[] {
    return this.#terms()
      .filter(({ term }) => term.startsWith(prefix))
      .slice(0, limit);
  }

  all(): VocabularyTerm[] {
    this.reads++;
    return this.#terms();
  }

  addPage(text: string): void {
    (this.#pages as string[][]).push(text.split(' '));
  }

  #terms(): VocabularyTerm[] {
    return [...new Set(this.#pages.flat())].sort().map((term) => ({ term, documents: this.documentsOf(term) }));
  }
}

/** The same, and it counts words that follow each other. */
export class PairVocabulary extends TextVocabulary {
  readonly #texts: readonly string[];

  constructor(texts: readonly (readonly [text: string, pages: number])[]) {
    super(texts);
    this.#texts = texts.flatMap(([text, pages]) => Array.from({ length: pages }, () => ` ${text} `));
  }

  documentsWithPair(first: string, second: string): number {
    return this.#texts.filter((text) => text.includes(` ${first} ${second} `)).length;
  }
}
