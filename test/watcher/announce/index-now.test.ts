import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { IndexNow, keyFile } from '../../../src/watcher/announce/index-now.ts';
import { SiteInMemory, sourceOf } from '../report/site-in-memory.ts';

interface Notice {
  readonly host: string;
  readonly key: string;
  readonly keyLocation: string;
  readonly urlList: string[];
}

const folder = mkdtempSync(join(tmpdir(), 'index-now-'));
after(() => rmSync(folder, { recursive: true }));
const KEY = '0123456789abcdef';
let files = 0;

async function engine(answer: (response: ServerResponse, times: number) => void) {
  const notices: Notice[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      assert.equal(request.method, 'POST');
      assert.match(request.headers['content-type']!, /^application\/json/);
      notices.push(JSON.parse(text) as Notice);
      answer(response, notices.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/indexnow`;
  const site = new SiteInMemory();
  site.begin(['/', '/a', '/b']);
  const messages: string[] = [];
  const stateFile = join(folder, `place-${files++}.json`);
  const open = (more: object = {}) =>
    new IndexNow(sourceOf(site), {
      endpoint,
      key: KEY,
      stateFile,
      random: () => 0.5,
      onNotice: (text) => messages.push(text),
      ...more,
    });
  return { notices, site, messages, open };
}

const ok = (response: ServerResponse) => response.writeHead(202).end();

test('changes are announced in batches, and pages that exist at the first start are not announced', async () => {
  const { notices, site, open } = await engine(ok);
  const now = open();
  assert.equal(await now.step(), 'nothing');
  for (let i = 0; i < 12_000; i++) await site.put(`/${i}`, 'x');
  await site.put('/0', 'y');
  await site.remove('/b');
  assert.deepEqual([await now.step(), await now.step(), await now.step()], ['sent', 'sent', 'nothing']);
  const [first, second] = notices;
  assert.deepEqual([first!.urlList.length, second!.urlList.length, notices.length], [10_000, 2_002, 2]);
  assert.deepEqual(
    [first!.host, first!.key, first!.keyLocation],
    ['www.example.org', KEY, `https://www.example.org/${KEY}.txt`],
  );
  assert.equal(second!.urlList.at(-1), 'https://www.example.org/b');
});

test('failed announcements are retried with growing delays, and none is lost', async () => {
  const { notices, site, open, messages } = await engine((response, times) => {
    if (times === 1) response.destroy();
    else if (times < 4) response.writeHead(500).end('no');
    else if (times === 4) response.writeHead(429, { 'Retry-After': '4000' }).end();
    else if (times === 5) response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end();
    else ok(response);
  });
  const now = open();
  await now.step();
  await site.put('/a', 'new');
  const waits: number[] = [];
  for (let i = 0; i < 5; i++) {
    assert.equal(await now.step(), 'failed');
    waits.push(now.waitMs);
  }
  assert.deepEqual(waits, [30_000, 60_000, 120_000, 4_000_000, 480_000]);
  assert.equal(await now.step(), 'sent');
  assert.equal(now.waitMs, 0);
  assert.equal(new Set(notices.map(({ urlList }) => urlList.join())).size, 1);
  assert.equal(messages.length, 4, 'the same message is sent once');
});

test('a request to a search engine that never answers times out', async () => {
  const { site, open, messages } = await engine(() => undefined);
  const now = open({ timeoutMs: 50 });
  await now.step();
  await site.put('/a', 'new');
  assert.equal(await now.step(), 'failed');
  assert.match(messages[0]!, /timed out/);
});

test('a restart continues at the stored position, and a new memory announces nothing', async () => {
  let isUp = false;
  const { notices, site, open, messages } = await engine((response) =>
    isUp ? ok(response) : response.writeHead(503).end(),
  );
  await open().step();
  await site.put('/a', 'new');
  assert.equal(await open().step(), 'failed');
  isUp = true;
  const again = open();
  assert.equal(await again.step(), 'sent');
  assert.deepEqual(notices.at(-1)!.urlList, ['https://www.example.org/a']);
  await site.put('/a', 'newer');
  await site.put('/b', 'newer');
  site.drop(site.lastSeq);
  assert.equal(await open().step(), 'nothing');
  assert.match(messages.at(-1)!, /no longer stored/);
});

test('after start() changes are announced by themselves, and a failure delays the next attempt', async () => {
  const timeoutMs = 999_999;
  const waiting: { readonly ms: number; readonly callback: () => void }[] = [];
  const clock = {
    now: Date.now,
    after(ms: number, callback: () => void) {
      if (ms !== timeoutMs) waiting.push({ ms, callback });
      return () => undefined;
    },
  };
  const { notices, site, open } = await engine((response, times) => {
    if (times === 1) response.writeHead(503, { 'Retry-After': '77' }).end();
    else ok(response);
  });
  const now = open({ clock, timeoutMs, gatherMs: 5 });
  await now.step();
  await site.put('/a', 'new');
  now.start();
  await site.put('/b', 'new');
  assert.deepEqual(
    waiting.map(({ ms }) => ms),
    [5],
    'a second notice is not scheduled',
  );
  const next = async () => {
    waiting.shift()!.callback();
    const before = notices.length;
    while (notices.length === before || (before === 0 && waiting.length === 0)) await new Promise(setImmediate);
  };
  await next();
  assert.deepEqual(
    waiting.map(({ ms }) => ms),
    [77_000],
  );
  await site.put('/c', 'new');
  assert.equal(waiting.length, 1, 'a change does not shorten the waiting time');
  await next();
  await now.stop();
  assert.deepEqual(
    notices.map(({ urlList }) => urlList.length),
    [2, 3],
  );
});

test('an invalid key or endpoint is refused', () => {
  const source = sourceOf(new SiteInMemory());
  const rest = { stateFile: 'x' };
  assert.throws(() => new IndexNow(source, { ...rest, endpoint: 'https://x.example/', key: 'short' }), {
    code: 'ERR_BAD_OPTION',
  });
  assert.throws(() => new IndexNow(source, { ...rest, endpoint: 'ftp://x.example/', key: KEY }), {
    code: 'ERR_BAD_OPTION',
  });
  assert.deepEqual(keyFile(KEY), { [`/${KEY}.txt`]: KEY });
});
