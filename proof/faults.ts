/**
 * Makes every system call on the files of a crawl, a refresh and a watcher fail once, and checks the files each time.
 */

import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { CALLS, type Call, type FailingPoint } from '../test/faults/failing-calls.ts';
import { sampleOf } from '../test/faults/fault-sample.ts';
import { buildProgram, type FaultScenario, faultScenarios } from '../test/faults/fault-scenarios.ts';
import { findStrace, installStrace } from '../test/faults/strace-program.ts';
import { type PointResult, pointsOf, tryPoints } from '../test/faults/try-point.ts';
import type { Proof, ProofContext, ProofResult, ProofRow } from './proof.ts';

const PAGES = 300;
const PROGRESS_EVERY = 50;
const MOST_SHOWN = 20;

export const proof: Proof = {
  claim: 'Every write, sync, rename, unlink, close, truncation, mkdir and open fails once, with ENOSPC or EIO.',
  run,
};

/**
 * `words`: names of scenarios, names of system calls, and a number that limits each scenario to a sample of this many
 * points.
 */
async function run({ workFolder, report, words }: ProofContext): Promise<ProofResult> {
  const missing = (await findStrace()) ? undefined : await installStrace(report);
  if (missing !== undefined) throw new Error(missing);
  const closing: (() => Promise<void>)[] = [];
  try {
    const program = await buildProgram(join(workFolder, 'program'));
    const all = await faultScenarios({ after: (close) => void closing.push(close) }, program, workFolder, PAGES);
    const named = all.filter(({ name }) => words.includes(name));
    const calls = CALLS.filter((call) => words.includes(call));
    const count = Number(words.find((word) => /^\d+$/.test(word)) ?? Number.POSITIVE_INFINITY);
    const results = [];
    for (const scenario of named.length > 0 ? named : all)
      results.push(await tryAll(scenario, { calls, count }, report));
    return {
      rows: results.flatMap(({ rows }) => rows),
      notes: results.map(({ note }) => note),
      details: results.map(({ problems }) => problems),
    };
  } finally {
    for (const close of closing) await close();
  }
}

interface ScenarioResult {
  readonly rows: readonly ProofRow[];
  readonly note: string;
  readonly problems: readonly string[];
}

interface Chosen {
  /** Empty for all calls. */
  readonly calls: readonly Call[];
  readonly count: number;
}

async function tryAll(
  scenario: FaultScenario,
  { calls, count }: Chosen,
  report: (line: string) => void,
): Promise<ScenarioResult> {
  const all = (await pointsOf(scenario)).filter(({ call }) => calls.length === 0 || calls.includes(call));
  const points = sampleOf(all, count);
  const results: PointResult[] = [];
  const waiting = [...points];
  const work = async (): Promise<void> => {
    for (let point = waiting.shift(); point !== undefined; point = waiting.shift()) {
      results.push(await tryPoints(scenario, [point]));
      if (results.length % PROGRESS_EVERY === 0)
        report(`${scenario.name}: ${results.length} of ${points.length} points`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const problems = results.flatMap((result) => result.problems);
  for (const problem of problems.slice(0, MOST_SHOWN)) report(problem);
  const failed = results.filter(({ failedCalls }) => failedCalls > 0).length;
  const told = results.flatMap(({ errors }) => Object.entries(errors));
  const codes = Object.groupBy(told, ([code]) => code);
  const codeText = Object.entries(codes).map(([code, each]) => `${code} ${each!.length}`);
  return {
    problems,
    rows: [
      {
        what: `${scenario.name}: points where a committed page lacks its bytes, the error is unclear, or the next run leaves the copy incomplete`,
        target: '0',
        measured: `${results.filter((result) => result.problems.length > 0).length} of ${points.length}`,
        holds: problems.length === 0,
      },
    ],
    note: `${scenario.name}: ${callText(points)}. The call was reached and failed in ${failed} runs; ${told.length} of them ended with an error (${codeText.join(', ')}), the others did not need the call.`,
  };
}

function callText(points: readonly FailingPoint[]): string {
  const byCall = Object.groupBy(points, ({ call }) => call);
  return Object.entries(byCall)
    .map(([call, each]) => `${each.length} ${call}`)
    .join(', ');
}
