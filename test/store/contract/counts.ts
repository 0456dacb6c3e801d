/**
 * Tests that the store says the same as the plain model after any events in any
 * order, and that its counts equal a recount.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostRecord, Store, UrlRecord, UrlState } from '../../../src/store/contract.ts';
import { freshStore, type OpenStore } from '../fresh-store.ts';
import { allUrls, NOW_MS } from '../rows.ts';
import type { StoreModel } from './model/model.ts';
import { RandomCrawl } from './model/random-crawl.ts';
import { recount } from './model/recount.ts';

const SEEDS = [1, 2, 3, 4, 5, 6];
const STEPS = 150;

export function countsContract(open: OpenStore): void {
  for (const seed of SEEDS) {
    test(`a random crawl agrees with the model, and its counts with a recount (seed ${seed})`, async (t) => {
      const store = await freshStore(t, open, NOW_MS);
      const crawl = new RandomCrawl(store, seed);
      for (let step = 0; step < STEPS; step++) {
        const did = await crawl.step();
        await compare(store, crawl.model, `after step ${step}: ${did}`);
      }
    });
  }
}

async function compare(store: Store, model: StoreModel, when: string): Promise<void> {
  const urls = await allUrls(store);
  assert.deepEqual(
    urls.map(({ url, state, reason, depth, failures, redirectTo, duplicateOf }) => {
      return { url, state, reason, depth, failures, redirectTo, duplicateOf };
    }),
    [...model.urls.values()].map(({ url, state, reason, depth, failures, redirectTo }) => {
      return { url, state, reason, depth, failures, redirectTo, duplicateOf: model.duplicateOf(url) };
    }),
    when,
  );
  const hosts = await store.hosts(0, 1_000);
  const counts = await store.counts();
  assert.deepEqual(
    counts,
    { ...recount(urls), hosts: hosts.length, wireBytes: model.wireBytes, fetches: model.fetches },
    when,
  );
  for (const host of hosts) compareHost(host, urls, model, when);
  const readyAtMs = hosts.flatMap((host) => host.readyAtMs ?? []);
  assert.equal(await store.nextReadyAtMs(), readyAtMs.length > 0 ? Math.min(...readyAtMs) : null, when);
}

function compareHost(host: HostRecord, urls: readonly UrlRecord[], model: StoreModel, when: string): void {
  const of = (...states: UrlState[]) => urls.filter((url) => url.host === host.host && states.includes(url.state));
  const { waiting, fetched, failed } = host;
  assert.deepEqual(
    { waiting, fetched, failed },
    { waiting: of('waiting').length, fetched: of('fetched', 'duplicate').length, failed: of('failed').length },
    when,
  );
  const lease = model.owners.get(host.host);
  assert.equal(host.leasedBy, lease?.owner ?? null, when);
  if (lease) assert.equal(host.readyAtMs, lease.untilMs, when);
  else assert.equal(host.readyAtMs === null, waiting === 0, `${when}: a host is ready some time if something waits`);
}
