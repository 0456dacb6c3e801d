/**
 * Tries one failing call and checks the result. In: a scenario and one or more points. Out: sentences about the
 * properties that do not hold, and the number of failed calls.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Call, type FailingPoint, runFailing, runUndisturbed } from './failing-calls.ts';
import type { FaultScenario } from './fault-scenarios.ts';

export interface PointResult {
  readonly problems: readonly string[];
  readonly failedCalls: number;
  /** Number of runs that ended with an error, by error code. */
  readonly errors: Readonly<Record<string, number>>;
}

/** Error codes that tell the user how to handle a failing file system. */
const CLEAR_ERROR = /^orbweaver: [^\n]+ \[(ERR_DISK_FULL|ERR_STORE|ERR_ARCHIVE|ERR_DIR)\]\n$/m;

/**
 * Runs the command once for each point, on the same folder, and then once undisturbed. After each run every
 * committed page has its bytes, every failure was reported, and a run without a reported failure has left a complete
 * copy. After the last run the copy is complete.
 */
export async function tryPoints(scenario: FaultScenario, points: readonly FailingPoint[]): Promise<PointResult> {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-fault-'));
  const dir = join(folder, 'copy');
  const problems: string[] = [];
  const errors: Record<string, number> = {};
  let failedCalls = 0;
  try {
    scenario.prepare(dir);
    for (const point of [...points, null]) {
      const name = point === null ? 'the next run' : `${scenario.name}, ${point.call} ${point.nth}, ${point.error}`;
      const command = scenario.command(dir);
      const ended =
        point === null ? await runUndisturbed(command) : await runFailing(command, point, scenario.watched(dir));
      failedCalls += ended.failedCalls;
      for (const problem of await scenario.problems(dir)) problems.push(`${name}: ${problem}`);
      if (ended.exitCode === 0) {
        if (!isSame(await scenario.contents(dir), scenario.expected))
          problems.push(`${name}: exit code 0 and an incomplete copy`);
        continue;
      }
      const code = CLEAR_ERROR.exec(ended.stderr)?.[1];
      if (ended.exitCode === 1 && code !== undefined && point !== null) errors[code] = (errors[code] ?? 0) + 1;
      else problems.push(`${name}: exit code ${ended.exitCode}: ${ended.stderr.slice(0, 600)}`);
    }
    return { problems, failedCalls, errors };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Every call of an undisturbed run becomes a point. The errors alternate. */
export async function pointsOf(scenario: FaultScenario): Promise<FailingPoint[]> {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-fault-'));
  try {
    const dir = join(folder, 'copy');
    scenario.prepare(dir);
    const { calls } = await runFailing(scenario.command(dir), null, scenario.watched(dir));
    const points = (call: Call, count: number): FailingPoint[] =>
      Array.from({ length: count }, (_, i) => ({ call, nth: i + 1, error: i % 2 === 0 ? 'ENOSPC' : 'EIO' }));
    return [...calls].flatMap(([call, count]) => points(call, count));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function isSame(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([url, content]) => other.get(url) === content);
}
