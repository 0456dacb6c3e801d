/** Tests the server of archive files and its reader, on real sockets, with requests of readers and of attackers. */
import assert from 'node:assert/strict';
import { symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ArchiveServer } from '../../../src/crawl/archives/archive-server.ts';
import { MAX_RANGE_BYTES, requestFor } from '../../../src/crawl/archives/range-request.ts';
import { RemoteFolder } from '../../../src/crawl/archives/remote-folder.ts';
import { dataFolder } from '../stored-crawl.ts';

const SECRET = 'a secret of all machines';
const nameOf = (serial: number) => `orbweaver-20261120000000-blue.1-unit0-0000${serial}.warc.gz`;
/** Larger than two ranges. */
const CONTENT = Buffer.from(Array.from({ length: 2 * MAX_RANGE_BYTES + 99 }, (_, i) => (i * 7919) >> 5));

async function serve(t: TestContext, limits?: { answerWithinMs: number }) {
  const folder = dataFolder(t);
  for (const serial of [1, 2, 3]) writeFileSync(join(folder, nameOf(serial)), CONTENT);
  writeFileSync(join(folder, 'crawl.db'), 'private');
  symlinkSync(join(folder, 'crawl.db'), join(folder, nameOf(4)));
  const places = new Map([
    [nameOf(1), { owner: 'blue#1', machine: 'm', folder }],
    [nameOf(2), { owner: 'red#1', machine: 'm', folder: '/elsewhere' }],
    [nameOf(4), { owner: 'blue#1', machine: 'm', folder }],
    [nameOf(5), { owner: 'blue#1', machine: 'm', folder }],
    ['crawl.db', { owner: 'blue#1', machine: 'm', folder }],
  ]);
  const setup = { store: { archivePlaces: async () => places }, machine: 'm', folder, host: '127.0.0.1', port: 0 };
  const server = await ArchiveServer.start({ ...setup, secret: SECRET, ...(limits && { limits }) });
  t.after(() => server.close());
  return server;
}

/** The status of a request that is signed for this path, as an attacker who knows the secret could sign it. */
async function statusOf(address: string, file: string, range = { from: 0, length: 10 }, method = 'GET') {
  const { path, headers } = requestFor(address, SECRET, { file, ...range });
  return ask(address, path, headers, method);
}

async function ask(address: string, path: string, headers: object, method = 'GET'): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const port = Number(address.split(':')[1]);
  request({ host: '127.0.0.1', port, path, headers: { ...headers }, method }, resolve)
    .once('error', reject)
    .end();
  const response = await promise;
  response.resume();
  return response.statusCode!;
}

test('a reader with the secret gets any part of a file, also across several ranges and beyond the end', async (t) => {
  const { address } = await serve(t);
  const remote = new RemoteFolder(address, SECRET);
  for (const [from, length] of [
    [0, CONTENT.length],
    [5, 1],
    [MAX_RANGE_BYTES - 3, MAX_RANGE_BYTES + 50],
    [CONTENT.length - 10, 500],
    [CONTENT.length + 10, 5],
  ] as const) {
    assert.ok((await remote.read(nameOf(1), from, length)).equals(CONTENT.subarray(from, from + length)));
  }
});

test('without the right secret every answer is the same, whether the file exists or not', async (t) => {
  const { address } = await serve(t);
  const signed = requestFor(address, SECRET, { file: nameOf(1), from: 0, length: 10 });
  const forAnother = requestFor('127.0.0.1:1', SECRET, { file: nameOf(1), from: 0, length: 10 });
  const wrong = requestFor(address, 'another secret!!', { file: nameOf(1), from: 0, length: 10 });
  const requests: [string, object][] = [
    [signed.path, {}],
    [signed.path, { range: 'bytes=0-9' }],
    [signed.path, wrong.headers],
    [signed.path, forAnother.headers],
    [signed.path, { ...signed.headers, range: 'bytes=0-10' }],
    [signed.path.replace('00001', '00003'), signed.headers],
    [signed.path, { ...signed.headers, authorization: `${signed.headers.authorization}00` }],
    [signed.path, { ...signed.headers, authorization: 'Orbweaver ' }],
    ['/', {}],
  ];
  for (const [path, headers] of requests) assert.equal(await ask(address, path, headers), 401, JSON.stringify(headers));
  await assert.rejects(new RemoteFolder(address, 'another secret!!').read(nameOf(1), 0, 10), {
    code: 'ERR_ELSEWHERE',
    message: /refused the token/,
  });
});

test('only files of this folder that the store knows are read, whatever the path says', async (t) => {
  const { address } = await serve(t);
  assert.equal(await statusOf(address, nameOf(1)), 206);
  // Files of another folder, files that the store does not know, a link, and a file that is gone.
  for (const serial of [2, 3, 4, 5]) assert.equal(await statusOf(address, nameOf(serial)), 404);
  const traversals = ['crawl.db', `../${nameOf(1)}`, `./${nameOf(1)}`, `%2e%2e/${nameOf(1)}`, `a/../${nameOf(1)}`];
  for (const file of [...traversals, `${nameOf(1)}%00`, `${nameOf(1)}?x`, '', '/etc/passwd']) {
    assert.equal(await statusOf(address, file), 400, file);
  }
  for (const range of [
    { from: 0, length: MAX_RANGE_BYTES + 1 },
    { from: 5, length: 0 },
    { from: -5, length: 6 },
  ]) {
    assert.equal(await statusOf(address, nameOf(1), range), 400);
  }
  assert.equal(await statusOf(address, nameOf(1), { from: 0, length: 5 }, 'POST'), 400);
  assert.equal(await statusOf(address, nameOf(1), { from: CONTENT.length, length: 5 }), 416);
});

test('a reader that does not read is cut off', async (t) => {
  const { address } = await serve(t, { answerWithinMs: 50 });
  const { path, headers } = requestFor(address, SECRET, { file: nameOf(1), from: 0, length: MAX_RANGE_BYTES });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(Number(address.split(':')[1]), '127.0.0.1');
  // More than the buffers of the sockets hold.
  for (let i = 0; i < 40; i++) socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n${lines.join('')}\r\n`);
  // It reads nothing, and learns that it was cut off when it sends more.
  const more = setInterval(() => socket.write('\r\n'), 10);
  await new Promise<void>((resolve) => socket.once('error', () => resolve()).once('close', () => resolve()));
  clearInterval(more);
  socket.destroy();
});

test('a cut connection, too many bytes and a silent server give a reason, and a silent server is not asked again', async (t) => {
  let requests = 0;
  const answers: ((response: import('node:http').ServerResponse) => void)[] = [
    (response) => response.writeHead(206, { 'content-length': 10 }).end('0123456789'),
    (response) => response.writeHead(206).end('0123456789 and more'),
    (response) => {
      response.writeHead(206, { 'content-length': 10 }).write('0123');
      setImmediate(() => response.destroy());
    },
  ];
  const server = createServer((_, response) => answers[requests++]!(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const remote = new RemoteFolder(`127.0.0.1:${(server.address() as AddressInfo).port}`, SECRET);
  assert.equal(String(await remote.read(nameOf(1), 0, 10)), '0123456789');
  await assert.rejects(remote.read(nameOf(1), 0, 10), { code: 'ERR_ELSEWHERE', message: /more than was asked/ });
  await assert.rejects(remote.read(nameOf(1), 0, 10), { code: 'ERR_ELSEWHERE', message: /aborted|hang up/ });
  await assert.rejects(remote.read(nameOf(1), 0, 10), { code: 'ERR_ELSEWHERE', message: /aborted|hang up/ });
  assert.equal(requests, 3);
});
