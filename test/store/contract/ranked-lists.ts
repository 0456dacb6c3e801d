/** Tests claims from several ranked frontiers in one queue: how the queue is cut, and how the lists are served. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClaimedUrl, ListShares, Store } from '../../../src/store/contract.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { freshStore, type OpenStore } from '../fresh-store.ts';
import { claimOne, commit, found, NOW_MS, page, resultOf } from '../rows.ts';

const NOTHING: ReadonlySet<number> = new Set();
/** Longer than the queue that the stores recount each time. */
const LONG_QUEUE = 3_000;

export function rankedListsContract(open: OpenStore): void {
  test('P5 A to E with pvalues 5, 12, 8, -1, 2 land in lists 2, 1, 1, 3, 3', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const pvalues = { A: 5, B: 12, C: 8, D: -1, E: 2 };
    const seeds = Object.entries(pvalues).map(([name, p]) => found(`http://a.test/${name}`, { rank: -p }));
    await store.seed(seeds, NOW_MS);
    const { hostId } = await claimOne(store, { urlsPerHost: 1, lists: [4, 2, 1] });
    const served = async (limit: number, lists: ListShares) =>
      (await store.claimMore(hostId, { limit, besides: NOTHING, nowMs: NOW_MS, lists }))
        .map(({ url }) => url.slice(-1))
        .join('');
    assert.equal(await served(2, [1, 0, 0]), 'BC');
    assert.equal(await served(1, [0, 1, 0]), 'A');
    assert.equal(await served(2, [0, 0, 1]), 'ED');
    assert.equal(await served(9, [0, 1, 0]), 'ABCED', 'where a list has too few, the others step in');
  });

  for (const [id, lists, cycles] of [
    ['P5', [4, 2, 1], 100],
    ['W18', [8, 4, 2, 1], 40],
  ] as const) {
    test(`${id} a long queue is served ${lists.join(' : ')}, each list from its front, no URL twice`, async (t) => {
      const { store, hostId, placeOf } = await longQueue(await freshStore(t, open, NOW_MS));
      const shares: readonly number[] = lists;
      const sum = shares.reduce((a, b) => a + b);
      const out = new Set<number>();
      const served = shares.map((): number[] => []);
      // Claims portions that do not divide a turn, as a crawl does.
      for (let left = cycles * sum; left > 0; ) {
        const urls = await store.claimMore(hostId, { limit: Math.min(left, 11), besides: out, nowMs: NOW_MS, lists });
        for (const { id: url } of urls) {
          assert.ok(!out.has(url), 'handed out twice');
          out.add(url);
          served[Math.floor((placeOf(url) * shares.length) / LONG_QUEUE)]!.push(placeOf(url));
        }
        left -= urls.length;
      }
      for (const [i, places] of served.entries()) {
        const front = (LONG_QUEUE * i) / shares.length;
        assert.deepEqual(
          places,
          Array.from({ length: cycles * shares[i]! }, (_, n) => front + n),
          `list ${i + 1}`,
        );
      }
    });
  }

  test('P5 the cuts follow a long queue that keeps its length while its URLs change', async (t) => {
    const { store, hostId } = await longQueue(await freshStore(t, open, NOW_MS));
    const lists = [4, 2, 1];
    let rank = -1;
    for (let turn = 0; turn < 30; turn++) {
      const urls = await store.claimMore(hostId, { limit: 100, besides: NOTHING, nowMs: NOW_MS, lists });
      const fresh = urls.map(() => found(`http://a.test/new${-rank}`, { rank: rank-- }));
      const results = urls.map((task) => resultOf({ hostId }, task, { page: page(task.url) }));
      await commit(store, results, { found: fresh });
    }
    const queue = await store.claimMore(hostId, { limit: LONG_QUEUE, besides: NOTHING, nowMs: NOW_MS });
    const [third] = await store.claimMore(hostId, { limit: 1, besides: NOTHING, nowMs: NOW_MS, lists: [0, 0, 1] });
    const place = queue.findIndex(({ id }) => id === third!.id) / LONG_QUEUE;
    assert.equal(queue.length, LONG_QUEUE);
    assert.ok(place > 0.6 && place < 0.73, `the last third begins at ${place}`);
  });

  test('a queue is served to its end, each URL once, also when lists become empty', async (t) => {
    const { store, hostId } = await longQueue(await freshStore(t, open, NOW_MS));
    const served: ClaimedUrl[] = [];
    for (;;) {
      const urls = await store.claimMore(hostId, { limit: 40, besides: NOTHING, nowMs: NOW_MS, lists: [4, 2, 1] });
      if (urls.length === 0) break;
      assert.equal(urls.length, 40);
      served.push(...urls);
      await commit(
        store,
        urls.map((task) => resultOf({ hostId }, task, { state: 'failed', reason: 'gone' })),
      );
    }
    assert.equal(new Set(served.map(({ id }) => id)).size, LONG_QUEUE);
    assert.equal(served.length, LONG_QUEUE);
  });

  test('a short queue is cut exactly, whichever URLs wait, are claimed or have moved', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const random = new SeededRandom(5);
    const ranks = new Map<number, number>();
    const seeds = Array.from({ length: 120 }, (_, i) => found(`http://a.test/${i}`, { rank: random.below(30) }));
    const ids = await store.seed(seeds, NOW_MS);
    for (const [i, id] of ids.entries()) ranks.set(id, seeds[i]!.rank);
    const { hostId } = await claimOne(store, { urlsPerHost: 1 });
    let turn = 0;
    while (ranks.size > 0) {
      const waiting = [...ranks].sort(([a, x], [b, y]) => x - y || a - b).map(([id]) => id);
      const out = new Set(waiting.filter(() => random.below(5) === 0));
      const limit = 1 + random.below(12);
      const expected = serveByHand(waiting, out, limit, [3, 2, 1, 1], turn);
      const urls = await store.claimMore(hostId, { limit, besides: out, nowMs: NOW_MS, lists: [3, 2, 1, 1] });
      assert.deepEqual(
        urls.map(({ id }) => id),
        expected,
        `${waiting.length} wait`,
      );
      turn += urls.length;
      const moved = { id: random.pick(waiting), rank: random.below(30) };
      const done = urls.filter(({ id }) => id !== moved.id && random.below(3) > 0);
      await commit(
        store,
        done.map((task) => resultOf({ hostId }, task, { page: page(task.url) })),
        { ranks: [moved] },
      );
      ranks.set(moved.id, moved.rank);
      for (const { id } of done) ranks.delete(id);
      if (waiting.length < 3) break;
    }
  });
}

