import assert from 'node:assert/strict';
import http from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { systemClock } from '../../../src/core/clock.ts';
import type { FetchOptions } from '../../../src/fetch/fetch-options.ts';
import { Fetcher } from '../../../src/fetch/fetcher.ts';
import type { FetchOutcome } from '../../../src/fetch/outcome.ts';
import { type LocalWeb, reply, startWeb } from '../../../testbed/web/local-web.ts';

const AUTHORIZATION = `Basic ${Buffer.from('me:secret').toString('base64')}`;

/** A proxy that leads every name to one web and requires credentials. */
interface TestProxy {
  readonly host: string;
  readonly seen: string[];
  close(): Promise<void>;
}

async function startProxy(plain: LocalWeb, secure: LocalWeb): Promise<TestProxy> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const server = http.createServer((request, response) => {
    seen.push(`GET ${request.url}`);
    if (request.headers['proxy-authorization'] !== AUTHORIZATION) {
      response.writeHead(407).end();
      return;
    }
    const { pathname } = new URL(request.url ?? '');
    http.get(plain.url(pathname), (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
  });
  server.on('connect', (request, socket: Socket) => {
    seen.push(`CONNECT ${request.url}`);
    if (request.headers['proxy-authorization'] !== AUTHORIZATION) {
      socket.end('HTTP/1.1 407 Who are you\r\n\r\n');
      return;
    }
    const upstream = connect(Number(new URL(secure.origin).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      for (const socket of sockets) socket.destroy();
      server.close(() => resolve());
    });
  return { host: `127.0.0.1:${(server.address() as { port: number }).port}`, seen, close };
}

let plain: LocalWeb;
let secure: LocalWeb;
let proxy: TestProxy;
before(async () => {
  plain = await startWeb();
  secure = await startWeb({ tls: 'http/1.1' });
  plain.on('/page', reply('through the proxy'));
  secure.on('/page', reply('through the tunnel'));
  proxy = await startProxy(plain, secure);
});
after(() => Promise.all([plain.close(), secure.close(), proxy.close()]));

async function fetchOne(url: string, options: Partial<FetchOptions>): Promise<FetchOutcome> {
  const fetcher = new Fetcher({ rejectUnauthorized: false, ...options }, systemClock);
  try {
    return await fetcher.fetch(url);
  } finally {
    await fetcher.close();
  }
}

test('http pages are requested from the proxy by their full URL', async () => {
  const outcome = await fetchOne('http://some.example.org/page', { proxy: `http://me:secret@${proxy.host}` });
  assert.equal(outcome.reason, null);
  assert.equal(outcome.decoded.toString(), 'through the proxy');
  assert.equal(outcome.ip, null);
  assert.ok(proxy.seen.includes('GET http://some.example.org/page'));
  assert.ok(!outcome.requestHead.includes(AUTHORIZATION));
});

test('https pages go through a tunnel', async () => {
  const outcome = await fetchOne('https://some.example.org/page', { proxy: `http://me:secret@${proxy.host}` });
  assert.equal(outcome.reason, null);
  assert.equal(outcome.decoded.toString(), 'through the tunnel');
  assert.ok(proxy.seen.includes('CONNECT some.example.org:443'));
});

test('a proxy that refuses our credentials gives proxy-failed', async () => {
  for (const scheme of ['http', 'https']) {
    const outcome = await fetchOne(`${scheme}://some.example.org/page`, { proxy: `http://me:wrong@${proxy.host}` });
    assert.equal(outcome.reason, 'proxy-failed', scheme);
    assert.equal(outcome.status, 0);
  }
});

test('a proxy that cannot be reached gives proxy-failed', async () => {
  const gone = await startWeb();
  await gone.close();
  for (const scheme of ['http', 'https']) {
    assert.equal((await fetchOne(`${scheme}://a.example.org/`, { proxy: gone.origin })).reason, 'proxy-failed', scheme);
  }
});

const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  'public.test': ['8.8.4.4'],
  'private.test': ['10.0.0.1'],
  'mixed.test': ['8.8.4.4', '10.0.0.1'],
  'metadata.test': ['169.254.169.254'],
};

/** Whether the request goes to the proxy. */
async function goesOut(url: string, options: Partial<FetchOptions> = {}): Promise<boolean> {
  const before = proxy.seen.length;
  const resolve = async (name: string) => (ANSWERS[name] ?? []).map((address) => ({ address, family: 4 }));
  const { reason } = await fetchOne(url, { proxy: `http://me:secret@${proxy.host}`, dns: { resolve }, ...options });
  assert.equal(reason, proxy.seen.length > before ? null : 'private-address', url);
  return proxy.seen.length > before;
}

test('through a proxy, a name with any private address is refused: the proxy may choose that address', async () => {
  assert.equal(await goesOut('http://public.test/page'), true);
  for (const name of ['private.test', 'mixed.test', 'metadata.test']) {
    assert.equal(await goesOut(`http://${name}/page`), false, name);
    assert.equal(await goesOut(`https://${name}/page`), false, name);
  }
  for (const allowedPrivate of [['10.0.0.0/8'], ['mixed.test']]) {
    assert.equal(await goesOut('http://mixed.test/page', { allowedPrivate }), true);
  }
  assert.equal(await goesOut('http://metadata.test/page', { privateAddresses: 'allow' }), false);
  assert.equal(await goesOut('http://metadata.test/page', { allowedPrivate: ['169.254.169.254'] }), true);
});

test('a name that only the proxy can resolve is passed on, unless it can only be private', async () => {
  assert.equal(await goesOut('http://somewhere.example.org/page'), true);
  for (const name of [
    'intranet',
    'localhost',
    'a.localhost',
    'metadata.google.internal',
    'printer.local',
    'nas.home.arpa',
  ]) {
    assert.equal(await goesOut(`http://${name}/page`), false, name);
    assert.equal(await goesOut(`http://${name}/page`, { allowedPrivate: [name] }), true, name);
    assert.equal(await goesOut(`http://${name}/page`, { privateAddresses: 'allow' }), true, name);
  }
});

test('literal private addresses are refused through a proxy, too', async () => {
  const before = proxy.seen.length;
  const outcome = await fetchOne('http://10.0.0.1/', { proxy: `http://me:secret@${proxy.host}` });
  assert.equal(outcome.reason, 'private-address');
  assert.equal(proxy.seen.length, before);
});
