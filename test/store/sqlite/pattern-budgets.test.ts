/** Tests which path patterns the SQLite store writes. The contract suite tests the budgets themselves. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { pathPattern } from '../../../src/url/traps/path-pattern.ts';
import { temporaryFolder } from '../fresh-store.ts';
import { claimOne, commit, found, NOW_MS, page, resultOf } from '../rows.ts';

test('C8 a pattern is written from its second URL on, with all its URLs and answers', async (t) => {
  const dir = temporaryFolder(t);
  const store = openSqliteStore(dir, NOW_MS);
  t.after(() => store.close());
  const patterns = () => {
    const db = new DatabaseSync(join(dir, 'crawl.db'), { readOnly: true });
    try {
      return db.prepare('SELECT count AS known, answered FROM patterns').all();
    } finally {
      db.close();
    }
  };
  const link = (path: string) => found(`http://a.test${path}`, { pattern: pathPattern(`http://a.test${path}`) });
  await store.seed([link('/lake?n=1'), link('/b')], NOW_MS);
  const lease = await claimOne(store);
  const answer = (n: number, ...links: string[]) => {
    const result = resultOf(lease, lease.urls[n]!, { page: page(`page ${n}`), foundLinks: links.map(link) });
    return commit(store, [result], { patternBudget: 100 });
  };
  await answer(0, '/sea?n=1', '/hill?n=2', '/wood?n=3');
  assert.deepEqual(patterns(), []);
  await answer(1, '/sea?n=4', '/lake?n=5');
  const written = patterns().map(({ known, answered }) => `${known} known, ${answered} answered`);
  assert.deepEqual(written.sort(), ['2 known, 0 answered', '2 known, 1 answered']);
});
