/**
 * Tests that a waiting URL moves in the queue: by a commit, and end to end by the
 * ranker of a crawl when its back-links grow.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveOptions } from '../../../src/core/options/options.ts';
import { Ranker } from '../../../src/crawl/ranking/ranker.ts';
import { orderNamed } from '../../../src/frontier/order.ts';
import type { NewRank, Store } from '../../../src/store/contract.ts';
import { freshStore, type OpenStore } from '../fresh-store.ts';
import { batchOf, claimOne, commit, found, linksTo, NOW_MS, page, resultOf } from '../rows.ts';

const BATCH = 16;
const WAITING = 2_000;
/** Pages that are fetched after this number of pages link to the URL that is last in the queue. */
const LINKS_FROM = 150;
const HUNDREDFOLD = 100;
/**
 * The most pages between two runs of the ranker, plus two batches: one to write the new rank, one to hand the URL out.
 */
const MOST_FETCHES = 256 + 2 * BATCH;

export function movingUpContract(open: OpenStore): void {
  test('a new rank moves a waiting URL; with a relevance, only if the relevance is higher than before', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const relevances = [null, null, 0.5, 0.5, null];
    const ids = await store.seed(
      relevances.map((relevance, i) => found(`http://a.test/${i}`, { rank: i, relevance })),
      NOW_MS,
    );
    const lease = await claimOne(store);
    await commit(store, [resultOf(lease, lease.urls[4]!, { page: page('x') })]);
    const ranks: NewRank[] = [
      { id: ids[0]!, rank: 10 },
      { id: ids[1]!, rank: 9, relevance: 0.1 },
      { id: ids[2]!, rank: 8, relevance: 0.6 },
      { id: ids[3]!, rank: 99, relevance: 0.5 },
      { id: ids[4]!, rank: -1 },
      { id: 12_345, rank: -2 },
    ];
    await commit(store, [], { ranks });
    const queue = await store.claimMore(lease.hostId, { limit: 9, besides: new Set(), nowMs: NOW_MS });
    assert.deepEqual(
      queue.map(({ id }) => ids.indexOf(id)),
      [3, 2, 1, 0],
    );
    const kept = (await store.waiting([...ids, 12_345])).map(({ id, relevance }) => [ids.indexOf(id), relevance]);
    assert.deepEqual(kept, [
      [0, null],
      [1, 0.1],
      [2, 0.6],
      [3, 0.5],
    ]);
  });

  for (const order of ['backlink', 'best-first']) {
    test(`W18 E1 ${order}: a URL with many new back-links is fetched within ${MOST_FETCHES} fetches`, async (t) => {
      const moved = await fetchesUntilLast(await freshStore(t, open, NOW_MS), order, true);
      assert.ok(moved !== null && moved <= MOST_FETCHES, `after ${moved} fetches`);
      const left = await fetchesUntilLast(await freshStore(t, open, NOW_MS), order, false);
      assert.ok(left === null || left > 2 * MOST_FETCHES, `left in its place it would come after ${left}`);
    });
  }
}

/**
 * Crawls as the controller does. Returns the number of fetches between the moment when a hundred pages link to the URL
 * that was found last and the moment when that URL is handed out: 0 if it was handed out before, null if it never was.
 */
async function fetchesUntilLast(store: Store, orderName: string, moves: boolean): Promise<number | null> {
  const order = orderNamed(orderName, resolveOptions([]));
  const ranker = new Ranker(order, store, 0, 0);
  const seed = found('http://a.test/', { depth: 0 });
  ranker.rank(seed);
  const [seedId] = await store.seed([seed], NOW_MS);
  const { hostId } = await claimOne(store, { urlsPerHost: 1 });
  const links = Array.from({ length: WAITING }, (_, i) => found(`http://a.test/${i}`));
  let lastId = 0;
  let linkedTimes = 0;
  let fetchedSince = 0;
  let ranks: readonly NewRank[] = [];
  for (let fetched = 0; fetched < WAITING; ) {
    const urls = await store.claimMore(hostId, { limit: BATCH, besides: new Set(), nowMs: NOW_MS, lists: order.lists });
    const isOut = urls.some(({ id }) => id === lastId);
    if (isOut) return fetchedSince;
    const results = urls.map((task, i) => {
      const facts = page(task.url);
      if (task.id === seedId) return resultOf({ hostId }, task, { page: facts, foundLinks: links });
      const linksLast = fetched + i > LINKS_FROM;
      return resultOf({ hostId }, task, {
        page: facts,
        knownLinks: linksTo(linksLast ? [seedId!, lastId] : [seedId!]),
      });
    });
    const batch = batchOf(results, { ranks: moves ? ranks : [] });
    ranker.beforeCommit(batch);
    const receipt = await store.commit(batch);
    ranker.afterCommit(results, receipt);
    ranks = await ranker.newRanks();
    lastId ||= receipt.linkIds[0]!.at(-1)!;
    fetched += urls.length;
    if (linkedTimes >= HUNDREDFOLD) fetchedSince += urls.length;
    linkedTimes = (await store.backlinks([lastId]))[0]! - 1;
  }
  return null;
}
