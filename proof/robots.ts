/**
 * Expensive robots.txt files of 500 KB: each is parsed, compiled, and asked about 1,000 URLs of 2,000 characters. Each
 * form runs in its own process, so that no form profits from the one before; its CPU seconds are measured.
 *
 * `words`: parts of the names of the forms to run.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FORMS } from '../test/robots/hostile-forms.ts';
import type { Proof, ProofRow } from './proof.ts';
import type { FormCost } from './robots-form.ts';

const TARGET_CPU_SECONDS = 1;
const TARGET_MEGABYTES = 64;
/** With more than one run, the median counts. Use it on a busy machine. */
const RUNS = 3;

export const robots: Proof = {
  claim:
    'Reading a hostile robots.txt of 500 KB and asking it about 1,000 URLs of 2,000 characters takes at most 1 CPU second.',
  async run({ report, words }) {
    const names = Object.keys(FORMS).filter((name) => words.length === 0 || words.some((word) => name.includes(word)));
    const rows: ProofRow[] = [];
    const details: Record<string, readonly FormCost[]> = {};
    for (const name of names) {
      const runs: FormCost[] = [];
      for (let run = 0; run < RUNS; run++) runs.push(await measure(name, run === 0));
      runs.sort((left, right) => left.cpuSeconds - right.cpuSeconds);
      details[name] = runs;
      const { cpuSeconds, compileSeconds, megabytes } = runs[RUNS >> 1]!;
      const differences = Math.max(...runs.map((run) => run.differences));
      const measured = `${cpuSeconds.toFixed(2)} s, of which ${compileSeconds.toFixed(2)} s until the first answer; ${megabytes.toFixed(1)} MB; ${differences} wrong answers`;
      report(`${name}: ${measured}`);
      rows.push({
        what: name,
        target: `≤ ${TARGET_CPU_SECONDS} CPU s, ≤ ${TARGET_MEGABYTES} MB, no wrong answer`,
        measured,
        holds: cpuSeconds <= TARGET_CPU_SECONDS && megabytes <= TARGET_MEGABYTES && differences === 0,
      });
    }
    const notes = [
      `${names.length} forms, seed 1, the median of ${RUNS} runs. MB: what the compiled rules take. The first answers of each form are compared with those of the plain matcher of the tests.`,
    ];
    return { rows, notes, details };
  },
};

async function measure(name: string, compares: boolean): Promise<FormCost> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, 'robots-form.ts'),
    name,
    compares ? 'compare' : '',
  ]);
  return JSON.parse(stdout) as FormCost;
}
