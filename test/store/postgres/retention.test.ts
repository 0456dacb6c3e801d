/**
 * Tests that old versions are dropped while workers add new ones: none is
 * forgotten, and none that is needed is dropped.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '../../../src/store/contract.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { noPostgres } from '../../setup/postgres.ts';
import { capture, claimOne, commit, FILE, found, NOW_MS, resultOf } from '../rows.ts';
import { postgresIn } from './setup/postgres-in.ts';

const here = { skip: noPostgres };
const NEWEST = { kind: 'newest', contents: 1 } as const;

async function dropAll(store: Store): Promise<void> {
  for (let after: number | null = 0; after !== null; ) after = (await store.dropCaptures(NEWEST, after, 3)).after;
}

test(
  'a page that gets a capture while it is judged is judged again, and the dropped captures are counted for each file',
  here,
  async (t) => {
    const request = await postgresIn(t.name);
    const [one, other] = await Promise.all(
      [1, 2].map((n) => openPostgresStore({ ...request, process: `process ${n}` })),
    );
    for (const store of [one!, other!]) t.after(() => store.close());
    const urls = Array.from({ length: 6 }, (_, i) => found(`http://a.test/${i}`));
    await one!.seed(urls, NOW_MS);
    const lease = await claimOne(one!);
    const archive = new Map([[FILE, 100_000]]);
    const rounds = 12;
    for (let round = 0; round < rounds; round++) {
      const results = lease.urls.map((task, i) =>
        resultOf(lease, task, { state: 'waiting', capture: capture(1_000 * round + i) }),
      );
      const added = commit(one!, results, { archive });
      await Promise.all([added, dropAll(other!)]);
    }
    await dropAll(other!);
    for (const { host, key } of urls) {
      const left = await one!.capturesOf(host, key, Number.MAX_SAFE_INTEGER, 99);
      assert.deepEqual(
        left.map(({ fetchedAtMs }) => Math.floor((fetchedAtMs - NOW_MS) / 1_000)),
        [rounds - 1],
      );
    }
    // Six of seventy-two captures are left. The row of the file must count all others as dropped.
    const [use] = await one!.wastefulFiles(1);
    assert.equal(use?.neededBytes, Math.round((100_000 * urls.length) / (urls.length * rounds)));
  },
);

test('if two processes rewrite the same files at once, only one of them succeeds', here, async (t) => {
  const request = await postgresIn(t.name);
  const stores = await Promise.all([1, 2].map((n) => openPostgresStore({ ...request, process: `process ${n}` })));
  for (const store of stores) t.after(() => store.close());
  await stores[0]!.seed([found('http://a.test/')], NOW_MS);
  const lease = await claimOne(stores[0]!);
  const result = resultOf(lease, lease.urls[0]!, { state: 'waiting', capture: capture(0) });
  const archivePlace = { machine: 'here', folder: '/archive' };
  await commit(stores[0]!, [result], { archive: new Map([[FILE, 500]]), archivePlace });
  const [captures] = await stores[0]!.capturesIn([FILE]);
  const ends = await Promise.allSettled(
    stores.map((store, i) =>
      store.moveCaptures({ to: { file: `new-${i}`, bytes: 100 }, from: [{ captures: captures!, newOffsets: [7] }] }),
    ),
  );
  assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  const [name] = [...(await stores[0]!.archiveFiles()).keys()];
  const [moved] = await stores[0]!.capturesIn([name!]);
  assert.deepEqual([moved?.offsets, (await stores[0]!.archiveFiles()).size], [[7], 1]);
  assert.deepEqual(
    (await stores[0]!.archivePlaces()).get(name!)?.folder,
    '/archive',
    'the new file lies where the old one did',
  );
});
