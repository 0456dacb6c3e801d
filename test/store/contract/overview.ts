/** Tests the short records for lists of very many rows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_TOUCH, type Store } from '../../../src/store/contract.ts';
import { freshStore, type OpenStore } from '../fresh-store.ts';
import { at, copyOf } from '../looking-again.ts';
import { allUrls, found, NOW_MS } from '../rows.ts';

const COPY = {
  seed: { body: 'seed' },
  a: { body: 'body of a' },
  lost: { state: 'failed', reason: 'not-found' },
} as const;

export function overviewContract(open: OpenStore): void {
  test('a glance has the same facts as the record of its URL', async (t) => {
    const { store } = await copyOf(await freshStore(t, open, NOW_MS), COPY);
    await store.seed([found(at('new'))], NOW_MS);
    const records = await allUrls(store);
    const glances = await store.glances(0, 100);
    assert.deepEqual(
      glances,
      records.map(({ id, host, url, state, reason, bytes }) => ({ id, host, url, state, reason, bytes })),
    );
    assert.deepEqual(await store.glances(glances[0]!.id, 2), glances.slice(1, 3));
    assert.deepEqual(await store.glancesOf([glances[2]!.id, 987_654, glances[0]!.id]), [glances[0], glances[2]]);
    assert.ok(glances.some(({ reason, bytes }) => reason === 'not-found' && bytes === 0));
  });

  test('a glance at hosts leaves out only the text of robots.txt and answers for missing paths', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed([found('http://a.test/1'), found('http://b.test/'), found('http://a.test/2')], NOW_MS);
    const hosts = await store.hosts(0, 9);
    assert.deepEqual(await store.glanceHosts(0, 9), hosts);
    assert.deepEqual(await store.glanceHosts(hosts[0]!.id, 9), hosts.slice(1));
  });

  test('changes are read newest first, and so are the pages that commits touched', async (t) => {
    const copy = await copyOf(await freshStore(t, open, NOW_MS), COPY);
    const { store } = copy;
    for (const body of ['one', 'two', 'three']) await copy.look('a', 'changed', { body });
    const changes = await store.changes(0, 9);
    assert.equal(changes.length, 3);
    assert.deepEqual(await store.changesBefore(Number.MAX_SAFE_INTEGER, 2), changes.toReversed().slice(0, 2));
    assert.deepEqual(await store.changesBefore(changes[1]!.seq, 9), [changes[0]]);
    assert.deepEqual(await store.lastTouches(9), await newestFirst(store));
    assert.equal((await store.lastTouches(1))[0]!.id, copy.id('a'));
  });
}

async function newestFirst(store: Store) {
  return (await store.touches(FIRST_TOUCH, 9)).toReversed();
}
