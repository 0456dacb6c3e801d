/**
 * A query as a tree. The parser makes it from what the user typed; the evaluation reads nothing else.
 *
 * What always holds in a tree of the parser: `and`, `or`, `xor` and `near` have at least two operands, `plain` has at
 * least one optional word and two operands in all; the operand of `not` is not a `not`; `nothing` is only the root; and
 * no branch has more than about 350 nodes, so that a recursive reader is safe.
 */

/** Where words are looked for. `any`: everywhere. */
export const WORD_FIELDS = ['any', 'title', 'url', 'anchor'] as const;
export type WordField = (typeof WORD_FIELDS)[number];

export type Query =
  | PlainQuery
  /** `xor`: an odd number of the operands match. */
  | { readonly kind: 'and' | 'or' | 'xor'; readonly operands: readonly Query[] }
  /** All pages except those of the operand. */
  | { readonly kind: 'not'; readonly operand: Query }
  | WordQuery
  | PhraseQuery
  | NearQuery
  | PatternQuery
  | FilterQuery
  /** Matches no page: what is left of a query without a usable word. */
  | { readonly kind: 'nothing' };

/**
 * Words without an operator between them, and beside them what the user wrote with an operator. A page matches if all
 * of `required` match or, where nothing is required, at least one of `optional`. Pages with all of both come first.
 */
export interface PlainQuery {
  readonly kind: 'plain';
  readonly required: readonly Query[];
  /** All have the same field, and no word is exact. */
  readonly optional: readonly (WordQuery | PatternQuery)[];
}

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

/**
 * Words or phrases in one field, in any order, all within a window: the last of them begins at most `distance` words
 * after the first of them ends. The field of an operand is never `anchor`.
 */
export interface NearQuery {
  readonly kind: 'near';
  readonly operands: readonly (WordQuery | PhraseQuery)[];
  readonly distance: number;
}

/** A word with `*` (any letters, or none) or `?` (exactly one letter). */
export interface PatternQuery {
  readonly kind: 'pattern';
  readonly text: string;
  readonly field: WordField;
}

export type FilterQuery =
  /**
   * The host, or a domain above it. A host with a port means exactly this port. `path` limits the filter to the URLs
   * whose path and query begin with it; '' is no limit.
   */
  | { readonly kind: 'site'; readonly host: string; readonly path: string }
  | { readonly kind: 'filetype' | 'lang'; readonly value: string }
  /** The content was fetched, or changed, in this range of time. Null: no limit. The end does not belong to it. */
  | { readonly kind: 'date' | 'changed'; readonly fromMs: number | null; readonly toMs: number | null }
  /** Pages that link to this URL, which is in normal form. */
  | { readonly kind: 'link'; readonly url: string }
  /** Both ends belong to the range. Null: no limit. */
  | { readonly kind: 'depth'; readonly from: number; readonly to: number | null };

const FILTERS: readonly Query['kind'][] = ['site', 'filetype', 'lang', 'date', 'changed', 'link', 'depth'];

/** True for a query that only limits the pages: it names no word that a page should have. */
export function isRestriction(query: Query): boolean {
  switch (query.kind) {
    case 'and':
    case 'or':
    case 'xor':
      return query.operands.every(isRestriction);
    case 'not':
      return true;
    default:
      return FILTERS.includes(query.kind);
  }
}
