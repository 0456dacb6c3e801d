/**
 * Recognises links that change something when they are followed: log out, delete, buy, vote … In: a URL in normal form,
 * or the label of a link. Out: true if its words name an action. `action-words.ts` has the words.
 *
 * A segment of a path, the name or the value of a parameter, and a label are split into words. They name an action if a
 * phrase of the table is all of them, or their beginning or end in a text of few words: `delete`, `delete-account` and
 * `user_delete` do, `logout-times-of-trains` does not. A file of a fixed kind without a query (`sql-delete.html`) does
 * nothing on the server; of these only a name that means "log out" or "unsubscribe" alone counts.
 *
 * What always holds: the answer depends on the text alone, and the time is linear in its length.
 */
import { decodeUri } from '../../core/decode-uri.ts';
import { pathEnd, pathStart } from '../host.ts';
import { ACTION_WORDS, ACTIONS } from './action-words.ts';

/** More words are a title or a sentence, not the name of an action. */
const MAX_SEGMENT_WORDS = 3;
const MAX_LABEL_WORDS = 4;
/** Letters that a phrase of a script without spaces may have beside it. */
const MAX_EXTRA_LETTERS = 4;
const MAX_TEXT_CHARS = 200;
const MAX_PARTS = 40;

/** Files that a server only reads, and programs, whose ending says nothing. */
const FIXED_FILE = new RegExp(
  `\\.(?:${[
    'x?html?|md|txt|pdf|xml|rss|atom|json|csv|log|sql|ya?ml|epub|docx?|odt|c|cc|cpp|h|hpp|java|go|rs|ts',
    'png|jpe?g|gif|svg|webp|avif|ico|css|m?js|map|zip|gz|xz|tgz|mp[34]',
  ].join('|')})$`,
  'i',
);
const PROGRAM = /\.(?:php\d?|phtml|aspx?|ashx|jspx?|jsf|do|action|cgi|pl|py|rb|cfm|dll|exe|fcgi)$/i;

/** The values of these parameters are words to search for, titles, or the URL to go to later. */
const DATA_PARAMETERS: ReadonlySet<string> = new Set(
  (
    'q query search s k kw keyword keywords term terms text tag tags category cat topic title name word wd find filter ' +
    'sort orderby lang locale next return returnto return_to redirect redirect_to redirect_uri url uri u continue back ' +
    'ref referer referrer goto dest destination from target file filename'
  ).split(' '),
);

interface Phrase {
  readonly words: readonly string[];
  readonly action: (typeof ACTIONS)[number];
  /** It counts only if there is no other word. */
  readonly isAlone: boolean;
}

/** Actions that no document is named after. */
const UNMISTAKABLE: readonly Phrase['action'][] = ['log out', 'unsubscribe'];

/** Thai, Japanese and Chinese have no spaces between words. */
const UNSPACED = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]/;

interface PhraseIndex {
  readonly byFirst: ReadonlyMap<string, readonly Phrase[]>;
  readonly byLast: ReadonlyMap<string, readonly Phrase[]>;
  readonly unspaced: readonly string[];
}

let index: PhraseIndex | null = null;

/** Built at the first question: most crawls ask none. */
function phrases(): PhraseIndex {
  if (index !== null) return index;
  const all = readPhrases();
  const spaced = all.filter(({ words }) => !UNSPACED.test(words[0]!));
  index = {
    byFirst: Map.groupBy(spaced, ({ words }) => words[0]!),
    byLast: Map.groupBy(spaced, ({ words }) => words.at(-1)!),
    unspaced: all.flatMap(({ words }) => (UNSPACED.test(words[0]!) ? [words.join('')] : [])),
  };
  return index;
}

