/** Tests how the SQLite engine stores visits: its tables agree with each other, also after the worst moments. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { ChangeEntry, Store } from '../../../src/store/contract.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { sketchWith } from '../../content/compare-sketches.ts';
import { type KnownPage, RandomLooks } from '../contract/model/random-looks.ts';
import { checkSound } from '../contract/model/sound-copy.ts';
import { temporaryFolder } from '../fresh-store.ts';
import { copyOf } from '../looking-again.ts';
import { allUrls, capture, claimOne, commit, found, NOW_MS, page, resultOf } from '../rows.ts';
import { checkIntegrity, killAfter } from './kill-after.ts';

/**
 * Checks that every content has one row, which names a page that has the content and is no duplicate, and that
 * every duplicate by content has such a row.
 */
function checkContents(dir: string, when: string): void {
  const db = new DatabaseSync(join(dir, 'crawl.db'), { readOnly: true });
  const count = (sql: string) => Number(Object.values(db.prepare(`SELECT count(*) ${sql}`).get()!)[0]);
  const wrong = count(`FROM contents c LEFT JOIN pages p ON p.url_id = c.url_id
    WHERE p.url_id IS NULL OR substr(p.digest, 1, 16) <> c.digest OR p.duplicate_of IS NOT NULL`);
  const lost = count(`FROM pages p WHERE p.bytes > 0 AND coalesce(p.duplicate_of, 0) = 0
    AND NOT EXISTS (SELECT 1 FROM contents c WHERE c.digest = substr(p.digest, 1, 16))`);
  const stale = count('FROM pages p JOIN urls u ON u.id = p.url_id WHERE u.state NOT IN (1, 2)');
  db.close();
  assert.deepEqual({ wrong, lost, stale }, { wrong: 0, lost: 0, stale: 0 }, when);
}

test('contents refer to pages that have them, after any sequence of visits', async (t) => {
  for (const seed of [21, 22]) {
    const dir = temporaryFolder(t);
    const store = openSqliteStore(dir, NOW_MS);
    t.after(() => store.close());
    const looks = new RandomLooks(store, seed);
    await looks.begin();
    for (let step = 0; step < 120; step++) checkContents(dir, `seed ${seed}, step ${step}: ${await looks.step()}`);
  }
});

test('E8 kill -9 during visits leaves a consistent copy with all acknowledged visits', async (t) => {
  const dir = temporaryFolder(t);
  const told: (ChangeEntry | null)[] = [];
  for (const [seed, steps] of [40, 75, 23].entries()) {
    told.push(...(await killAfter<ChangeEntry | null>('look-until-killed.ts', [dir, String(seed)], steps)));
    checkIntegrity(dir);
    checkContents(dir, `after ${steps} steps`);
  }
  const store = openSqliteStore(dir, NOW_MS);
  t.after(() => store.close());
  await checkSound(store, await pagesOf(store), 'after the last');
  const changes = new Map((await store.changes(0, 1_000_000)).map((change) => [change.seq, change]));
  const acknowledged = told.filter((change) => change !== null);
  assert.ok(acknowledged.length > 100);
  for (const change of acknowledged) assert.deepEqual(changes.get(change.seq), change);
});

/** The pages as the store has them. */
async function pagesOf(store: Store): Promise<Map<string, KnownPage>> {
  const pages = new Map<string, KnownPage>();
  for (const { id, url, digest } of await allUrls(store)) {
    const links = new Set((await store.linksFrom(id)).map((link) => link.url));
    if (digest !== '') pages.set(url, { digest: digest.slice('sha256:'.length), links, endsAt: 0 });
  }
  return pages;
}

test('a commit of visits that fails half-way has no effect, and the next commit is complete', async (t) => {
  const dir = temporaryFolder(t);
  const store = openSqliteStore(dir, NOW_MS);
  t.after(() => store.close());
  const [a, b] = await store.seed([found('http://a.test/a'), found('http://a.test/b')], NOW_MS);
  const lease = await claimOne(store);
  await commit(store, [
    resultOf(lease, { id: a!, url: 'http://a.test/a' }, { page: page('same'), foundLinks: [found('http://a.test/b')] }),
    resultOf(lease, { id: b!, url: 'http://a.test/b' }, { page: page('same') }),
  ]);
  const revisit = { sinceMs: NOW_MS, checkedAtMs: NOW_MS + 1, finding: 'changed', change: null } as const;
  const changed = resultOf(lease, { id: a!, url: 'http://a.test/a' }, { page: page('new'), revisit });
  const before = [await pagesOf(store), await store.visits(0, 9), await store.counts()];
  await assert.rejects(commit(store, [changed, { ...changed, id: b!, capture: capture(0, { file: 'not named' }) }]));
  assert.deepEqual([await pagesOf(store), await store.visits(0, 9), await store.counts()], before);
  assert.deepEqual((await commit(store, [changed])).states, ['fetched']);
  await checkSound(store, await pagesOf(store), 'after the next');
  checkContents(dir, 'after the next');
});

test('E5 a page with many small changes is indexed once for its unchanged text', async (t) => {
  const dir = temporaryFolder(t);
  const store = openSqliteStore(dir, NOW_MS);
  t.after(() => store.close());
  const copy = await copyOf(store, { seed: { body: 'seed' } });
  const sketch = sketchWith(Array.from({ length: 32 }, (_, i) => 1_000 * (i + 1)));
  const db = new DatabaseSync(join(dir, 'crawl.db'), { readOnly: true });
  t.after(() => db.close());
  const entries = () => db.prepare('SELECT sum(length(entries)) / 8 AS n FROM print_log').get()!.n;
  const look = (body: string) => copy.look('seed', 'changed', { body, more: { sketch } }, { nearDuplicate: 0.8 });
  await look('first');
  const once = entries();
  assert.ok(Number(once) > 0);
  for (let i = 0; i < 12; i++) await look(`version ${i}`);
  assert.equal(entries(), once);
});

test('the numbers of changes continue after the newest changes were deleted', async (t) => {
  const dir = temporaryFolder(t);
  const first = openSqliteStore(dir, NOW_MS);
  const looks = new RandomLooks(first, 5);
  await looks.begin();
  while ((await first.lastChange()) < 5) await looks.step();
  const last = await first.lastChange();
  await first.close();
  const db = new DatabaseSync(join(dir, 'crawl.db'));
  db.exec('DELETE FROM changes');
  db.close();
  const second = openSqliteStore(dir, NOW_MS);
  t.after(() => second.close());
  const again = new RandomLooks(second, 6);
  await again.begin();
  while ((await second.changes(0, 1)).length === 0) await again.step();
  assert.ok((await second.changes(0, 1))[0]!.seq > last);
});
