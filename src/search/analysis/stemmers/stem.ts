/**
 * Stems of words: the stemmers of the Snowball project for 28 languages.
 *
 * In: a term as the index has it, with its accents, and a language. Out: what libstemmer makes of it. A stemmer is
 * compiled when it is first needed, which takes a few milliseconds.
 */
import { inflateRawSync } from 'node:zlib';
import { classOf, DIGIT, LOWER, UNSPACED, UPPER } from '../character-classes.ts';
import { compileSnowball } from './compile-snowball.ts';
import { STEMMER_SOURCES } from './stemmer-sources.ts';

type Stemmer = (word: string) => string;

/** Both forms of Norwegian have the same stemmer. */
const SAME_STEMMER: Readonly<Record<string, string>> = { nb: 'no', nn: 'no' };
/** What a word may have besides letters. */
const APOSTROPHE = 39;
const HYPHEN = 45;

/** The languages that have a stemmer, by their two letters. */
export const STEMMED_LANGUAGES: readonly string[] = [
  ...Object.keys(STEMMER_SOURCES),
  ...Object.keys(SAME_STEMMER),
].sort();

const stemmers = new Map<string, Stemmer | null>();

/** Returns null if the language has no stemmer, or if the term has no stem: numbers, identifiers, Chinese. */
export function stemOf(term: string, language: string): string | null {
  let stemmer = stemmers.get(language);
  if (stemmer === undefined) {
    stemmer = loadStemmer(language);
    stemmers.set(language, stemmer);
  }
  return stemmer === null || !hasStem(term) ? null : stemmer(term);
}

function loadStemmer(language: string): Stemmer | null {
  const known = SAME_STEMMER[language] ?? language;
  if (!Object.hasOwn(STEMMER_SOURCES, known)) return null;
  const source = inflateRawSync(Buffer.from(STEMMER_SOURCES[known] as string, 'base64'));
  return compileSnowball(source.toString());
}

function hasStem(term: string): boolean {
  for (let at = 0; at < term.length; at++) {
    const code = term.charCodeAt(at);
    const kind = classOf(code);
    if (kind === DIGIT || kind === UNSPACED) return false;
    if (code < 128 && kind !== LOWER && kind !== UPPER && code !== APOSTROPHE && code !== HYPHEN) return false;
  }
  return true;
}
