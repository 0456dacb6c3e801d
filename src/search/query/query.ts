/** A query as a tree. The parser makes it from what the user typed; the evaluation reads nothing else. */

/** Where words are looked for. `any`: everywhere. */
export const WORD_FIELDS = ['any', 'title', 'url', 'anchor'] as const;
export type WordField = (typeof WORD_FIELDS)[number];

export type Query =
  /** Words without an operator between them: pages with all of them come first, then pages with some of them. */
  | { readonly kind: 'plain'; readonly operands: readonly Query[] }
  | { readonly kind: 'and' | 'or' | 'xor'; readonly operands: readonly Query[] }
  /** All pages except those of the operand. */
  | { readonly kind: 'not'; readonly operand: Query }
  | WordQuery
  | PhraseQuery
  /** Words or phrases that are at most `distance` words apart, in any order. */
  | { readonly kind: 'near'; readonly operands: readonly (WordQuery | PhraseQuery)[]; readonly distance: number }
  | PatternQuery
  | FilterQuery
  /** Matches no page: what is left of a query without a usable word. */
  | { readonly kind: 'nothing' };

/** One word as it was written. It also matches the other forms of the word, unless it is exact. */
export interface WordQuery {
  readonly kind: 'word';
  readonly text: string;
  readonly field: WordField;
  readonly isExact: boolean;
}

/** Words that follow each other, in exactly this form. */
export interface PhraseQuery {
  readonly kind: 'phrase';
  readonly text: string;
  readonly field: WordField;
}

/** A word with `*` (any letters) or `?` (one letter). */
export interface PatternQuery {
  readonly kind: 'pattern';
  readonly text: string;
  readonly field: WordField;
}

export type FilterQuery =
  /** The host, or a domain above it; `path` limits the filter to the URLs that begin with it. */
  | { readonly kind: 'site'; readonly host: string; readonly path: string }
  | { readonly kind: 'filetype' | 'lang'; readonly value: string }
  /** The content was fetched, or changed, in this range of time. Null: no limit. The end does not belong to it. */
  | { readonly kind: 'date' | 'changed'; readonly fromMs: number | null; readonly toMs: number | null }
  /** Pages that link to this URL. */
  | { readonly kind: 'link'; readonly url: string }
  | { readonly kind: 'depth'; readonly from: number; readonly to: number };
