/** Checks every regular expression of src: searches for attacks without a time limit, and runs it on growing inputs. */
import { join } from 'node:path';
import { checkPattern, patternKey, QUICK_MS, storePatterns } from '../test/patterns/check-pattern.ts';
import { findPatterns, type SourcePattern } from '../test/patterns/source-patterns.ts';
import { type Growth, measureGrowth } from './patterns/growth.ts';
import type { Proof, ProofContext, ProofResult } from './proof.ts';

const ROOT = join(import.meta.dirname, '..');
const USER_PATTERNS = ['src/url/pattern.ts'];
/** The measurement must find this pattern slow. Otherwise it measures nothing. */
const KNOWN_SLOW: SourcePattern = {
  place: 'known',
  source: String.raw`^(?:[\w.-]*\d[\w.-]*|[a-f]{6,64})?$`,
  flags: '',
};

async function run({ report }: ProofContext): Promise<ProofResult> {
  const { patterns, faults } = await findPatterns(ROOT, 'src', USER_PATTERNS);
  const different = [...new Map(patterns.map((each) => [patternKey(each), each])).values()];
  report(`${patterns.length} patterns, ${different.length} of them different`);
  const slow: string[] = [];
  const slowToCheck: string[] = [];
  const growths: { pattern: SourcePattern; growth: Growth }[] = [];
  let exact = 0;
  let searched = 0;
  for (const [at, pattern] of different.entries()) {
    const verdict = await checkPattern(pattern, new Set());
    if (!verdict.isLinear) slow.push(`${pattern.place}: ${verdict.why}`);
    else {
      if (verdict.how === 'exact') exact++;
      else searched++;
      if (verdict.how !== 'exact' || verdict.ms > QUICK_MS) slowToCheck.push(patternKey(pattern));
    }
    growths.push({ pattern, growth: measureGrowth(pattern) });
    if (at % 50 === 49) report(`${at + 1} patterns are checked`);
  }
  storePatterns(slowToCheck);
  growths.sort((one, other) => other.growth.exponent - one.growth.exponent);
  const grown = growths.filter(({ growth }) => !growth.isLinear);
  const known = measureGrowth(KNOWN_SLOW);
  const knownVerdict = await checkPattern(KNOWN_SLOW, new Set());
  return {
    rows: [
      row('places whose pattern cannot be found out', faults.length, faults),
      row('patterns that recheck calls super-linear, or cannot decide', slow.length, slow),
      row('patterns whose measured time grows faster than the input', grown.length, grown.map(textOf)),
      {
        what: 'a known slow pattern is found by both',
        target: 'yes',
        measured: `recheck: ${!knownVerdict.isLinear ? 'yes' : 'no'}; measured exponent ${known.exponent.toFixed(2)}`,
        holds: !knownVerdict.isLinear && !known.isLinear,
      },
    ],
    notes: [
      `${patterns.length} patterns in src, ${different.length} of them different: ${exact} decided exactly, ${searched} searched for attacks.`,
      'Patterns that users write (`--include`, `--exclude`, `--ignore` between slashes) are not among them.',
    ],
    details: {
      steepest: growths
        .filter(({ growth }) => growth.exponent > 0)
        .slice(0, 20)
        .map(({ pattern, growth }) => ({ place: pattern.place, ...growth })),
    },
  };
}

function textOf({ pattern, growth }: { pattern: SourcePattern; growth: Growth }): string {
  return `${pattern.place} (exponent ${growth.exponent.toFixed(2)} on ${growth.input})`;
}

function row(what: string, count: number, texts: readonly string[]) {
  const measured = count === 0 ? '0' : `${count}: ${texts.join('; ')}`;
  return { what, target: '0', measured, holds: count === 0 };
}

export const proof: Proof = {
  claim: 'No regular expression of the program takes more than linear time.',
  run,
};
