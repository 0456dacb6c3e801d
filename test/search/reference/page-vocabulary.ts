/**
 * The vocabulary of pages, for random queries. In: pages. Out: frequent and rare words, phrases that exist and some that
 * do not, patterns, and values of filters that match some pages.
 */
import type { SearchPage } from '../../../src/search/search-page.ts';
import { authorityOf, hostnameOf, pathOf } from '../../../src/url/host.ts';
import type { SeededRandom } from '../../../testbed/random.ts';
import type { QueryVocabulary } from './random-query.ts';

const WORD = /[\p{L}\p{N}]+(?:[-'’.][\p{L}\p{N}]+)*/gu;
const MAX_PHRASE_WORDS = 4;

/** `count`: how many words, phrases and patterns to take. */
export function vocabularyOf(pages: readonly SearchPage[], random: SeededRandom, count = 300): QueryVocabulary {
  const texts = pages.flatMap(textsOf).map((text) => text.match(WORD) ?? []);
  const written = texts.filter(({ length }) => length > 0);
  const distinct = [...new Set(written.flat())];
  const times = (make: () => string): string[] => Array.from({ length: count }, make);
  const anyPlace = (): string => random.pick(random.pick(written));
  return {
    // Words at random places are mostly frequent, words of the list of words mostly rare.
    words: [...times(anyPlace), ...times(() => random.pick(distinct)), 'xyzzy-missing', 'Missing'],
    phrases: [
      ...times(() => phraseAt(random.pick(written), random)),
      ...times(() => `${anyPlace()} ${anyPlace()}`).slice(0, Math.ceil(count / 10)),
    ],
    patterns: times(() => patternOf(random.pick(distinct), random)),
    sites: pages.flatMap(({ url }) => sitesOf(url)),
    fileTypes: [...new Set(pages.map(({ fileType }) => fileType).filter((type) => type !== '')), 'xyz'],
    languages: [...new Set(pages.map(({ language }) => language).filter((language) => language !== '')), 'tlh'],
    times: [...new Set(pages.flatMap(({ fetchedAtMs, changedAtMs }) => [fetchedAtMs, changedAtMs ?? fetchedAtMs + 1]))],
    links: [...pages.map(({ url }) => url), 'http://not-there.test/'],
    maxDepth: Math.max(0, ...pages.map(({ depth }) => depth)),
  };
}

function textsOf({ title, description, blocks, links }: SearchPage): string[] {
  return [title, description, ...blocks.map(({ text }) => text), ...links.map(({ text }) => text)];
}

function phraseAt(words: readonly string[], random: SeededRandom): string {
  const start = random.below(words.length);
  return words.slice(start, start + 1 + random.below(MAX_PHRASE_WORDS)).join(' ');
}

function patternOf(word: string, random: SeededRandom): string {
  const letters = [...word];
  const at = random.below(letters.length);
  switch (random.below(4)) {
    case 0:
      return `${letters.slice(0, at + 1).join('')}*`;
    case 1:
      return `*${letters.slice(at).join('')}`;
    case 2:
      return letters.length === 1 ? `${word}*` : letters.with(at, '?').join('');
    default:
      return `${letters.slice(0, at + 1).join('')}*${letters.at(-1)}`;
  }
}

/** The host with and without its port, the domain above it, and the beginning of the path. */
function sitesOf(url: string): { host: string; path: string }[] {
  const [authority, hostname, path] = [authorityOf(url), hostnameOf(url), pathOf(url)];
  const above = hostname.slice(hostname.indexOf('.') + 1);
  const directory = path.slice(0, path.lastIndexOf('/') + 1);
  return [
    { host: authority, path: '' },
    { host: hostname, path: '' },
    { host: above, path: '' },
    { host: hostname, path: directory === '/' ? '' : directory },
  ];
}
