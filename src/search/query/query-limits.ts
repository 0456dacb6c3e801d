/** The limits of a query. Beyond them a part is left out, and a note says so. */

/** Much longer than people write, and enough for the canonical text of a query with as many words as allowed. */
export const MAX_QUERY_CHARS = 65_536;
/**
 * Words, words of phrases, and filters. Each of them opens a list of the index, so this number bounds the memory and
 * the time of a query. Lucene has the same limit by default.
 */
export const MAX_LEAVES = 1_024;
/** Parentheses inside parentheses. It bounds the recursion of everything that reads a tree. */
export const MAX_NESTING = 50;
export const MAX_WORD_CHARS = 1_024;
export const DEFAULT_DISTANCE = 10;
export const MAX_DISTANCE = 1_000;
/** The user reads the first few notes, not thousands. */
export const MAX_NOTES_OF_A_CODE = 3;
