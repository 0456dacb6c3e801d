/** The languages that have a stemmer, by their two letters. */
export const STEMMED_LANGUAGES: readonly string[] = [];

/** The stem of a term; null if the language has no stemmer, or the term no stem. */
export function stemOf(_term: string, _language: string): string | null {
  return null;
}
