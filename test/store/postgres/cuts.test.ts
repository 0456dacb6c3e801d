/**
 * Tests connections that are cut while several processes write: nothing is
 * lost or duplicated, and receipts are correct.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Store } from '../../../src/store/contract.ts';
import { parseAddress } from '../../../src/store/postgres/connection/address.ts';
import { openPostgresCluster, openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { noPostgres, testDatabase } from '../../setup/postgres.ts';
import { RandomLooks } from '../contract/model/random-looks.ts';
import { checkSound } from '../contract/model/sound-copy.ts';
import { claimOne, commit, found, NOW_MS, page, resultOf } from '../rows.ts';
import { CuttingProxy } from './setup/cutting-proxy.ts';

async function storeAt(t: TestContext, url: string, process: string): Promise<Store> {
  const store = await openPostgresStore({ address: parseAddress(url), name: 'cut', process });
  t.after(() => store.close());
  return store;
}

test('a commit returns its receipt although the response of the server was lost', { skip: noPostgres }, async (t) => {
  const proxy = await CuttingProxy.before(t, await testDatabase(t));
  const store = await storeAt(t, proxy.url, 'one');
  await store.seed([found('http://a.test/')], NOW_MS);
  const lease = await claimOne(store);
  const links = [found('http://a.test/1'), found('http://b.test/2')];
  proxy.rates = { sent: 0, ends: 500 };
  let pages = 0;
  for (; pages < 4 || proxy.unheardEnds < 5; pages++) {
    const url = `http://a.test/page-${pages}`;
    const [id] = await store.seed([found(url)], NOW_MS);
    const { discovered } = await commit(store, [], { found: [found(`http://a.test/found-${pages}`)] });
    const { states } = await commit(store, [resultOf(lease, { id: id!, url }, { page: page(url), foundLinks: links })]);
    assert.deepEqual([states, discovered], [['fetched'], 1], `page ${pages}`);
  }
  proxy.rates = { sent: 0, ends: 0 };
  const { states, fetches } = await store.counts();
  assert.deepEqual([states.fetched, fetches], [pages, pages]);
});

test('page tickets are returned once although the response of the server was lost', {
  skip: noPostgres,
}, async (t) => {
  const url = await testDatabase(t);
  const proxy = await CuttingProxy.before(t, url);
  await storeAt(t, url, 'one');
  const { cluster, close } = openPostgresCluster({ address: parseAddress(proxy.url), name: 'cut', process: 'one' });
  t.after(close);
  const { owner } = await cluster.join({ name: 'w', machine: 'm', pid: 1, archiveDir: '/' }, 60_000);
  assert.equal(await cluster.drawPages(owner, 100, 1_000), 100);
  proxy.rates = { sent: 0, ends: 400 };
  let left = 100;
  for (; left > 50 || proxy.unheardEnds === 0; left--) assert.equal(await cluster.drawPages(owner, -1, 1_000), -1);
  proxy.rates = { sent: 0, ends: 0 };
  assert.equal(await cluster.drawPages(owner, 10_000, 1_000), 1_000 - left, 'the rest of the thousand is left');
});

test('a copy that two processes write at random over breaking connections is consistent', {
  skip: noPostgres,
}, async (t) => {
  const url = await testDatabase(t);
  const proxy = await CuttingProxy.before(t, url);
  const reader = await storeAt(t, url, 'reader');
  const both: RandomLooks[] = [];
  for (const i of [0, 1]) {
    const store = await storeAt(t, proxy.url, `writer ${i}`);
    const looks = new RandomLooks(store, 7 + i, { owner: `writer ${i}`, file: `${i}.warc.gz`, hosts: [i] });
    both.push(looks);
    await looks.begin();
  }
  // How many commits are cut off depends on timing: the loop runs until there were enough.
  for (let round = 0; round < 3 || proxy.unheardEnds <= 5; round++) {
    proxy.rates = { sent: 2, ends: 100 };
    await Promise.all(
      both.map(async (looks) => {
        for (let step = 0; step < 10; step++) await looks.step();
      }),
    );
    await checkSound(reader, new Map(both.flatMap(({ pages }) => [...pages])), `after round ${round}`);
  }
});
