/**
 * Stems. `stems.tsv` has words at even distances in the lists of the Snowball project, with the stems that `stemwords`
 * of libstemmer gives them; the proof `stemmers` compares whole lists.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { analyzeText, foldTerm, STEMMED_LANGUAGES, stemOf } from '../../../src/search/analysis/analyze.ts';
import { STEMMERS } from './stemmer-names.ts';

const samples = readFileSync(join(import.meta.dirname, 'stems.tsv'), 'utf8')
  .trim()
  .split('\n');

test('words of 28 languages have the stems of libstemmer', () => {
  assert.deepEqual(
    samples.map((line) => line.slice(0, 2)),
    Object.keys(STEMMERS).sort(),
  );
  for (const line of samples) {
    const [language, list] = line.split('\t') as [string, string];
    const words = list.split(' ');
    assert.ok(words.length >= 80 && words.length % 2 === 0, language);
    for (let at = 0; at < words.length; at += 2) {
      assert.equal(stemOf(words[at] as string, language), words[at + 1], `${words[at]} (${language})`);
    }
  }
});

test('every language with a stemmer is listed, and both forms of Norwegian', () => {
  assert.deepEqual(STEMMED_LANGUAGES, [...Object.keys(STEMMERS), 'nb', 'nn'].sort());
  assert.equal(stemOf('bøkene', 'nb'), stemOf('bøkene', 'no'));
});

test('a language without a stemmer has no stems, whatever its name', () => {
  for (const language of ['', 'ja', 'zh', 'xx', 'constructor', '__proto__'])
    assert.equal(stemOf('words', language), null);
});

test('numbers, identifiers and Chinese have no stem', () => {
  for (const term of ['2026', 'utf8', 'max_size', 'java.util', 'c++', '漢字', '한국'])
    assert.equal(stemOf(term, 'en'), null, term);
});

test('the forms of a word in a text have one stem, with its accents', () => {
  const stems = (text: string, language: string): Set<string | null> => {
    const found = new Set<string | null>();
    analyzeText(text, 0, (term) => found.add(stemOf(term, language)));
    return found;
  };
  assert.deepEqual([...stems('Connect, CONNECTED connecting', 'en')], ['connect']);
  assert.deepEqual([...stems('HÄUSER Häusern', 'de')], ['haus']);
  assert.deepEqual([...stems('canciones canción', 'es')], ['cancion']);
  assert.deepEqual([...stems('книга книги книгой', 'ru')], ['книг']);
});

test('a word without accents leads to the accented word, and from there to its forms', () => {
  // As the index does: the spellings of its terms, then the stems of the terms that were found.
  const terms = ['généralement', 'généraux', 'général', 'génération'];
  const found = terms.filter((term) => foldTerm(term).includes('general'));
  assert.deepEqual(found, ['général']);
  const forms = terms.filter((term) => stemOf(term, 'fr') === stemOf('général', 'fr'));
  assert.deepEqual(forms, ['généralement', 'généraux', 'général']);
});
