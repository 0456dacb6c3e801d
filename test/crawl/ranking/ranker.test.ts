/**
 * Tests the limits of the ranker: how much a hostile site can make it collect, and
 * ranks that are not yet sent to the store.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveOptions } from '../../../src/core/options/options.ts';
import { Ranker } from '../../../src/crawl/ranking/ranker.ts';
import { orderNamed } from '../../../src/frontier/order.ts';
import type { GrownUrl, Store } from '../../../src/store/contract.ts';

const MANY = 300_000;

test('the number of URLs that grow at once, and of seeds, may exceed the argument limit of a call', async () => {
  const grown: GrownUrl[] = Array.from({ length: MANY }, (_, i) => ({
    id: i + 1,
    hostId: 1,
    url: `http://a.test/${i}`,
    depth: 1,
    relevance: null,
    backlinks: 2,
  }));
  const store = { countLinks: async () => grown } as unknown as Store;
  const ranker = new Ranker(orderNamed('backlink', resolveOptions([])), store, 0, 0);
  ranker.seeded(grown.map(({ id }) => id));
  assert.equal(ranker.known, MANY);
  assert.equal((await ranker.newRanks(true)).length, MANY);
});
