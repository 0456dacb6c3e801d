/** What spelling correction and completion read of an index. */

export interface Vocabulary {
  /** Number of pages in the index. */
  readonly documents: number;
  /** Number of pages that have the term; 0 if no page has it. */
  documentsOf(term: string): number;
  /** The first terms with a prefix, in the order of code units. */
  startingWith(prefix: string, limit: number): Iterable<VocabularyTerm>;
  /** All terms in the order of code units. */
  all(): Iterable<VocabularyTerm>;
  /** Number of pages in which the two terms follow each other. An index that cannot tell quickly leaves this out. */
  documentsWithPair?(first: string, second: string): number;
}

export interface VocabularyTerm {
  readonly term: string;
  readonly documents: number;
}
