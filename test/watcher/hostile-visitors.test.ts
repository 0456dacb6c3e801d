/**
 * Fifty hostile visitors, from one address and from many. Honest crawlers still get every change, and about as soon.
 * The long run is `npm run proof -- watcher-visitors`.
 */
import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { letIn, timesOf, VisitedSite } from '../../testbed/watcher/visited-site.ts';
import { MAIN, UNIT_FLAGS } from '../setup/built-program.ts';
import { bundle } from './built-watcher.ts';

/**
 * With the default of 1 %, the crawlers alone make the watcher rest: without visitors a change takes up to 20 s, and
 * twice that time proves little. The visitors take more than this share too.
 */
const WATCHER_WORDS = ['--cpu', '5%'];
/**
 * Allowance on top of twice the time, because other tests may keep the machine busier in the second measurement than in
 * the first. A crawler that visitors lock out waits for the end of a lease, which is far longer.
 */
const NOISE_MS = 5_000;

test('W7 fifty hostile visitors cannot keep any change from honest crawlers', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'visited-'));
  const site = await VisitedSite.open({
    ...{ folder, watcher: bundle.path, watcherWords: WATCHER_WORDS, program: MAIN, nodeFlags: UNIT_FLAGS },
    ...{ pages: 100, crawlers: 2, every: '1s' },
  });
  t.after(() => site.close());
  const alone = timesOf(await site.measure(3_000, 250, 30_000));
  assert.equal(alone.lost, 0, 'crawlers do not block each other either');
  const visitors = await letIn(site.watcherPort, 50);
  t.after(() => visitors.stop());
  const visited = timesOf(await site.measure(3_000, 250, 60_000));
  const asked = await visitors.stop();
  assert.equal(visited.lost, 0, JSON.stringify({ visited, asked, warnings: site.warnings.slice(-3) }));
  assert.ok(visited.median <= 2 * alone.median + NOISE_MS, JSON.stringify({ alone, visited, asked }));
  // On a busy machine they come less often. Each kind of visitor must have been there.
  const requests = Object.values(asked).reduce((sum, kind) => sum + kind.asked, 0);
  assert.ok(requests > 200 && asked.take!.asked > 0 && asked.questions!.asked > 0, JSON.stringify(asked));
});
