/**
 * Builds the text of a query from the fields of an advanced search page (E10). In: what the user typed into the fields.
 * Out: a query that `parseQuery` reads; it says what is wrong with a value. Words in a field are words, whatever they
 * look like: OR in "all of these words" is no operator. A phrase in quotes is a phrase in every field.
 */
import { FIELD_NAMES } from './fields.ts';
import type { WordField } from './query.ts';
import { inQuotes } from './read-phrase.ts';
import { escapeWord, WORDLIKE } from './read-word.ts';
import { isQuote, isSpace } from './signs.ts';

/** Every field may be missing or empty. */
export interface AdvancedSearch {
  readonly allWords?: string;
  readonly exactPhrase?: string;
  readonly anyWord?: string;
  readonly noneOfWords?: string;
  /** Where in the page the words above are. */
  readonly where?: WordField;
  /** What `site:`, `filetype:`, `lang:`, `date:` and `changed:` accept. */
  readonly site?: string;
  readonly fileType?: string;
  readonly language?: string;
  readonly date?: string;
  readonly changed?: string;
}

export function buildQuery(fields: AdvancedSearch): string {
  const any = partsOf(fields.anyWord);
  const words = [
    ...partsOf(fields.allWords).map(required),
    ...phrasesOf(fields.exactPhrase),
    ...(any.length > 1 ? [`(${any.join(' OR ')})`] : any.map(required)),
    ...partsOf(fields.noneOfWords).map((part) => `-${part}`),
  ];
  const inField = words.length > 0 && fields.where !== undefined && fields.where !== 'any';
  return [
    ...(inField ? [`${FIELD_NAMES[fields.where!]}:(${words.join(' ')})`] : words),
    ...filter('site', fields.site),
    ...filter('filetype', fields.fileType),
    ...filter('lang', fields.language),
    ...filter('date', fields.date),
    ...filter('changed', fields.changed),
  ].join(' ');
}

function required(part: string): string {
  return isQuote(part[0]!) ? part : `+${part}`;
}

/** The words and the phrases of a field, each as the query language writes it. */
function partsOf(text = ''): string[] {
  const parts: string[] = [];
  let start = 0;
  let isInQuotes = false;
  const add = (end: number): void => {
    const part = text.slice(start, end);
    if (isInQuotes) parts.push(...phrasesOf(part));
    else if (WORDLIKE.test(part)) parts.push(escapeWord(part));
    start = end + 1;
  };
  for (let at = 0; at < text.length; at++) {
    if (isQuote(text[at]!)) {
      add(at);
      isInQuotes = !isInQuotes;
    } else if (!isInQuotes && isSpace(text[at]!)) add(at);
  }
  add(text.length);
  return parts;
}

function phrasesOf(text = ''): string[] {
  return WORDLIKE.test(text) ? [inQuotes(text.replaceAll('"', ' ').trim())] : [];
}

function filter(name: string, value = ''): string[] {
  const text = value.trim();
  if (text === '') return [];
  return [`${name}:${/^[^\s()|"\\]+$/.test(text) ? text : inQuotes(text)}`];
}
