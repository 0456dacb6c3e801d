/**
 * A failing disk: one system call of a crawl, a refresh or a watcher fails with ENOSPC or EIO. Every committed page has
 * its bytes, the error is clear, and the next run completes the copy. `npm run proof -- faults` tries every call.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { noPostgres, testDatabase } from '../setup/postgres.ts';
import { pairsOf, sampleOf } from './fault-sample.ts';
import { buildProgram, type FaultScenario, faultScenarios, workerScenario } from './fault-scenarios.ts';
import { findStrace, NO_STRACE } from './strace-program.ts';
import { pointsOf, tryPoints } from './try-point.ts';

/** Number of points for each scenario. Every kind of call is among them. */
const SAMPLES = { crawl: 20, refresh: 16, watcher: 10, worker: 10 } as const;
/** Enough for each change of the scenarios: one page in fifty is deleted. */
const PAGES = 50;

const hasStrace = await findStrace();

describe('when a system call fails', { skip: hasStrace ? false : NO_STRACE }, () => {
  let scenarios: readonly FaultScenario[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-faults-'));
  const built = join(import.meta.dirname, '..', '..', '.cache', `faults-${process.pid}`);
  const closing: (() => Promise<void>)[] = [];

  after(async () => {
    for (const close of closing) await close();
    rmSync(folder, { recursive: true, force: true });
    rmSync(built, { recursive: true, force: true });
  });

  before(async () => {
    const program = await buildProgram(built);
    const cleaning = { after: (close: () => Promise<void>) => void closing.push(close) };
    scenarios = await faultScenarios(cleaning, program, folder, PAGES);
    if (noPostgres) return;
    const worker = { database: await testDatabase('file'), pageCount: PAGES };
    scenarios = [...scenarios, await workerScenario(cleaning, program, folder, worker)];
  });

  for (const [name, count] of Object.entries(SAMPLES)) {
    test(`E8 C2 ${name}: committed pages are readable, the error is clear, and the next run completes the copy`, {
      skip: name === 'worker' && noPostgres,
    }, async (t) => {
      const scenario = scenarios.find((one) => one.name === name)!;
      const points = await pointsOf(scenario);
      const sample = sampleOf(points, count);
      let failedCalls = 0;
      for (const pair of pairsOf(sample)) {
        const result = await tryPoints(scenario, pair);
        assert.deepEqual(result.problems, []);
        failedCalls += result.failedCalls;
      }
      t.diagnostic(`${failedCalls} calls failed, of ${sample.length} points of ${points.length}`);
      assert.ok(failedCalls >= sample.length * 0.7, `only ${failedCalls} calls failed`);
    });
  }
});
