/** The threads of a crawl in the test's own process. Node announces them, so a test can end one at a chosen moment. */
import type { TestContext } from 'node:test';
import type { Worker } from 'node:worker_threads';

/** The threads of units, in the order of their start. */
export function watchUnits(t: TestContext): Worker[] {
  const units: Worker[] = [];
  const onWorker = (worker: Worker): void => void units.push(worker);
  process.on('worker', onWorker);
  t.after(() => process.off('worker', onWorker));
  return units;
}

/** The `maxUrlLength` that `linksThatTakeLong` needs. */
export const LONG_URL = 65_536;

/** A page whose links keep a unit busy for longer than a test lasts if the limit on URLs is raised to `LONG_URL`. */
export function linksThatTakeLong(front: string): string {
  const base = `<base href="${front}${'b'.repeat(60_000)}/">`;
  return base + Array.from({ length: 10_000 }, (_, i) => `<a href="${i}">`).join('');
}

/** Resolves when the thread has not returned to its event loop for a while, because it is busy with one page. */
export async function untilStuck(unit: Worker): Promise<void> {
  const POLL_MS = 20;
  let before = unit.performance.eventLoopUtilization();
  for (let busyPolls = 0; busyPolls < 15; ) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const now = unit.performance.eventLoopUtilization();
    busyPolls = unit.performance.eventLoopUtilization(now, before).utilization === 1 ? busyPolls + 1 : 0;
    before = now;
  }
}
