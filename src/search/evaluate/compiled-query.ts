/** A query in which each word is resolved to the terms of the index. */
import type { FilterQuery, WordField } from '../query/query.ts';

export type Compiled =
  | { readonly kind: 'plain'; readonly required: readonly Compiled[]; readonly optional: readonly Compiled[] }
  | { readonly kind: 'and' | 'or' | 'xor'; readonly operands: readonly Compiled[] }
  | { readonly kind: 'not'; readonly operand: Compiled }
  | CompiledWords
  | { readonly kind: 'near'; readonly operands: readonly CompiledWords[]; readonly distance: number }
  | { readonly kind: 'filter'; readonly filter: FilterQuery }
  | { readonly kind: 'nothing' };

/** A word, a phrase or a pattern: what gives a page its score. */
export interface CompiledWords {
  readonly kind: 'words';
  /** As the user wrote it. */
  readonly text: string;
  readonly field: WordField;
  /** Single terms, any of which is a match. The first is the word as it was written. */
  readonly terms: readonly CompiledTerm[];
  /** Sequences of terms, any of which is a match. */
  readonly phrases: readonly Phrase[];
  /** The parts of a word such as `os.path`, if it is not meant exactly. */
  readonly parts: readonly string[];
  /** A pattern has no terms: it is compared with the terms of each segment. */
  readonly pattern: string | null;
}

export interface CompiledTerm {
  readonly term: string;
  /** 1 for the word as it was written, less for another form. */
  readonly share: number;
}

export type Phrase = readonly PhrasePart[];

export interface PhrasePart {
  /** The term, or its forms, any of which is a match. */
  readonly terms: readonly string[];
  readonly offset: number;
}
