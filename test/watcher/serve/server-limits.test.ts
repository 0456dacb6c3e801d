/** The server against hostile clients, on raw sockets. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { REPORT_PATH, reportHandler } from '../../../src/watcher/serve/handler.ts';
import { ReportServer } from '../../../src/watcher/serve/server.ts';
import { SiteInMemory, sourceOf } from '../report/site-in-memory.ts';
import { linesOf, localReport } from './local-report.ts';

const GET = `GET ${REPORT_PATH} HTTP/1.1\r\nHost: x\r\n`;

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  return socket;
}

async function said(socket: Socket): Promise<string> {
  const parts: Buffer[] = [];
  socket.on('data', (part) => parts.push(part));
  // `once` would reject if the server has closed the connection during a write.
  if (!socket.closed) await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return Buffer.concat(parts).toString('latin1');
}

test('a client that never finishes the request head is disconnected', async (t) => {
  const { port, get } = await localReport({ limits: { headersMs: 800, requestMs: 900, idleMs: 5_000 } });
  const slow = Array.from({ length: 20 }, () => open(port));
  const timers = slow.map((socket) => setInterval(() => socket.write('X'), 20));
  t.after(() => timers.forEach(clearInterval));
  for (const socket of slow) socket.write(GET);
  assert.equal((await get()).status, 200, 'others are served meanwhile');
  const ends = await Promise.all(slow.map(said));
  for (const end of ends) assert.match(end, /^HTTP\/1\.1 408 |^$/);
});

test('a reader that stalls is disconnected, and needs no copy of the report', async () => {
  const urls = Array.from({ length: 10_000 }, (_, i) => `/${i}/${'long'.repeat(20)}.html`);
  const { port, get, server } = await localReport({ urls, limits: { idleMs: 2_000 }, handler: { sendMs: 60_000 } });
  const { body } = await get();
  assert.ok(body.length > 2_000_000);
  const before = process.memoryUsage();
  // More than a hundred times two and a half megabytes that no client reads, half of them gzipped.
  const stalled = Array.from({ length: 40 }, (_, i) => {
    const socket = open(port);
    socket.pause();
    // Some clients send many requests on the same connection.
    socket.write(`${GET}${i % 2 ? '' : 'Accept-Encoding: gzip\r\n'}\r\n`.repeat(i % 20 === 0 ? 50 : 1));
    return socket;
  });
  await Promise.all(stalled.map((socket) => once(socket, 'connect')));
  let grown = 0;
  for (let i = 0; i < 20; i++) {
    assert.equal((await get('?limit=0')).status, 200);
    const { arrayBuffers, heapUsed } = process.memoryUsage();
    grown = Math.max(grown, arrayBuffers - before.arrayBuffers + heapUsed - before.heapUsed);
  }
  assert.ok(grown < 25_000_000, `${grown} bytes for 140 answers of ${body.length}`);
  // No client reads a byte, so only the server can end the connections.
  const connections = () =>
    new Promise<number>((resolve) => server.server.getConnections((_, count) => resolve(count)));
  while ((await connections()) > 2) await new Promise((resolve) => setTimeout(resolve, 50));
  for (const socket of stalled) socket.destroy();
  assert.equal((await get()).status, 200);
});

test('sending one response has a deadline', async () => {
  const urls = Array.from({ length: 10_000 }, (_, i) => `/${i}/${'x'.repeat(200)}.html`);
  const cuts: (() => void)[] = [];
  const after = (_: number, cut: () => void) => {
    cuts.push(cut);
    return () => undefined;
  };
  const clock = { now: Date.now, after };
  const { port } = await localReport({ urls, handler: { clock } });
  const socket = open(port);
  socket.write(`${GET}\r\n`);
  await once(socket, 'readable');
  const [cut] = cuts;
  cut!();
  let bytes = 0;
  socket.on('data', (part) => {
    bytes += part.length;
  });
  await once(socket, 'close');
  assert.ok(bytes < 3_000_000, `${bytes} bytes came`);
});

test('pipelined requests are answered in order; a huge head and garbage are refused', async () => {
  const { port } = await localReport({ limits: { keepAliveMs: 50 } });
  const many = open(port);
  many.write(
    Array.from({ length: 50 }, (_, i) => `GET ${REPORT_PATH}?limit=${i % 2} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''),
  );
  const answers = (await said(many)).split('HTTP/1.1 200 OK').slice(1);
  assert.equal(answers.length, 50);
  for (const [i, answer] of answers.entries()) assert.match(answer, i % 2 ? /"entries":1\}/ : /"entries":0\}/);
  const huge = open(port);
  huge.write(`${GET}X-Huge: ${'y'.repeat(100_000)}\r\n\r\n`);
  assert.match(await said(huge), /^HTTP\/1\.1 431 |^$/);
  for (const garbage of [
    '\0\x01\x02\xff\r\n\r\n',
    'GET\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'GET / HTTP/9.9\r\n\r\n',
    `${GET}Content-Length: 5\r\nContent-Length: 6\r\n\r\n`,
    `${GET}Transfer-Encoding: gzip, x\r\n\r\n`,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ]) {
    const socket = open(port);
    socket.write(garbage, 'latin1');
    assert.match(await said(socket), /^HTTP\/1\.1 (?:4\d\d|505) /, JSON.stringify(garbage));
  }
});

test('a request body is not read: the client gets a response and is disconnected', async () => {
  const { port } = await localReport();
  const socket = open(port);
  socket.write(`${GET}Content-Length: 1000000000\r\n\r\nabc`);
  assert.match(await said(socket), /^HTTP\/1\.1 200 OK.*Connection: close/s);
});

test('clients that close their half of the connection or reset it do not harm others', async () => {
  const { port, get, faults } = await localReport();
  const half = open(port);
  half.end(`${GET}\r\n`);
  await said(half);
  for (let i = 0; i < 50; i++) {
    const socket = open(port);
    await once(socket, 'connect');
    socket.write(`${GET}\r\n`);
    socket.resetAndDestroy();
  }
  assert.equal((await get()).status, 200);
  assert.deepEqual(faults, []);
});

test('connections are limited, and two hundred at once are served', { timeout: 30_000 }, async () => {
  const { port, get } = await localReport({ limits: { maxConnections: 220, keepAliveMs: 50 } });
  const answers = await Promise.all(Array.from({ length: 200 }, () => get()));
  assert.ok(answers.every(({ status, body }) => status === 200 && linesOf(body).at(-1)!.end === true));
  const idle = Array.from({ length: 300 }, () => open(port));
  // If connections beyond the limit are not closed, the time limit of the test ends the wait.
  await new Promise<void>((resolve) => {
    let count = 0;
    for (const socket of idle) socket.once('close', () => ++count >= 80 && resolve());
  });
  for (const socket of idle) socket.destroy();
});

test('the number of responses in progress is limited', async () => {
  const { site, get } = await localReport({ handler: { maxUnderWay: 3 } });
  const { promise: goOn, resolve: letGo } = Promise.withResolvers<void>();
  const pages = site.pages.bind(site);
  site.pages = async (...given) => {
    await goOn;
    return pages(...given);
  };
  const waiting = [1, 2, 3].map((limit) => get(`?limit=${limit}`));
  let busy = await get('?limit=4');
  while (busy.status !== 503) busy = await get('?limit=4');
  assert.equal(busy.headers['retry-after'], '5');
  letGo();
  assert.deepEqual(
    (await Promise.all(waiting)).map(({ status }) => status),
    [200, 200, 200],
  );
});

test('the server listens on a Unix socket, also if a killed process left the socket file behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'socket-'));
  const socketPath = join(folder, 'report.sock');
  const memory = new SiteInMemory();
  memory.begin(['/']);
  const handler = reportHandler([{ source: sourceOf(memory), lease: null }]);
  const first = await ReportServer.listen(handler, { socketPath });
  await assert.rejects(ReportServer.listen(handler, { socketPath }), { code: 'EADDRINUSE' });
  const status = await new Promise((resolve, reject) => {
    const asked = request({ socketPath, path: REPORT_PATH }, (response) => resolve(response.resume().statusCode));
    asked.on('error', reject).end();
  });
  assert.equal(status, 200);
  assert.equal(statSync(socketPath).mode & 0o222, 0o222, 'a web server of another user can connect');
  await first.close();
  rmSync(folder, { recursive: true });
});
