/**
 * Reads very many queries: hostile texts, random trees that are written and read again, and texts of a megabyte. The
 * times are CPU times of one call; of several calls the fastest counts, because other programs can only make it slower.
 */
import { join } from 'node:path';
import { parseQuery } from '../src/search/query/parse-query.ts';
import { MAX_QUERY_CHARS } from '../src/search/query/query-limits.ts';
import { HARD, isStable } from '../test/search/query/hard-queries.ts';
import { faultOf, hostileText, MANY } from '../test/search/query/hostile-text.ts';
import { NOW_MS } from '../test/search/query/show-query.ts';
import { randomQuery } from '../test/search/reference/random-query.ts';
import { SeededRandom } from '../testbed/random.ts';
import type { Proof, ProofContext, ProofResult, ProofRow } from './proof.ts';
import { compareQueries, writeIndex } from './queries/compare-pages.ts';
import { searchHostile } from './queries/hostile-searches.ts';
import { realPages } from './queries/real-pages.ts';

/** Beside the folders of the proofs, which are emptied for every run. */
const PACKAGES_FOLDER = join(import.meta.dirname, 'work', 'packages');
const TEXTS = 100_000;
const TREES = 30_000;
/** The tests have the first seeds. */
const FIRST_SEED = 1_000_000;
const LONG_CHARS = 1_000_000;
const TARGET_MS = 50;
/** Twice the text may take twice the time. The rest is for the noise of short times. */
const TARGET_GROWTH = 3;
const RUNS = 5;
const PAGES = 20_000;
const COMPARED = 10_000;
const SEARCHED = 100_000;
const SEARCH_TARGET_MS = 500;
const MEMORY_TARGET_MB = 200;
const FREQUENT_WORDS = [
  'the',
  'of',
  'to',
  'and',
  'a',
  'in',
  'is',
  'for',
  'this',
  'type',
  'from',
  'with',
  'not',
  'class',
];

/** With words: the number of pages, of compared queries and of hostile searches. */
async function run({ report, workFolder, words }: ProofContext): Promise<ProofResult> {
  const [pages = PAGES, compared = COMPARED, searched = SEARCHED] = words.map(Number);
  const seeds = (count: number): number[] => Array.from({ length: count }, (_, at) => FIRST_SEED + at);
  const faults: string[] = [];
  for (const seed of seeds(TEXTS)) {
    const fault = faultOf(hostileText(new SeededRandom(seed)), NOW_MS);
    if (fault !== null) faults.push(`seed ${seed}: ${fault}`);
  }
  report(`${TEXTS} texts are read`);
  const unstable = seeds(TREES).filter((seed) => !isStable(randomQuery(new SeededRandom(seed), HARD)));
  report(`${TREES} trees are written and read`);
  const costs = MANY.map((piece) => ({
    piece,
    longMs: cpuMs(piece, LONG_CHARS),
    growth: cpuMs(piece, MAX_QUERY_CHARS) / Math.max(0.2, cpuMs(piece, MAX_QUERY_CHARS / 2)),
  }));
  const slowest = costs.toSorted((one, other) => other.longMs - one.longMs)[0]!;
  const steepest = costs.toSorted((one, other) => other.growth - one.growth)[0]!;
  const real = await realPages(PACKAGES_FOLDER, pages);
  report(`${real.length} pages are read`);
  writeIndex(workFolder, real);
  report('the index is written');
  const hostile = searchHostile(workFolder, FREQUENT_WORDS, searched);
  report(`${searched} hostile queries are answered`);
  const comparison = compareQueries(workFolder, real, compared, report);
  return {
    rows: [
      row(
        `of ${compared} queries over ${real.length} real pages, those with other results than brute force`,
        comparison.wrongSets,
      ),
      row('those with another order or other scores than when every page is scored', comparison.wrongOrders),
      row(`hostile queries over these pages that throw`, hostile.thrown),
      {
        what: 'CPU time of a hostile query, the slowest',
        target: `≤ ${SEARCH_TARGET_MS} ms`,
        measured: `${hostile.slowestMs.toFixed(0)} ms (${JSON.stringify(hostile.slowest)})`,
        holds: hostile.slowestMs <= SEARCH_TARGET_MS,
      },
      {
        what: 'growth of the memory of the process during these queries',
        target: `≤ ${MEMORY_TARGET_MB} MB`,
        measured: `${hostile.grownMb.toFixed(0)} MB`,
        holds: hostile.grownMb <= MEMORY_TARGET_MB,
      },
      row('hostile texts that are read wrongly', faults),
      row(
        'random trees whose canonical text is another query',
        unstable.map((seed) => `seed ${seed}`),
      ),
      {
        what: `CPU time of a text of 1 MB, the slowest of ${MANY.length} kinds`,
        target: `≤ ${TARGET_MS} ms`,
        measured: `${slowest.longMs.toFixed(1)} ms (${JSON.stringify(slowest.piece)} again and again)`,
        holds: slowest.longMs <= TARGET_MS,
      },
      {
        what: 'growth of the CPU time from half the allowed length to all of it, the steepest kind',
        target: `≤ ${TARGET_GROWTH}×`,
        measured: `${steepest.growth.toFixed(2)}× (${JSON.stringify(steepest.piece)} again and again)`,
        holds: steepest.growth <= TARGET_GROWTH,
      },
    ],
    notes: [
      `${TEXTS} texts and ${TREES} trees, seeds from ${FIRST_SEED}. A query may have ${MAX_QUERY_CHARS} characters.`,
      `The compared queries found ${comparison.found} pages. ${searched} hostile queries were random, others very long.`,
      'The pages are from documentation packages of Debian (proof/queries/real-pages.ts).',
    ],
    details: { costs },
  };
}

function cpuMs(piece: string, chars: number): number {
  const text = piece.repeat(Math.ceil(chars / piece.length));
  const times = Array.from({ length: RUNS }, () => {
    const before = process.cpuUsage();
    parseQuery(text, NOW_MS);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

function row(what: string, wrong: readonly string[]): ProofRow {
  const measured = wrong.length === 0 ? '0' : `${wrong.length}: ${wrong.slice(0, 3).join('; ')}`;
  return { what, target: '0', measured, holds: wrong.length === 0 };
}

export const proof: Proof = {
  claim:
    'Every text is read as a query in linear time, and the canonical text of a query means the same query. Searches find ' +
    'what brute force finds, in the order of all scores.',
  run,
};
