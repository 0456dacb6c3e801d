/** The terms of an index, for correction and completion. In: an open index. Out: terms with their page counts. */
import { PageMatcher } from './evaluate/match-pages.ts';
import { TermLists } from './evaluate/term-lists.ts';
import type { OpenIndex } from './index/index-reader.ts';
import type { Vocabulary, VocabularyTerm } from './spelling/vocabulary.ts';

/** Two frequent words are on so many pages together that looking at all of them is slow. */
const MOST_COMPARED = 2_000;
/** The share of these pages on which they follow each other is then taken to be this. It is never nothing. */
const FOLLOWING_SHARE = 0.1;

export class IndexVocabulary implements Vocabulary {
  /** The state of the index for the current question. */
  index: OpenIndex;

  constructor(index: OpenIndex) {
    this.index = index;
  }

  get documents(): number {
    return this.index.pages;
  }

  documentsOf(term: string): number {
    return this.index.segments.reduce((sum, { segment }) => sum + (segment.dictionary.find(term)?.count ?? 0), 0);
  }

  *startingWith(prefix: string, limit: number): Generator<VocabularyTerm> {
    let left = limit;
    for (const term of this.#terms(prefix)) {
      if (left-- <= 0) return;
      yield term;
    }
  }

  all(): Generator<VocabularyTerm> {
    return this.#terms('');
  }

  documentsWithPair(first: string, second: string): number {
    const matcher = new PageMatcher(this.index, new TermLists(), new Map());
    const words = { kind: 'words', text: '', field: 'any', parts: [], pattern: null } as const;
    const both = [first, second].map((term) => ({ ...words, terms: [{ term, share: 1 }], phrases: [] }));
    const parts = [first, second].map((term, offset) => ({ terms: [term], offset }));
    let found = 0;
    for (const live of this.index.segments) {
      const together = matcher.match({ kind: 'and', operands: both }, live).count;
      if (together > MOST_COMPARED) found += Math.ceil(FOLLOWING_SHARE * together);
      else if (together > 0) found += matcher.match({ ...words, terms: [], phrases: [parts] }, live).count;
    }
    return found;
  }

  /** The terms of all segments, joined in their order. */
  *#terms(prefix: string): Generator<VocabularyTerm> {
    const sources = this.index.segments.map(({ segment }) => segment.termsFrom(prefix));
    const next = sources.map((source) => source.next());
    for (;;) {
      let term: string | null = null;
      for (const { done, value } of next) if (!done && (term === null || value.key < term)) term = value.key;
      if (term === null) return;
      let documents = 0;
      for (const [i, { done, value }] of next.entries()) {
        if (done || value.key !== term) continue;
        documents += value.count;
        next[i] = sources[i]!.next();
      }
      yield { term, documents };
    }
  }
}
