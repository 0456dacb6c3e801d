/**
 * Reads very many queries: hostile texts, random trees that are written and read again, and texts of a megabyte. The
 * times are CPU times of one call; of several calls the fastest counts, because other programs can only make it slower.
 */
import { parseQuery } from '../src/search/query/parse-query.ts';
import { MAX_QUERY_CHARS } from '../src/search/query/query-limits.ts';
import { HARD, isStable } from '../test/search/query/hard-queries.ts';
import { faultOf, hostileText, MANY } from '../test/search/query/hostile-text.ts';
import { NOW_MS } from '../test/search/query/show-query.ts';
import { randomQuery } from '../test/search/reference/random-query.ts';
import { SeededRandom } from '../testbed/random.ts';
import type { Proof, ProofContext, ProofResult, ProofRow } from './proof.ts';

const TEXTS = 100_000;
const TREES = 30_000;
/** The tests have the first seeds. */
const FIRST_SEED = 1_000_000;
const LONG_CHARS = 1_000_000;
const TARGET_MS = 50;
/** Twice the text may take twice the time. The rest is for the noise of short times. */
const TARGET_GROWTH = 3;
const RUNS = 5;

async function run({ report }: ProofContext): Promise<ProofResult> {
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
  return {
    rows: [
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
  claim: 'Every text is read as a query in linear time, and the canonical text of a query means the same query.',
  run,
};
