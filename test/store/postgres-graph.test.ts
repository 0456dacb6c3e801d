/** The link graph while several processes write and count at once: every list is found again, and every link counted once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SegmentReader } from '../../src/graph/segment-reader.ts';
import type { GraphSegment } from '../../src/store/contract.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { noPostgres } from '../setup/postgres.ts';
import { SeededRandom } from '../url/seeded-random.ts';
import { postgresIn } from './postgres-in.ts';
import { claim, commit, found, linksTo, NOW_MS, page, resultOf } from './rows.ts';

const WRITERS = 4;
const HOSTS = 8;
const PAGES_A_HOST = 12;
/** Longer than the test may take. */
const LEASE_MS = 1e9;

test('four processes commit and count links at once: lists and counts are exact, no segment is missed', {
  skip: noPostgres,
}, async (t) => {
  const request = await postgresIn(t.name);
  const stores = await Promise.all(
    Array.from({ length: WRITERS }, async (_, i) => {
      const store = await openPostgresStore({ ...request, process: `writer ${i}` });
      t.after(() => store.close());
      return store;
    }),
  );
  const seeds = Array.from({ length: HOSTS * PAGES_A_HOST }, (_, i) =>
    found(`http://host-${i % HOSTS}.test/${Math.floor(i / HOSTS)}`),
  );
  const ids = await stores[0]!.seed(seeds, NOW_MS);
  const links = new Map<number, readonly number[]>();
  const read: GraphSegment[] = [];
  const readMore = async (): Promise<void> => {
    read.push(...(await stores[0]!.segments(read.at(-1)?.seq ?? 0, 100)));
  };
  await Promise.all(
    stores.map(async (store, i) => {
      const random = new SeededRandom(i + 1);
      const owner = `writer ${i}`;
      for (const lease of await claim(store, { owner, hosts: HOSTS / WRITERS, leaseMs: LEASE_MS })) {
        for (const task of lease.urls) {
          const targets = ids.filter(() => random.below(8) === 0);
          links.set(task.id, targets);
          await commit(store, [resultOf(lease, task, { page: page(task.url), knownLinks: linksTo(targets) })], {
            owner,
          });
          if (random.below(4) === 0) await store.countLinks();
          if (i === 0) await readMore();
        }
      }
    }),
  );
  assert.equal(links.size, ids.length, 'every page was committed');
  const expected = ids.map((id) => links.values().reduce((sum, targets) => sum + (targets.includes(id) ? 1 : 0), 0));
  assert.deepEqual(await stores[1]!.backlinks(ids), expected, 'counted or not');
  for (const id of ids) {
    assert.deepEqual(
      (await stores[2]!.linksFrom(id)).map((link) => link.id),
      links.get(id),
    );
  }
  await stores[3]!.countLinks();
  assert.deepEqual(await stores[1]!.backlinks(ids), expected, 'all counted');
  await readMore();
  const pages: number[] = [];
  for (const { lists } of read) {
    const reader = new SegmentReader();
    reader.open(lists);
    while (reader.next()) pages.push(reader.page);
  }
  assert.deepEqual(
    pages.sort((a, b) => a - b),
    ids,
    'each list is in one of the segments that were read in order',
  );
});