async function longQueue(store: Store) {
  const random = new SeededRandom(3);
  const ranks = Array.from({ length: LONG_QUEUE }, (_, i) => i);
  for (let i = ranks.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [ranks[i], ranks[j]] = [ranks[j]!, ranks[i]!];
  }
  const ids = await store.seed(
    ranks.map((rank) => found(`http://a.test/${rank}`, { rank })),
    NOW_MS,
  );
  const places = new Map(ids.map((id, i) => [id, ranks[i]!]));
  const { hostId } = await claimOne(store, { urlsPerHost: 1 });
  return { store, hostId, placeOf: (id: number) => places.get(id)! };
}

/**
 * The literal rule: cuts the waiting URLs into lists, then takes turns. If a list is
 * empty, takes from the first list that is not.
 */
function serveByHand(
  waiting: readonly number[],
  out: ReadonlySet<number>,
  limit: number,
  shares: readonly number[],
  turn: number,
): number[] {
  const cut = (i: number) => Math.round((waiting.length * i) / shares.length);
  const lists = shares.map((_, i) => waiting.slice(cut(i), cut(i + 1)).filter((id) => !out.has(id)));
  const round = shares.flatMap((share, i) => new Array<number>(share).fill(i));
  const served: number[] = [];
  for (let n = turn; served.length < limit; n++) {
    const wanted = lists[round[n % round.length]!]!;
    const list = wanted.length > 0 ? wanted : lists.find(({ length }) => length > 0);
    if (list === undefined) break;
    served.push(list.shift()!);
  }
  return served;
}
