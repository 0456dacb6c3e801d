/**
 * Tests a report that arrives slowly: other hosts do not wait for it for long, and a
 * site without other hosts gets all the time.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../src/core/clock.ts';
import { SoleProcess } from '../../../src/crawl/process-role.ts';
import { longestReadingMs } from '../../../src/crawl/watchers/read-report.ts';
import { WatchReader } from '../../../src/crawl/watchers/watch-reader.ts';
import type { WatchedHost } from '../../../src/crawl/watchers/watched-host.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { startLivingSite } from '../../../testbed/web/living-site.ts';
import { startWatchedSite } from '../../../testbed/web/watched-site.ts';
import { crawlHere } from '../crawl-here.ts';
import { dataFolder } from '../stored-crawl.ts';
import { sessionSetup } from './session-setup.ts';

const PARTS = 30;

/** Reads a report of which every part takes two seconds, by a clock that the site advances. */
async function readDripping(t: TestContext, hasOther: boolean): Promise<{ host: WatchedHost; parts: number }> {
  const { site, edit, watcher } = await startWatchedSite(t, { pages: 2 * PARTS });
  const other = await startLivingSite(t, 'etag', { address: '127.0.0.2' });
  other.set('/', '<p>It has work of its own.</p>');
  const dir = dataFolder(t);
  const seeds = [site.web.url('/'), ...(hasOther ? [other.web.url('/')] : [])];
  await crawlHere(dir, seeds, { patience: '0s' });
  for (let i = 0; i < 2 * PARTS; i++) edit(`/page/${i}`, `<p>Page ${i} is another.</p>`);
  watcher.partSize = 2;
  watcher.queries.length = 0;
  let aheadMs = 0;
  watcher.onAsk = () => {
    aheadMs += 2_000;
  };
  const store = openSqliteStore(dir, Date.now());
  const clock = { ...systemClock, now: () => Date.now() + aheadMs };
  const setup = { ...sessionSetup(store, new SoleProcess(store, systemClock), seeds), clock };
  try {
    const records = (await store.watchers()).filter(({ host }) => host === site.web.origin);
    const [host] = await new WatchReader(setup).readAll(records, 'refresh');
    assert.equal(watcher.held === null, host!.fault !== null, 'a report that is not used leaves no lease behind');
    return { host: host!, parts: watcher.queries.filter((query) => query.get('release') === null).length };
  } finally {
    await setup.fetcher.close();
    await store.close();
  }
}

test('if other hosts have work, a slow report is given up after half a minute and its lease is released', async (t) => {
  const { host, parts } = await readDripping(t, true);
  assert.deepEqual([host.fault, host.stance], ['slow', 'failed']);
  assert.ok(parts >= 12 && parts <= 17, `${parts}`);
});

test('if no other host has work, the same slow report is read to its end', async (t) => {
  const { host, parts } = await readDripping(t, false);
  assert.deepEqual([host.fault, host.stance, parts], [null, 'trying', PARTS]);
});

test('a long report gets more time, but at most half an hour', () => {
  assert.equal(longestReadingMs(0, true), 30_000);
  assert.equal(longestReadingMs(100_000, true), 130_000);
  assert.equal(longestReadingMs(100_000_000, true), 1_800_000);
  assert.equal(longestReadingMs(0, false), 120_000);
  assert.equal(longestReadingMs(1_000_000, false), 1_800_000);
});