export function isActionUrl(url: string): boolean {
  const start = pathStart(url);
  const end = pathEnd(url, start);
  const segments = url.slice(start + 1, end).split('/', MAX_PARTS);
  const query = url[end] === '?' ? url.slice(end + 1).split('#', 1)[0]! : '';
  if (query === '' && FIXED_FILE.test(segments.at(-1)!)) {
    return segments.some((segment) => isPhrase(wordsOf(segment.replace(FIXED_FILE, '')), UNMISTAKABLE));
  }
  // `cart/add`: two segments are one phrase.
  const isPair = (segment: string, i: number): boolean => isPhrase(wordsOf(`${segments[i - 1] ?? ''} ${segment}`));
  return segments.some(isActionText) || segments.some(isPair) || query.split('&', MAX_PARTS).some(isActionParameter);
}

export function isActionLabel(label: string): boolean {
  return namesAction(wordsOf(label), MAX_LABEL_WORDS);
}

/** Whether links to this URL may be judged by their labels: a label can also be the title of a document. */
export function isProgram(url: string): boolean {
  const start = pathStart(url);
  const end = pathEnd(url, start);
  return end < url.length || !FIXED_FILE.test(url.slice(start, end));
}

function isActionParameter(pair: string): boolean {
  const [name = '', value = ''] = pair.split('=', 2);
  if (isActionText(name)) return true;
  if (DATA_PARAMETERS.has(name.toLowerCase())) return false;
  // Some programs take a path as the value: `route=account/logout`.
  return decoded(value).split('/', MAX_PARTS).some(isActionText);
}

function isActionText(text: string): boolean {
  return text !== '' && namesAction(wordsOf(text.replace(PROGRAM, '')), MAX_SEGMENT_WORDS);
}

function namesAction(words: readonly string[], maxWords: number): boolean {
  if (words.length === 0 || words.length > maxWords + 2) return false;
  if (UNSPACED.test(words[0]!)) return isUnspacedAction(words.join(''));
  const { byFirst, byLast } = phrases();
  const found = [...(byFirst.get(words[0]!) ?? []), ...(byLast.get(words.at(-1)!) ?? [])];
  return found.some(({ words: phrase, isAlone }) => {
    if (phrase.length > words.length) return false;
    const rest = words.length - phrase.length;
    // A long phrase may be longer than the limit, but then it must be all there is.
    if (rest > 0 && (isAlone || words.length > maxWords)) return false;
    return isAt(words, phrase, 0) || isAt(words, phrase, rest);
  });
}

/** Whether the words are a phrase of one of these actions, and nothing else. */
function isPhrase(words: readonly string[], actions: readonly Phrase['action'][] = ACTIONS): boolean {
  const found = words.length === 0 ? [] : (phrases().byFirst.get(words[0]!) ?? []);
  return found.some(
    ({ words: phrase, action, isAlone }) =>
      actions.includes(action) && !isAlone && phrase.length === words.length && isAt(words, phrase, 0),
  );
}

function isUnspacedAction(text: string): boolean {
  return phrases().unspaced.some(
    (phrase) => text.length <= phrase.length + MAX_EXTRA_LETTERS && (text.startsWith(phrase) || text.endsWith(phrase)),
  );
}

function isAt(words: readonly string[], phrase: readonly string[], from: number): boolean {
  return phrase.every((word, i) => words[from + i] === word);
}

/** `deleteAccount`, `delete_account` and `delete-account` have the same words. */
function wordsOf(text: string): string[] {
  if (text.length > MAX_TEXT_CHARS) return [];
  const spaced = decoded(text.replaceAll('+', ' ')).replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2');
  return fold(spaced).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

/** Lower case without accents. Vowel signs of other scripts are letters of their own and stay. */
function fold(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f·]/g, '')
    .normalize('NFC');
}

function readPhrases(): Phrase[] {
  return Object.values(ACTION_WORDS).flatMap((row) =>
    row.split('|').flatMap((column, i) =>
      column.split(',').map((phrase) => ({
        words: wordsOf(phrase),
        action: ACTIONS[i]!,
        isAlone: phrase.trim().startsWith('='),
      })),
    ),
  );
}

function decoded(text: string): string {
  return decodeUri(text) ?? text;
}
