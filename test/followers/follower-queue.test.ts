/** Tests when a follower works, what it repeats, and how two processes share it, with a manual clock. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Follower } from '../../src/followers/follower.ts';
import { FollowerQueue, HELD_ELSEWHERE } from '../../src/followers/follower-queue.ts';
import { leftoversOf, RunFollowers } from '../../src/followers/run-followers.ts';
import { settle, until } from '../crawl/delivery/change-store.ts';
import { ManualClock } from '../fetch/manual-clock.ts';
import { MemoryPositions } from './memory-positions.ts';

/** Follows numbers from 1 up to `last`. */
class Counting implements Follower<number> {
  readonly name: string = 'counting';
  readonly version: number = 1;
  readonly batchItems = 3;
  last = 0;
  readonly seen: number[] = [];
  /** Called with each batch. May throw. */
  onBatch: (items: readonly number[], signal: AbortSignal) => Promise<void> | void = () => {};

  constructor(last = 0, facts: Partial<Pick<Follower<number>, 'name' | 'version'>> = {}) {
    this.last = last;
    Object.assign(this, facts);
  }

  readonly source = {
    read: async (position: string | null, limit: number) => {
      const after = Number(position ?? 0);
      const items = Array.from({ length: Math.min(limit, this.last - after) }, (_, i) => after + 1 + i);
      return { items, position: String(after + items.length), isEnd: items.length < limit };
    },
  };

  async follow(items: readonly number[], signal: AbortSignal) {
    await this.onBatch(items, signal);
    this.seen.push(...items);
    return {};
  }
}

test('C12 a follower follows everything in order, sleeps, and goes on when it is woken', async () => {
  const [store, clock, follower] = [new MemoryPositions(), new ManualClock(), new Counting(7)];
  const moves: string[] = [];
  const queue: FollowerQueue<number> = new FollowerQueue(
    store,
    follower,
    clock,
    () => void moves.push(queue.position!),
  );
  await until(() => follower.seen.length === 7, 'all followed');
  await settle();
  follower.last = 9;
  await settle();
  assert.equal(follower.seen.length, 7, 'it sleeps');
  clock.advance(60_000);
  await until(() => follower.seen.length === 9, 'it looks again from time to time');
  follower.last = 10;
  queue.wake();
  await until(() => follower.seen.length === 10, 'it is woken');
  assert.deepEqual(follower.seen, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.deepEqual(await queue.finish(0), { name: 'counting', followed: 10, isDone: true, failure: null });
  assert.deepEqual(moves, ['3', '6', '7', '9', '10']);
  assert.equal(store.records.get('counting')!.owner, null, 'the lease ends with the run');
  assert.equal(clock.pending, 0);
});

test('the next run continues at the position, another version starts again', async () => {
  const [store, clock] = [new MemoryPositions(), new ManualClock()];
  await new FollowerQueue(store, new Counting(4), clock).finish(0);
  const next = new Counting(6);
  await new FollowerQueue(store, next, clock).finish(0);
  const other = new Counting(6, { version: 2 });
  await new FollowerQueue(store, other, clock).finish(0);
  assert.deepEqual(
    [next.seen, other.seen],
    [
      [5, 6],
      [1, 2, 3, 4, 5, 6],
    ],
  );
});

test('a failed batch is repeated with growing delays, and nothing is left out', async () => {
  const [store, clock, follower] = [new MemoryPositions(), new ManualClock(), new Counting(5)];
  const tries: (readonly number[])[] = [];
  follower.onBatch = (items) => {
    tries.push(items);
    if (tries.length <= 9) throw new Error('no');
  };
  const queue = new FollowerQueue(store, follower, clock);
  const waits: number[] = [];
  for (let attempt = 2; attempt <= 10; attempt++) {
    let seconds = 0;
    await settle();
    for (; tries.length < attempt; seconds++) {
      clock.advance(1_000);
      await settle();
    }
    waits.push(seconds);
  }
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
  assert.deepEqual((await queue.finish(0)).isDone, true);
  assert.deepEqual(follower.seen, [1, 2, 3, 4, 5]);
});

test('a run that ends early says what is left, and the next run repeats the batch', async () => {
  const [store, clock, follower] = [new MemoryPositions(), new ManualClock(), new Counting(5)];
  follower.onBatch = (items) => {
    if (items.includes(4)) throw new Error('the disk is full');
  };
  const run = new RunFollowers(store, [follower], clock);
  const reports = await run.finish(500);
  assert.deepEqual(reports, [{ name: 'counting', followed: 3, isDone: false, failure: 'the disk is full' }]);
  assert.deepEqual(leftoversOf(reports), ['counting: not finished: the disk is full; the next run continues']);
  const next = new Counting(5);
  await new RunFollowers(store, [next], clock).finish(0);
  assert.deepEqual(next.seen, [4, 5]);
});

test('a batch that is stopped is not finished, whatever the follower returns', async () => {
  const [store, clock, follower] = [new MemoryPositions(), new ManualClock(), new Counting(5)];
  follower.onBatch = (_, signal) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  const run = new RunFollowers(store, [follower], clock);
  await settle();
  await run.close();
  assert.equal(store.records.get('counting')!.position, null);
  assert.equal(clock.pending, 0);
});

test('two processes share a follower: one works, and the other takes over when its lease is over', async () => {
  const [store, clock] = [new MemoryPositions(), new ManualClock()];
  const [first, second] = [new Counting(2), new Counting(2)];
  const working = new FollowerQueue(store, first, clock);
  await until(() => first.seen.length === 2, 'the first one works');
  const waiting = new FollowerQueue(store, second, clock);
  for (let minutes = 0; minutes < 3; minutes++) {
    for (let seconds = 0; seconds < 60; seconds++) {
      clock.advance(1_000);
      await settle();
    }
  }
  assert.deepEqual(second.seen, [], 'the lease is renewed');
  // Another process has the lease now, as if the first one had been suspended.
  const { heldUntilMs } = store.records.get('counting')!;
  store.records.set('counting', { ...store.records.get('counting')!, owner: 'other', heldUntilMs });
  [first.last, second.last] = [4, 4];
  working.wake();
  await settle();
  assert.deepEqual(store.records.get('counting')!.position, '2', 'the former owner moves nothing');
  for (let seconds = 0; seconds < 70; seconds++) {
    clock.advance(1_000);
    await settle();
  }
  assert.equal(store.records.get('counting')!.position, '4');
  await working.finish(0);
  await waiting.finish(0);
  const held = await store.holdFollower({
    ...{ name: 'counting', version: 1, owner: 'third' },
    ...{ nowMs: clock.now(), leaseMs: 60_000 },
  });
  assert.equal(held!.position, '4');
  const { isDone, failure } = await new FollowerQueue(store, new Counting(4), clock).finish(0);
  assert.deepEqual([isDone, failure], [false, HELD_ELSEWHERE]);
});

test('an error of the store ends the follower, and the run reports it', async () => {
  const [store, clock] = [new MemoryPositions(), new ManualClock()];
  const [broken, fine] = [new Counting(2, { name: 'broken' }), new Counting(2)];
  store.onMove = ({ name }) => {
    if (name === 'broken') throw new Error('the database is gone');
  };
  const run = new RunFollowers(store, [broken, fine], clock);
  await assert.rejects(run.finish(1_000), /the database is gone/);
  assert.deepEqual(fine.seen, [1, 2]);
});
