/**
 * The keys of a segment's dictionary. A term is its own key. The terms of link texts, the stems and the spellings have
 * keys of their own, which begin with a control character. No term has one.
 */

const LINK = '\u0001';
const FORMS = '\u0002';
/** All terms are greater than the other keys. */
export const FIRST_TERM = '\u0003';

/** A term in the texts of links. Its pages are those that have the links. */
export function linkKey(term: string): string {
  return LINK + term;
}

/** A stem of a language. Its data are the terms with this stem. */
export function stemKey(language: string, stem: string): string {
  return `${FORMS}${language}${FORMS}${stem}`;
}

/** A spelling without accents. Its data are the terms with this spelling. No language has an empty name. */
export function spellingKey(spelling: string): string {
  return stemKey('', spelling);
}

/** The stem or the spelling in the key of one. */
export function stemIn(key: string): string {
  return key.slice(key.lastIndexOf(FORMS) + 1);
}

/** Whether the data of a key are terms. */
export function isFormsKey(key: string): boolean {
  return key.startsWith(FORMS);
}
