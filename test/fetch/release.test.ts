/**
 * Used objects must not wait for a full garbage collection. This test runs only minor collections,
 * as many as an object needs to become old. Objects that minor collections cannot free cause full
 * ones, which cost a unit a tenth of its time.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';
import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import zlib from 'node:zlib';
import { systemClock } from '../../src/core/clock.ts';
import { decodeBody } from '../../src/fetch/body/decode-body.ts';
import { Fetcher } from '../../src/fetch/fetcher.ts';
import { startWeb } from '../../testbed/web/local-web.ts';

v8.setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;

/** An object that survives two minor collections is old after the second. Another thread frees buffers. */
async function collectQuickly(): Promise<void> {
  for (let i = 0; i < 4; i++) {
    collect({ type: 'minor' });
    await setImmediate();
  }
}

/** Bytes that are kept since `before`. The thread that frees buffers may be late on a busy machine, so it gets time. */
async function keptSince(before: number): Promise<number> {
  for (let tries = 0; ; tries++) {
    await collectQuickly();
    const kept = process.memoryUsage().arrayBuffers - before;
    if (kept < HALF_OF_ALL || tries === MOST_TRIES) return kept;
    await setTimeout(20);
  }
}

const MOST_TRIES = 100;
const PAGES = 100;
const PAGE_BYTES = 60_000;
const HALF_OF_ALL = (PAGES * PAGE_BYTES) / 2;
const CODED = zlib.gzipSync(Buffer.alloc(PAGE_BYTES, 'orb '));

test('a decoded body can be freed as soon as it is unused', async () => {
  await collectQuickly();
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < PAGES; i++) {
    const { decoded } = await decodeBody([CODED], 'gzip', PAGE_BYTES, true);
    assert.equal(decoded.length, PAGE_BYTES);
  }
  const keptBytes = await keptSince(before);
  assert.ok(keptBytes < HALF_OF_ALL, `${keptBytes} bytes are kept`);
});

test('a released outcome frees all its memory, however long the request took', async () => {
  const web = await startWeb();
  const asked: (() => void)[] = [];
  const allAsked = Promise.withResolvers<void>();
  web.on('/page', ({ socket }) => {
    asked.push(() => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${CODED.length}\r\n\r\n`);
      socket.write(CODED);
    });
    if (asked.length === PAGES) allAsked.resolve();
  });
  const fetcher = new Fetcher({ allowedPrivateHosts: [web.origin], connectionsPerHost: PAGES }, systemClock);
  try {
    const done = Promise.all(Array.from({ length: PAGES }, () => useAndRelease(fetcher, web.url('/page'))));
    await allAsked.promise;
    await collectQuickly();
    const before = process.memoryUsage().arrayBuffers;
    for (const answer of asked) answer();
    assert.deepEqual(await done, new Array(PAGES).fill(PAGE_BYTES));
    const keptBytes = await keptSince(before);
    assert.ok(keptBytes < HALF_OF_ALL, `${keptBytes} bytes are kept`);
  } finally {
    await fetcher.close();
    await web.close();
  }
});

async function useAndRelease(fetcher: Fetcher, url: string): Promise<number> {
  const outcome = await fetcher.fetch(url);
  const { length } = outcome.decoded;
  outcome.release();
  assert.equal(outcome.decoded.length, 0);

  assert.equal(outcome.body.length, 0);
  return length;
}
