/** Tests the positions and leases of followers, and the marks of the pages that commits touched. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_TOUCH, type Store, type Touch } from '../../../src/store/contract.ts';
import type { StoreTraits } from '../contract.ts';
import { freshStore, type OpenStore, temporaryFolder } from '../fresh-store.ts';
import { at, copyOf, type LookedAt } from '../looking-again.ts';
import { capture, commit, FILE, found, NOW_MS, page, resultOf } from '../rows.ts';

const THREE = { seed: { body: 'seed' }, a: { body: 'A' }, b: { body: 'b' } } as const;
const LEASE_MS = 1_000;
const HOLD = { name: 'reader', version: 1, owner: 'one', nowMs: NOW_MS, leaseMs: LEASE_MS };

/** The paths of the pages that were touched after a mark. */
async function touchedIn(copy: LookedAt, after: Touch): Promise<[paths: string[], last: Touch]> {
  const touches = await copy.store.touches(after, 100);
  const paths = new Map([...copy.ids].map(([path, id]) => [id, path]));
  return [touches.map(({ id }) => paths.get(id) ?? '?'), touches.at(-1) ?? after];
}

export function followersContract(open: OpenStore, { sharedBecause }: StoreTraits): void {
  test('each page has the mark of the last commit that touched it, in the order of commits', async (t) => {
    const copy = await copyOf(await freshStore(t, open, NOW_MS), {
      ...THREE,
      lost: { state: 'failed', reason: 'not-found' },
    });
    const [all, end] = await touchedIn(copy, FIRST_TOUCH);
    assert.deepEqual(all, ['seed', 'a', 'b'], 'a URL without a page has no mark');
    await copy.look('b', 'same');
    await copy.look('a', 'missing', { reason: 'not-found' });
    assert.deepEqual(await touchedIn(copy, end), [[], end], 'nothing in the copy has changed');
    await copy.look('a', 'changed', { body: 'A2' });
    await copy.look('seed', 'noise', { body: 'Seed' });
    const [two, later] = await touchedIn(copy, end);
    assert.deepEqual(two, ['a', 'seed']);
    await copy.look('a', 'gone', { reason: 'gone' });
    await copy.look('b', 'moved', { redirectTo: found(at('seed')) });
    await copy.look('a', 'changed', { body: 'back' });
    assert.deepEqual((await touchedIn(copy, later))[0], ['b', 'a']);
    assert.deepEqual((await touchedIn(copy, end))[0], ['seed', 'b', 'a'], 'a late reader sees each page once');
  });

  test('marks are read in batches, also within one commit', async (t) => {
    const copy = await copyOf(await freshStore(t, open, NOW_MS), {
      seed: { body: 'seed', foundLinks: ['x', 'y', 'z'].map((path) => found(at(path))) },
    });
    const tasks = await copy.store.claimMore(copy.hostId, { limit: 9, besides: new Set(), nowMs: NOW_MS });
    const results = tasks.map((task, i) => resultOf(copy, task, { page: page(`body ${i}`) }));
    await commit(copy.store, results);
    const all = await copy.store.touches(FIRST_TOUCH, 100);
    assert.equal(all.length, 4);
    assert.equal(new Set(all.map(({ seq }) => seq)).size, 2);
    const read: Touch[] = [];
    for (let last = FIRST_TOUCH; ; last = read.at(-1)!) {
      const [next] = await copy.store.touches(last, 1);
      if (next === undefined) break;
      read.push(next);
    }
    assert.deepEqual(read, all);
  });

  test('a page that becomes a duplicate or an original, or that waits again, is touched', async (t) => {
    const copy = await copyOf(await freshStore(t, open, NOW_MS), {
      ...THREE,
      twin: { body: 'A' },
    });
    const [, end] = await touchedIn(copy, FIRST_TOUCH);
    assert.deepEqual(await copy.states(['a', 'twin']), ['fetched', 'duplicate']);
    const archive = { archive: new Map([[FILE, 1_000]]) };
    await copy.look('a', 'changed', { body: 'other', capture: capture(100) }, archive);
    assert.deepEqual(await copy.states(['twin']), ['fetched']);
    const [both, later] = await touchedIn(copy, end);
    assert.deepEqual(both.sort(), ['a', 'twin']);
    await copy.store.forgetCaptures(FILE, 0, NOW_MS);
    assert.deepEqual((await touchedIn(copy, later))[0], ['a']);
    assert.deepEqual(await copy.states(['a']), ['waiting']);
  });

  test('a follower is held by one owner, and keeps its position', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const record = { name: 'reader', version: 1, position: null, owner: 'one', heldUntilMs: NOW_MS + LEASE_MS };
    assert.deepEqual(await store.holdFollower(HOLD), record);
    assert.deepEqual(await store.followers(), [record]);
    const other = { ...HOLD, owner: 'two' };
    assert.equal(await store.holdFollower(other), null);
    assert.equal(await store.moveFollower({ name: 'reader', owner: 'two', position: '9' }), false);
    assert.equal(await store.moveFollower({ name: 'reader', owner: 'one', position: '5' }), true);
    assert.equal((await store.holdFollower({ ...HOLD, nowMs: NOW_MS + 500 }))!.heldUntilMs, NOW_MS + 1_500);
    assert.equal(await store.holdFollower({ ...other, nowMs: NOW_MS + 1_499 }), null);
    const taken = await store.holdFollower({ ...other, nowMs: NOW_MS + 1_500 });
    assert.deepEqual([taken!.position, taken!.owner], ['5', 'two'], 'an expired lease is free');
    assert.equal(await store.moveFollower({ name: 'reader', owner: 'one', position: '6' }), false);
    await store.releaseFollower('reader', 'one');
    assert.equal(await store.holdFollower({ ...HOLD, nowMs: NOW_MS + 1_500 }), null);
    await store.releaseFollower('reader', 'two');
    assert.equal((await store.holdFollower(HOLD))!.position, '5');
  });

  test('a follower of another version, or one that is reset, starts again', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.holdFollower(HOLD);
    await store.moveFollower({ name: 'reader', owner: 'one', position: '5' });
    assert.equal((await store.holdFollower(HOLD))!.position, '5');
    const next = await store.holdFollower({ ...HOLD, version: 2 });
    assert.deepEqual([next!.version, next!.position], [2, null]);
    await store.moveFollower({ name: 'reader', owner: 'one', position: '7' });
    await store.moveFollower({ name: 'reader', owner: 'one', position: null });
    assert.equal((await store.holdFollower({ ...HOLD, version: 2 }))!.position, null);
  });

  test('descriptions are stored with the position of the follower, or not at all', async (t) => {
    const copy = await copyOf(await freshStore(t, open, NOW_MS), THREE);
    const { store } = copy;
    await copy.look('a', 'changed', { body: 'other' });
    await store.holdFollower(HOLD);
    const move = { name: 'reader', position: '1', described: [{ seq: 1, change: '{"text":1}' }] };
    assert.equal(await store.moveFollower({ ...move, owner: 'two' }), false);
    assert.deepEqual(
      (await copy.changes()).map(({ change }) => change),
      [null],
    );
    assert.equal(await store.moveFollower({ ...move, owner: 'one' }), true);
    assert.deepEqual(
      (await copy.changes()).map(({ change }) => change),
      ['{"text":1}'],
    );
  });

  test('positions and marks outlive the process', async (t) => {
    const dir = temporaryFolder(t);
    const before = await open(dir, NOW_MS);
    const copy = await copyOf(before, THREE);
    await before.holdFollower(HOLD);
    await before.moveFollower({ name: 'reader', owner: 'one', position: '5' });
    const marks = await before.touches(FIRST_TOUCH, 9);
    await before.close();
    const after: Store = await open(dir, NOW_MS);
    t.after(() => after.close());
    assert.deepEqual(await after.touches(FIRST_TOUCH, 9), marks);
    const owner = sharedBecause === undefined ? null : 'one';
    assert.deepEqual(
      (await after.followers()).map((record) => [record.position, record.owner]),
      [['5', owner]],
      'a lease of another process ends at once only where no other process can live',
    );
    const [task] = await after.revisits([copy.id('a')]);
    assert.ok(task);
  });
}
