import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { BuildQueue } from '../../../src/watcher/report/build-queue.ts';

/** Work that ends when the test says so. */
function workOf(name: string, done: string[]) {
  const { promise, resolve } = Promise.withResolvers<string>();
  const work = async () => {
    await promise;
    done.push(name);
    return name;
  };
  return { work, end: () => resolve(name) };
}

test('the client that used the least comes first, and a shared task moves forward', async () => {
  const queue = new BuildQueue(64);
  const done: string[] = [];
  const first = workOf('slow', done);
  const slow = queue.add('greedy', first.work)!;
  await sleep(30);
  first.end();
  assert.equal(await slow.result, 'slow');
  const blocking = workOf('blocking', done);
  const results = [queue.add('someone', blocking.work)!.result];
  const quick = (name: string) => async () => {
    done.push(name);
    return name;
  };
  results.push(queue.add('greedy', quick('greedy'))!.result);
  const shared = queue.add('greedy', quick('greedy and honest'))!;
  results.push(shared.result, queue.add('honest', quick('honest'))!.result);
  shared.join('honest');
  blocking.end();
  await Promise.all(results);
  assert.deepEqual(done, ['slow', 'blocking', 'greedy and honest', 'honest', 'greedy']);
});

test('if too many tasks wait, the client that used the most loses a task', async () => {
  const queue = new BuildQueue(2);
  const done: string[] = [];
  const first = workOf('first', done);
  const results = [queue.add('greedy', first.work)!.result];
  await sleep(20);
  first.end();
  await results[0];
  const blocking = workOf('blocking', done);
  void queue.add('someone', blocking.work);
  const waiting = [1, 2].map(() => queue.add('greedy', async () => 'greedy')!.result);
  assert.equal(
    queue.add('greedy', async () => 'greedy'),
    null,
  );
  const honest = queue.add('honest', async () => 'honest')!.result;
  blocking.end();
  assert.deepEqual(await Promise.all([...waiting, honest]), ['greedy', null, 'honest']);
});

test('a failed task rejects, and the next task starts', async () => {
  const queue = new BuildQueue(4);
  const failed = queue.add('a', () => Promise.reject(new Error('disk')))!.result;
  const next = queue.add('a', async () => 'next')!.result;
  await assert.rejects(failed, /disk/);
  assert.equal(await next, 'next');
});
