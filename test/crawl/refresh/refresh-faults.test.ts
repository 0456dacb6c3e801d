/**
 * W12: tests that a failure of one page in a refresh, in a unit or with the whole unit, costs that page one visit. The
 * copy keeps the page, it is tried again another day, and the rest is visited as if nothing had happened.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { GivenOptions } from '../../../src/core/options/options.ts';
import { readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { type LivingSite, startLivingSite } from '../../../testbed/web/living-site.ts';
import { reply } from '../../../testbed/web/local-web.ts';
import { crawlHere } from '../crawl-here.ts';
import { LONG_URL, linksThatTakeLong, untilStuck, watchUnits } from '../crew/watched-units.ts';
import { assertSound, dataFolder, storedUrls } from '../stored-crawl.ts';
import { refreshHere, told } from './refresh-here.ts';
import { startFaultyRefresh } from './refresh-process.ts';

const PAGES = 20;
const DAY_MS = 86_400_000;

/** A copy of a site with one page in addition to the plain ones. */
async function crawledSite(
  t: TestContext,
  other: string,
  given: GivenOptions = {},
): Promise<{ site: LivingSite; dir: string }> {
  const site = await startLivingSite(t);
  const paths = [other, ...Array.from({ length: PAGES }, (_, i) => `/page/${i}`)];
  site.set('/', paths.map((path) => `<a href="${path}">${path}</a>`).join('\n'));
  for (const path of paths) site.set(path, `<title>${path}</title><p>${path} as it was at first.</p>`);
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s', ...given });
  site.forget();
  return { site, dir };
}

/** Asserts that the copy has the page unchanged and that the page waits for another day. */
async function assertSetAside(dir: string, url: string): Promise<void> {
  const { id, state } = (await storedUrls(dir)).get(url)!;
  assert.equal(state, 'fetched');
  const store = readSqliteStore(dir);
  const visit = (await store.visits(0, 1_000)).find((other) => other.id === id)!;
  const [claimed] = await store.revisits([id]);
  await store.close();
  assert.equal(visit.failures, 1);
  assert.equal(claimed?.earlier?.trouble, 'internal-error');
  assert.ok(Math.abs(visit.notBeforeMs - Date.now() - DAY_MS) < DAY_MS / 24, 'in a day');
}

test('an internal error with one page costs one request, and the refresh completes', async (t) => {
  const { site, dir } = await crawledSite(t, '/faulty');
  site.set('/faulty', '<title>other</title><p>It is another page by now.</p>');
  site.set('/page/7', '<title>other</title><p>And so is this one.</p>');
  // Without a time limit, a refresh that asks forever would hang the test.
  const { summary, exitCode, stderr } = await startFaultyRefresh('./internal-error.ts', dir, '--time', '20s').ended;
  assert.equal(exitCode, 0, stderr);
  assert.deepEqual(site.asked('/faulty'), [200]);
  assert.equal(summary?.ending, 'done');
  assert.deepEqual([summary?.failed, summary?.changed, summary?.left], [1, 1, 0]);
  assert.deepEqual(await told(dir, site.web.origin), ['changed /page/7']);
  await assertSetAside(dir, site.web.url('/faulty'));
  await assertSound(dir);
  assert.equal((await refreshHere(dir)).failed, 0, 'not on the same day');
});

test('a page that kills a unit costs one request, and the refresh continues', async (t) => {
  const { site, dir } = await crawledSite(t, '/deadly', { maxUrlLength: LONG_URL, search: false });
  let asked = 0;
  site.web.on('/deadly', (visit) => {
    asked++;
    reply(linksThatTakeLong(site.web.url('/')))(visit);
  });
  site.set('/page/7', '<title>other</title><p>And so is this one.</p>');
  const units = watchUnits(t);
  const refresh = refreshHere(dir, { units: 1, concurrency: 4 });
  await site.web.ledger.seen('/deadly', 2);
  await untilStuck(units[0]!);
  await units[0]!.terminate();
  const { ending, failed, changed, left } = await refresh;
  assert.deepEqual([ending, failed, changed, left], ['done', 1, 1, 0]);
  assert.equal(asked, 1);
  assert.equal(units.length, 2);
  assert.deepEqual(await told(dir, site.web.origin), ['changed /page/7']);
  await assertSetAside(dir, site.web.url('/deadly'));
  await assertSound(dir);
});
