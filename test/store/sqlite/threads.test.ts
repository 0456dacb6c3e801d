/**
 * Tests claims of several connections to one database, as a later engine will make them and a fault in the lock could.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { temporaryFolder } from '../fresh-store.ts';
import { found, NOW_MS } from '../rows.ts';

const THREADS = 4;
const HOSTS = 300;

test('M2 threads that claim at the same time never get the same host, and together get all hosts', async (t) => {
  const dir = temporaryFolder(t);
  const store = openSqliteStore(dir, NOW_MS);
  t.after(() => store.close());
  const seeds = Array.from({ length: HOSTS }, (_, i) => found(`http://h${i}.test/`));
  await store.seed(seeds, NOW_MS);
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const threads = Array.from({ length: THREADS }, (_, i) => {
    const workerData = { path: join(dir, 'crawl.db'), owner: `thread-${i}`, gate, threads: THREADS, nowMs: NOW_MS };
    return new Worker(new URL('./claiming-thread.ts', import.meta.url), { workerData });
  });
  const taken = (await Promise.all(threads.map(async (thread) => (await once(thread, 'message'))[0]))) as number[][];
  await Promise.all(threads.map((thread) => thread.terminate()));
  const all = taken.flat();
  assert.equal(new Set(all).size, all.length, 'no host twice');
  assert.equal(all.length, HOSTS);
  const owners = new Map((await store.hosts(0, HOSTS)).map(({ id, leasedBy }) => [id, leasedBy]));
  taken.forEach((ids, i) => {
    for (const id of ids) assert.equal(owners.get(id), `thread-${i}`);
  });
});
