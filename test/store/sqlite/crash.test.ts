/** Tests what is left after the worst moments: the process killed in the middle of its commits, the disk full. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { OrbweaverError } from '../../../src/core/errors.ts';
import type { Store } from '../../../src/store/contract.ts';
import { openSqliteStore, readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { temporaryFolder } from '../fresh-store.ts';
import { mountTmpfs } from '../mount-tmpfs.ts';
import { allUrls, claimOne, commit, found, NOW_MS, page, recordOf, resultOf } from '../rows.ts';
import { checkIntegrity, killAfter } from './kill-after.ts';

const COMMITTER = 'commit-until-killed.ts';

interface Committed {
  readonly url: string;
  readonly links: readonly string[];
}

test('E8 kill -9 during commits loses no acknowledged commit, and the next start continues', async (t) => {
  const dir = temporaryFolder(t);
  const told: Committed[] = [];
  for (const commits of [7, 60, 23]) {
    told.push(...(await killAfter<Committed>(COMMITTER, [dir], commits)));
    checkIntegrity(dir);
  }
  const store = openSqliteStore(dir, NOW_MS);
  t.after(() => store.close());
  assert.ok(told.length >= 90);
  assert.equal(new Set(told.map(({ url }) => url)).size, told.length, 'nothing acknowledged is fetched again');
  for (const { url, links } of told) {
    assert.equal((await recordOf(store, url)).state, 'fetched');
    for (const link of links) assert.equal((await recordOf(store, link)).via, url);
  }
  const { states } = await store.counts();
  const urls = await allUrls(store);
  assert.equal(states.fetched, urls.filter(({ state }) => state === 'fetched').length);
  assert.equal(states.waiting, urls.filter(({ state }) => state === 'waiting').length);
  for (const when of ['as it was left', 'with all links counted']) {
    const ids = urls.map(({ id }) => id);
    assert.deepEqual(await store.backlinks(ids), await recountBacklinks(store, ids), when);
    assert.ok((await store.backlinks([1]))[0]! >= told.length - 1, 'every other page links to the first URL');
    await store.countLinks();
  }
});

/** Counts the back-links from the link lists of the pages, one by one. */
async function recountBacklinks(store: Store, ids: readonly number[]): Promise<number[]> {
  const counts = new Map<number, number>();
  for (const id of ids) {
    for (const link of await store.linksFrom(id)) counts.set(link.id, (counts.get(link.id) ?? 0) + 1);
  }
  return ids.map((id) => counts.get(id) ?? 0);
}

test('a reader beside the crawl sees every link exactly once while links are being counted', async (t) => {
  const dir = temporaryFolder(t);
  await killAfter(COMMITTER, [dir], 1);
  const reader = readSqliteStore(dir);
  t.after(() => reader.close());
  let seen = 0;
  const looked = killAfter(COMMITTER, [dir], 100, async () => {
    const [backlinks] = await reader.backlinks([1]);
    const links = (await reader.linksTo(1, 1_000)).map(({ id }) => id);
    assert.equal(new Set(links).size, links.length);
    assert.ok(backlinks! >= seen && links.length >= backlinks!, `${seen}, then ${backlinks}, then ${links.length}`);
    seen = links.length;
  });
  assert.ok((await looked).length >= 100 && seen > 50);
});

/** Commits pages with long titles until one is refused. Returns how many were accepted. */
async function commitUntilRefused(store: Store): Promise<{ taken: number; error: OrbweaverError | null }> {
  const lease = await claimOne(store);
  for (const [taken, task] of lease.urls.entries()) {
    try {
      const facts = page(task.url, { title: 'x'.repeat(50_000) });
      await commit(store, [resultOf(lease, task, { page: facts })]);
    } catch (error) {
      return { taken, error: error as OrbweaverError };
    }
  }
  return { taken: lease.urls.length, error: null };
}

test('after a full disk the committed data is there, and the store continues when there is space', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-full-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const mount = mountTmpfs(dir, 'size=2m');
  if (typeof mount === 'string') return t.skip(mount);
  try {
    const store = openSqliteStore(dir, NOW_MS);
    try {
      const seeds = Array.from({ length: 60 }, (_, i) => found(`http://a.test/${i}`));
      await store.seed(seeds, NOW_MS);
      const { taken, error } = await commitUntilRefused(store);
      assert.ok(taken > 5 && taken < seeds.length, `${taken} commits went in`);
      assert.equal(error?.code, 'ERR_DISK_FULL');
      assert.match(error.message, /free some space and run the same command again/);
      assert.equal((await store.counts()).states.fetched, taken);
      mount.remount('size=16m');
      const hosts = await store.hosts(0, 1);
      await store.release('first', [hosts[0]!.id], NOW_MS);
      const rest = await commitUntilRefused(store);
      assert.deepEqual(rest, { taken: seeds.length - taken, error: null });
    } finally {
      await store.close();
    }
    checkIntegrity(dir);
    const again = openSqliteStore(dir, NOW_MS);
    const { states } = await again.counts();
    assert.deepEqual([states.fetched, states.waiting], [60, 0]);
    await again.close();
  } finally {
    mount.unmount();
  }
});
