/**
 * A disk that refuses: one system call of a crawl, a refresh or a watcher fails with ENOSPC or EIO. No committed page is without its
 * bytes, the error is clear, and the next run completes the copy. `npm run proof -- faults` tries every call.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { CALLS } from './failing-calls.ts';
import { chainsOf, sampleOf } from './fault-sample.ts';
import { buildProgram, type FaultScenario, faultScenarios } from './fault-scenarios.ts';
import { findStrace, NO_STRACE } from './strace-program.ts';
import { pointsOf, tryPoints } from './try-point.ts';

/** Points of each scenario, 200 together, and how many of them one folder goes through. */
const SAMPLES = { crawl: 110, refresh: 70, watcher: 20 } as const;
const CHAIN = 5;

const hasStrace = await findStrace();

describe('a system call fails', { skip: hasStrace ? false : NO_STRACE }, () => {
  let scenarios: readonly FaultScenario[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-faults-'));
  const built = join(import.meta.dirname, '..', '..', '.cache', `faults-${process.pid}`);
  const closing: (() => Promise<void>)[] = [];

  before(async (t) => {
    const suite = t as { after(callback: () => Promise<void>): void };
    suite.after(async () => {
      for (const close of closing) await close();
      rmSync(folder, { recursive: true, force: true });
      rmSync(built, { recursive: true, force: true });
    });
    const program = await buildProgram(built);
    scenarios = await faultScenarios({ after: (close) => void closing.push(close) }, program, folder);
  });

  for (const [name, count] of Object.entries(SAMPLES)) {
    test(`E8 C2 ${name}: committed pages have their bytes, the error is clear, and the next run completes the copy`, async (t) => {
      const scenario = scenarios.find((one) => one.name === name)!;
      const points = await pointsOf(scenario);
      const sample = sampleOf(points, count);
      let failedCalls = 0;
      const kinds = new Set(sample.map(({ call }) => call));
      for (const chain of chainsOf(sample, CHAIN)) {
        const result = await tryPoints(scenario, chain);
        assert.deepEqual(result.problems, []);
        failedCalls += result.failedCalls;
      }
      t.diagnostic(`${failedCalls} calls failed, of ${sample.length} points of ${points.length}`);
      assert.ok(failedCalls >= sample.length / 2, `only ${failedCalls} calls failed`);
      assert.ok([...kinds].every((kind) => CALLS.includes(kind)));
    });
  }
});
