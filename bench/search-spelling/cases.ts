/**
 * The cases of the benchmark of spelling. In: a vocabulary, and lists of misspellings and of correct words. Out: what is
 * written and what is meant, in an order that depends only on the words.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../testbed/random.ts';
import { unpackPackage } from '../site/debian-package.ts';
import type { PageVocabulary } from './page-vocabulary.ts';
import { fold } from './read-words.ts';
import { type KeyboardName, mistype } from './typing-errors.ts';

export interface SpellingCase {
  readonly written: string;
  readonly meant: string;
}

/** The open half was looked at while costs were chosen. */
export type Half = 'open' | 'held-out';

export const DICTIONARIES = {
  English: ['wamerican', 'american-english'],
  German: ['wngerman', 'ngerman'],
  French: ['wfrench', 'french'],
  Spanish: ['wspanish', 'spanish'],
} as const;
export type Language = keyof typeof DICTIONARIES;

const MISSPELLINGS = 'usr/lib/python3/dist-packages/codespell_lib/data/dictionary.txt';
const LATIN = /^[a-z]+$/;
const SHORTEST = 3;
const SEED = 1;

/** Real misspellings that have one correction, which is one word. */
export async function readMisspellings(workFolder: string): Promise<SpellingCase[]> {
  const text = readFileSync(join(await unpackPackage(workFolder, 'codespell'), MISSPELLINGS), 'utf8');
  return text.split('\n').flatMap((line) => {
    const [written, meant] = line.split('->') as [string, string | undefined];
    return LATIN.test(written) && LATIN.test(meant ?? '') ? [{ written, meant: meant! }] : [];
  });
}

export async function readDictionary(workFolder: string, language: Language): Promise<Set<string>> {
  const [name, file] = DICTIONARIES[language];
  const text = readFileSync(join(await unpackPackage(workFolder, name), 'usr/share/dict', file), 'utf8');
  return new Set(
    text
      .split('\n')
      .map(fold)
      .filter((word) => word.length >= SHORTEST && LATIN.test(word)),
  );
}

export function halfOf(all: readonly SpellingCase[], half: Half): SpellingCase[] {
  return all.filter(
    ({ written }) => (Number.parseInt(hash('md5', written).slice(0, 2), 16) % 2 === 0) === (half === 'open'),
  );
}

/** The same choice in each run. */
export function choose<T>(all: readonly T[], count: number, keyOf: (one: T) => string): T[] {
  const keyed = all.map((one) => ({ one, key: hash('md5', `choice ${keyOf(one)}`) }));
  return keyed
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .slice(0, count)
    .map(({ one }) => one);
}

/** Words of the copy, written with errors of typing. Frequent words are not preferred. */
export function typingErrors(words: readonly string[], keyboard: KeyboardName, count: number): SpellingCase[] {
  const random = seededRandom(SEED, count);
  return choose(words, count, (word) => word).map((meant) => ({ written: mistype(meant, keyboard, random), meant }));
}

/** The words of a vocabulary that are in a dictionary, or those of the dictionary that are not in the vocabulary. */
export function wordsOf(vocabulary: PageVocabulary, dictionary: ReadonlySet<string>, areKnown: boolean): string[] {
  return [...dictionary].filter((word) => vocabulary.documentsOf(word) > 0 === areKnown);
}
