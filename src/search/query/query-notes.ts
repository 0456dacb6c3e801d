/** What the parser tells the user about a query: a closed list of codes, each with a sentence. */
import { cut } from '../../core/text/truncate-text.ts';
import {
  DEFAULT_DISTANCE,
  MAX_DISTANCE,
  MAX_LEAVES,
  MAX_NESTING,
  MAX_NOTES_OF_A_CODE,
  MAX_QUERY_CHARS,
} from './query-limits.ts';

const MAX_QUOTED_CHARS = 60;

/** Each sentence gets the part of the query that it is about. */
const SENTENCES = {
  'query-too-long': () => `The query is longer than ${MAX_QUERY_CHARS} characters. The rest was left out.`,
  'too-many-words': () =>
    `The query has more than ${MAX_LEAVES} words, words of phrases and filters. The rest was left out.`,
  'nested-too-deep': () =>
    `The query has more than ${MAX_NESTING} parentheses inside each other. The inner ones were ignored.`,
  'word-too-long': (part) => `The word ${part} is too long. Its end was left out.`,
  'quote-not-closed': () =>
    'A quotation mark has no partner, so it was ignored. Write a phrase between two: "exact phrase".',
  'parenthesis-not-closed': () => 'A parenthesis was not closed. It was read as closed at the end of the query.',
  'parenthesis-not-opened': () => 'A closing parenthesis has no partner, so it was ignored.',
  'operator-ignored': (part) =>
    `${part} has no word where it needs one, so it was ignored. In lower case it is a word.`,
  'operators-as-words': () => 'The query has only operators. They were searched for as words.',
  'sign-ignored': (part) => `${part} has no letter and no digit, so it was ignored.`,
  'wildcard-ignored': (part) => `${part} is not only letters and digits, so * and ? in it were ignored.`,
  'boost-ignored': (part) => `${part} was ignored. Weights (^2) and similar spellings (~1) do not exist here.`,
  'near-became-and': (part) =>
    `NEAR works between words and phrases in the text of a page. ${part} is neither, so NEAR was read as AND.`,
  'near-distance': (part) =>
    `The distance of ${part} was replaced: it is not from 1 to ${MAX_DISTANCE}. NEAR alone is NEAR/${DEFAULT_DISTANCE}.`,
  'field-without-value': (part) =>
    `${part} has no value, so it was searched for as a word. Write the value without a space: site:example.com.`,
  'unknown-field': (part) => `${part} It was searched for as a word.`,
  'bad-value': (part) => `${part}, so this filter was searched for as a word.`,
  'range-turned': (part) => `The range ${part} ends before it begins. Its ends were exchanged.`,
  'nothing-to-search': () => 'The query has no word and no filter, so it finds nothing.',
} satisfies Record<string, (part: string) => string>;

export type QueryNoteCode = keyof typeof SENTENCES;
export const QUERY_NOTE_CODES = Object.keys(SENTENCES) as QueryNoteCode[];

export interface QueryNote {
  readonly code: QueryNoteCode;
  /** One or two sentences for the user. */
  readonly message: string;
}

export class NoteList {
  readonly #messages = new Map<QueryNoteCode, Set<string>>();

  /** `part` is the part of the query, already quoted or put into words. A note that exists is not repeated. */
  add(code: QueryNoteCode, part = ''): void {
    const messages = this.#messages.get(code) ?? new Set<string>();
    this.#messages.set(code, messages);
    if (messages.size < MAX_NOTES_OF_A_CODE) messages.add(SENTENCES[code](part));
  }

  all(): QueryNote[] {
    return [...this.#messages].flatMap(([code, messages]) => [...messages].map((message) => ({ code, message })));
  }
}

/** A part of the query as notes show it. */
export function quoted(part: string): string {
  return `"${cut(part, MAX_QUOTED_CHARS)}"`;
}
