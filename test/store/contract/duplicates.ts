/** Tests pages that are copies of others (C7), and redirects. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PageRecord, Store, UrlState } from '../../../src/store/contract.ts';
import { freshStore, type OpenStore } from '../fresh-store.ts';
import { claimOne, commit, found, NOW_MS, page, recordOf, resultOf } from '../rows.ts';

const at = (path: string) => `http://a.test/${path}`;
const PATHS = ['a', 'b', 'c', 'd'];

async function seeded(store: Store) {
  await store.seed(
    PATHS.map((path) => found(at(path))),
    NOW_MS,
  );
  const lease = await claimOne(store);
  const task = (path: string) => ({ id: lease.urls.find(({ url }) => url === at(path))!.id });
  const fetched = (path: string, body: string, more: Partial<PageRecord> = {}) =>
    resultOf(lease, task(path), { page: page(body, more) });
  const redirected = (path: string, to: string) =>
    resultOf(lease, task(path), { state: 'redirect', redirectTo: found(at(to), { hops: 1 }) });
  return { lease, fetched, redirected };
}

async function statesOf(store: Store, paths: readonly string[] = PATHS): Promise<UrlState[]> {
  return Promise.all(paths.map(async (path) => (await recordOf(store, at(path))).state));
}

export function duplicatesContract(open: OpenStore): void {
  test('among pages with the same content, the first committed page is the original', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const { fetched } = await seeded(store);
    await commit(store, [fetched('c', 'same')]);
    await commit(store, [fetched('a', 'same'), fetched('b', 'other')]);
    assert.deepEqual(await statesOf(store, ['a', 'b', 'c']), ['duplicate', 'fetched', 'fetched']);
    const { reason, duplicateOf } = await recordOf(store, at('a'));
    assert.deepEqual([reason, duplicateOf], ['duplicate-content', at('c')]);
    assert.equal((await store.counts()).states.fetched, 2);
  });

  test('empty pages are not copies of each other', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const { fetched } = await seeded(store);
    assert.deepEqual((await commit(store, [fetched('a', ''), fetched('b', '')])).states, ['fetched', 'fetched']);
  });

  test('a redirect makes its target known, with the number of hops', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const { lease, redirected } = await seeded(store);
    const { discovered } = await commit(store, [redirected('a', 'new'), redirected('b', 'c')]);
    assert.equal(discovered, 1);
    const { state, redirectTo } = await recordOf(store, at('a'));
    assert.deepEqual([state, redirectTo], ['redirect', at('new')]);
    const tasks = await store.claimMore(lease.hostId, { limit: 9, besides: new Set(), nowMs: NOW_MS });
    assert.equal(tasks.find(({ url }) => url === at('new'))?.hops, 1);
    assert.equal(tasks.find(({ url }) => url === at('c'))?.hops, 0, 'one that was known stays as it was');
  });

  test('a redirect to itself, or around a ring, is a loop', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const { redirected } = await seeded(store);
    await commit(store, [redirected('d', 'd')]);
    await commit(store, [redirected('a', 'b'), redirected('b', 'c'), redirected('c', 'a')]);
    assert.deepEqual(await statesOf(store), ['redirect', 'redirect', 'failed', 'failed']);
    assert.deepEqual((await store.counts()).reasons, { 'redirect-loop': 2 });
  });
}
