/** Tests how the embedded engine keeps the link graph small, which the contract cannot see. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { temporaryFolder } from '../fresh-store.ts';
import { capture, claimOne, commit, FILE, found, linksTo, NOW_MS, page, resultOf } from '../rows.ts';

const PAGES = 2_500;

test('segments of pages without links do not accumulate, although they are not counted', async (t) => {
  const dir = temporaryFolder(t);
  const store = openSqliteStore(dir, NOW_MS);
  t.after(() => store.close());
  const seeds = Array.from({ length: PAGES }, (_, i) => found(`http://a.test/${i}`));
  const ids = await store.seed(seeds, NOW_MS);
  const lease = await claimOne(store, { urlsPerHost: PAGES });
  const archive = new Map([[FILE, 100 * PAGES]]);
  for (const [i, task] of lease.urls.entries()) {
    // One in a hundred pages links to the page before it.
    const knownLinks = i % 100 === 99 ? linksTo([ids[i - 1]!]) : [];
    await commit(store, [resultOf(lease, task, { page: page(task.url), capture: capture(100 * i), knownLinks })], {
      archive,
    });
  }
  assert.ok(rowsIn(dir) < 1_000, `${rowsIn(dir)} segments`);
  assert.deepEqual(await store.segments(0, 9), [], 'they are joined, but open');
  const backlinks = async () => (await store.backlinks(ids)).reduce((sum, count) => sum + count, 0);
  assert.equal(await backlinks(), 25);
  assert.deepEqual(
    (await store.linksFrom(ids[99]!)).map(({ id }) => id),
    [ids[98]],
  );
  await store.forgetCaptures(FILE, 100 * 250, NOW_MS);
  assert.equal(await backlinks(), 2);
  assert.equal((await store.countLinks()).length, 0);
  assert.equal(await backlinks(), 2);
});

function rowsIn(dir: string): number {
  const db = new DatabaseSync(join(dir, 'crawl.db'), { readOnly: true });
  try {
    return (db.prepare('SELECT count(*) AS rows FROM graph').get() as { rows: number }).rows;
  } finally {
    db.close();
  }
}
