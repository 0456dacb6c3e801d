import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CRAWL_NAME, fillTables } from '../../bench/cluster/cost-fill.ts';
import { CostWeb } from '../../bench/cluster/cost-web.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { hostOf } from '../../src/url/host.ts';
import { urlKeyHex } from '../../src/url/key.ts';
import { noPostgres, testDatabase } from '../setup/postgres.ts';

const HOSTS = 7;
const URLS_A_HOST = 20;

it('tables that are filled directly equal the tables that the store would fill with the same URLs', {
  skip: noPostgres,
}, async (t) => {
  const address = await testDatabase(t);
  const open = () => openPostgresStore({ address, name: CRAWL_NAME, process: 'test' });
  await (await open()).close();
  await fillTables(address, HOSTS, URLS_A_HOST);

  const store = await open();
  try {
    const place = { depth: 1, hops: 0, rank: 1, relevance: null, trail: null, skip: null, pattern: null };
    const found = (url: string) => ({ url, key: urlKeyHex(url), host: hostOf(url), original: null, ...place });
    const urls = Array.from({ length: HOSTS * URLS_A_HOST }, (_, number) =>
      CostWeb.url(Math.floor(number / URLS_A_HOST), number % URLS_A_HOST),
    );
    const stranger = `${CostWeb.hostName(0)}/stranger.html`;
    const ids = await store.seed([...urls, stranger].map(found), 0);
    assert.deepEqual(
      ids.slice(0, -1),
      urls.map((_, number) => number + 1),
    );
    assert.ok(ids.at(-1)! > urls.length);
    const claim = { owner: 'test', hosts: HOSTS + 1, urlsPerHost: 3, nowMs: Date.now(), leaseMs: 1_000 };
    const leases = await store.claim(claim);
    assert.equal(leases.length, HOSTS);
    for (const { host, urls: claimed } of leases) {
      assert.equal(claimed.length, 3);
      assert.ok(claimed.every(({ url }) => hostOf(url) === host));
    }
  } finally {
    await store.close();
  }
});
