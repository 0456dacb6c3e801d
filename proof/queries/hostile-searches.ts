/**
 * Searches for hostile queries. In: an index. Out: what was thrown, the slowest query, and how much memory stayed.
 */
import { parseQuery } from '../../src/search/query/parse-query.ts';
import { MAX_LEAVES } from '../../src/search/query/query-limits.ts';
import { SearchIndex } from '../../src/search/search-index.ts';
import { hostileText, MANY } from '../../test/search/query/hostile-text.ts';
import { SeededRandom } from '../../testbed/random.ts';

const LONG_CHARS = 1_000_000;
const OPERANDS = 10_000;
const LIMIT = 10;
const FIRST_SEED = 2_000_000;

export interface HostileSearches {
  readonly thrown: readonly string[];
  readonly slowestMs: number;
  readonly slowest: string;
  /** Memory of the process after all queries, minus that before them. */
  readonly grownMb: number;
}

/** `words`: frequent words of the pages, which cost most. */
export function searchHostile(dir: string, words: readonly string[], texts: number): HostileSearches {
  const index = SearchIndex.open(dir)!;
  index.search({ query: parseQuery(words[0]!).query, limit: LIMIT });
  const before = process.memoryUsage.rss();
  const thrown: string[] = [];
  let slowestMs = 0;
  let slowest = '';
  for (const text of hostileQueries(words, texts)) {
    const start = process.cpuUsage();
    try {
      index.search({ query: parseQuery(text).query, limit: LIMIT });
    } catch (error) {
      thrown.push(`${text.slice(0, 40)}: ${(error as Error).message}`);
    }
    const { user, system } = process.cpuUsage(start);
    const ms = (user + system) / 1_000;
    if (ms <= slowestMs) continue;
    slowestMs = ms;
    slowest = text.slice(0, 40);
  }
  const grownMb = (process.memoryUsage.rss() - before) / 2 ** 20;
  index.close();
  return { thrown, slowestMs, slowest, grownMb };
}

function* hostileQueries(words: readonly string[], texts: number): Generator<string> {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + texts; seed++) yield hostileText(new SeededRandom(seed));
  for (const piece of MANY) yield piece.repeat(LONG_CHARS / piece.length);
  const many = (make: (word: string, at: number) => string, joined: string, count = OPERANDS): string =>
    Array.from({ length: count }, (_, at) => make(words[at % words.length]!, at)).join(joined);
  for (const joined of [' OR ', ' XOR ', ' AND ', ' NEAR/9 ', ' ']) yield many((word) => word, joined);
  for (const joined of [' OR ', ' ']) {
    yield many((word) => `"${word} ${words[0]}"`, joined, MAX_LEAVES / 2);
    yield many((word) => `${word.slice(0, 2)}*`, joined);
    yield many((word) => `*${word.slice(-1)}*`, joined);
    yield many((word) => `intitle:${word}`, joined);
    yield many((word, at) => `(${word} NEAR/3 ${words[(at + 1) % words.length]})`, joined, MAX_LEAVES / 2);
  }
  yield many(() => '*e*', ' OR ');
  yield '* '.repeat(OPERANDS);
}
