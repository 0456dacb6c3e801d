import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { systemClock } from '../../../../src/core/clock.ts';
import type { FetchOptions } from '../../../../src/fetch/fetch-options.ts';
import { Fetcher } from '../../../../src/fetch/fetcher.ts';
import { reply, startWeb } from '../../../../testbed/web/local-web.ts';
import { ManualClock } from '../../manual-clock.ts';

/** A server without an HTTP library. It answers its n-th request as the test says. */
interface RawServer {
  readonly origin: string;
  readonly accepted: number;
  readonly requests: number;
  stop(): Promise<void>;
}

async function startRaw(answer: (socket: Socket, request: number) => void): Promise<RawServer> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  let requests = 0;
  const server = createServer((socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', () => answer(socket, requests++));
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    get accepted() {
      return accepted;
    },
    get requests() {
      return requests;
    },
    stop: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

function fetcherFor(origin: string, options: Partial<FetchOptions> = {}, clock = systemClock): Fetcher {
  return new Fetcher(
    { allowedPrivateHosts: [origin], connectionsPerHost: 1, rejectUnauthorized: false, ...options },
    clock,
  );
}

test('interim responses are skipped', async () => {
  const server = await startRaw((socket) => {
    socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n');
    socket.write(OK);
  });
  const fetcher = fetcherFor(server.origin);
  const outcome = await fetcher.fetch(server.origin);
  assert.equal(outcome.status, 200);
  assert.deepEqual(outcome.rawHeaders, ['content-length', '2']);
  await fetcher.close();
  await server.stop();
});

test('a body of known length is one buffer of that length, however it arrives', async () => {
  const server = await startRaw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 300000\r\n\r\n');
    for (let i = 0; i < 30; i++) socket.write('x'.repeat(10_000));
  });
  const fetcher = fetcherFor(server.origin);
  const { body, bodyBytes } = await fetcher.fetch(server.origin);
  assert.equal(bodyBytes, 300_000);
  assert.equal(body.length, 1);
  assert.equal(body[0]?.buffer.byteLength, 300_000);
  await fetcher.close();
  await server.stop();
});

test('a body in chunks of one byte needs only a few buffers', async () => {
  const server = await startRaw((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(50_000)}0\r\n\r\n`);
  });
  const fetcher = fetcherFor(server.origin);
  const { body, decoded } = await fetcher.fetch(server.origin);
  assert.equal(decoded.toString(), 'x'.repeat(50_000));
  assert.ok(body.length < 6, `${body.length} buffers`);
  await fetcher.close();
  await server.stop();
});

test('a promised length of ten megabytes allocates only one', async () => {
  const server = await startRaw((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10000000\r\n\r\nhello'));
  const fetcher = fetcherFor(server.origin);
  const { body, truncated } = await fetcher.fetch(server.origin);
  assert.equal(truncated, 'disconnect');
  assert.equal(Buffer.concat(body).toString(), 'hello');
  assert.ok(body[0]!.buffer.byteLength <= 1024 * 1024);
  await fetcher.close();
  await server.stop();
});

test('a connection is not reused after unrequested bytes', async () => {
  const server = await startRaw((socket) => socket.write(`${OK}HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged`));
  const fetcher = fetcherFor(server.origin);
  for (let i = 0; i < 3; i++) assert.equal((await fetcher.fetch(server.origin)).decoded.toString(), 'ok');
  assert.equal(server.accepted, 3);
  await fetcher.close();
  await server.stop();
});

test('a connection that the server wants closed is closed, and the next request opens another', async () => {
  const server = await startRaw((socket) => socket.write(OK.replace('\r\n', '\r\nconnection: close\r\n')));
  const fetcher = fetcherFor(server.origin);
  const outcomes = await Promise.all([1, 2, 3].map(() => fetcher.fetch(server.origin)));
  for (const outcome of outcomes) assert.equal(outcome.decoded.toString(), 'ok');
  assert.equal(server.accepted, 3);
  await fetcher.close();
  await server.stop();
});

test('an idle connection is not reused after its keep-alive time', async () => {
  const clock = new ManualClock();
  const server = await startRaw((socket) => socket.write(OK.replace('\r\n', '\r\nkeep-alive: timeout=5\r\n')));
  const fetcher = fetcherFor(server.origin, {}, clock);
  await fetcher.fetch(server.origin);
  clock.advance(3_900);
  await fetcher.fetch(server.origin);
  assert.equal(server.accepted, 1);
  clock.advance(4_100);
  await fetcher.fetch(server.origin);
  assert.equal(server.accepted, 2);
  await fetcher.close();
  await server.stop();
});

test('if a reused connection closes, the request is sent on a new one and not on another idle one', async () => {
  const used = new WeakSet<Socket>();
  const first: Socket[] = [];
  // The server answers one request per connection. It answers the first two together,
  // so that there are two connections to keep.
  const server = await startRaw((socket, request) => {
    if (used.has(socket)) socket.destroy();
    else if (request < 2) first.push(socket);
    else socket.write(OK);
    used.add(socket);
    if (request === 1) for (const one of first) one.write(OK);
  });
  const fetcher = fetcherFor(server.origin, { connectionsPerHost: 2 });
  await Promise.all([fetcher.fetch(server.origin), fetcher.fetch(server.origin)]);
  assert.equal((await fetcher.fetch(server.origin)).reason, null);
  assert.equal(server.requests, 4);
  assert.equal(server.accepted, 3);
  await fetcher.close();
  await server.stop();
});

test('requests wait in line for a connection, first come, first served', async () => {
  const paths: string[] = [];
  const web = await startWeb();
  web.on('/*', ({ path, response }) => {
    paths.push(path);
    response.end('x');
  });
  const fetcher = fetcherFor(web.origin);
  const asked = Array.from({ length: 20 }, (_, i) => `/${i}`);
  await Promise.all(asked.map((path) => fetcher.fetch(web.url(path))));
  assert.deepEqual(paths, asked);
  await fetcher.close();
  await web.close();
});

test('if no connection can be opened, all waiting requests fail', async () => {
  const gone = await startWeb();
  await gone.close();
  const fetcher = fetcherFor(gone.origin, { connectionsPerHost: 2 });
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => fetcher.fetch(gone.origin)));
  for (const outcome of outcomes) assert.equal(outcome.reason, 'connect-failed');
  await fetcher.close();
});

for (const tls of ['h2', 'http/1.1'] as const) {
  test(`many requests to an unknown https origin make no needless connection: ${tls}`, async () => {
    const web = await startWeb({ tls });
    web.on('/', reply('secure'));
    const fetcher = fetcherFor(web.origin, { connectionsPerHost: 1 });
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => fetcher.fetch(web.url('/'))));
    for (const outcome of outcomes) {
      assert.equal(outcome.protocol, tls);
      assert.equal(outcome.decoded.toString(), 'secure');
    }
    assert.equal((await fetcher.fetch(web.url('/'))).protocol, tls);
    assert.equal(web.accepted, 1);
    await fetcher.close();
    await web.close();
  });
}

test('several connections over TLS, each with its own reads', async () => {
  const web = await startWeb({ tls: 'http/1.1' });
  web.on('/*', ({ path, response }) => response.end(path.repeat(5_000)));
  const fetcher = fetcherFor(web.origin, { connectionsPerHost: 4 });
  const paths = Array.from({ length: 40 }, (_, i) => `/${i}`);
  const outcomes = await Promise.all(paths.map((path) => fetcher.fetch(web.url(path))));
  for (const [i, outcome] of outcomes.entries()) assert.equal(outcome.decoded.toString(), paths[i]!.repeat(5_000));
  assert.ok(web.accepted <= 4 && web.accepted > 1, `${web.accepted} connections`);
  await fetcher.close();
  await web.close();
});

test('closing a host lets its current request finish', async () => {
  const web = await startWeb();
  let finish = (): void => {};
  web.on('/slow', ({ response }) => {
    finish = () => response.end('done');
  });
  const fetcher = fetcherFor(web.origin);
  const slow = fetcher.fetch(web.url('/slow'));
  await web.ledger.seen('/slow');
  fetcher.closeHost(web.origin);
  finish();
  assert.equal((await slow).decoded.toString(), 'done');
  await fetcher.close();
  await web.close();
});

test('bytes that are left over from an earlier response do not spoil the next one', async () => {
  const rest = new Map<Socket, number>();
  const server = await startRaw((socket) => {
    const requests = (rest.get(socket) ?? 0) + 1;
    rest.set(socket, requests);
    // The rest of the first body arrives when the second request is under way.
    socket.write(requests === 1 ? OK : ', and the rest of a body that is longer than its length');
  });
  const fetcher = fetcherFor(server.origin);
  await fetcher.fetch(server.origin);
  const { status, reason, flaws } = await fetcher.fetch(server.origin);
  assert.deepEqual({ status, reason, flaws }, { status: 200, reason: null, flaws: [] });
  assert.equal(server.accepted, 2);
  await fetcher.close();
  await server.stop();
});

test('a request that met a closed connection is sent again on a fresh one, not on another used one', async () => {
  let release = (): void => {};
  const used = new Set<Socket>();
  const web = await startWeb();
  const answer = ({ socket }: { socket: Socket }): void => void socket.write(OK);
  web.on('/', answer);
  web.on('/slow', (visit) => {
    release = () => answer(visit);
  });
  web.on('/late', (visit) => {
    used.add(visit.socket);
    answer(visit);
    release();
  });
  // The server closes every connection that was used before instead of answering this request.
  web.on('/fresh', (visit) => (used.has(visit.socket) ? visit.socket.destroy() : answer(visit)));
  web.on('/first', (visit) => {
    used.add(visit.socket);
    answer(visit);
  });
  const fetcher = fetcherFor(web.origin, { connectionsPerHost: 2 });
  await Promise.all(['/first', '/first'].map((path) => fetcher.fetch(web.url(path))));
  const outcomes = await Promise.all(['/slow', '/fresh', '/late'].map((path) => fetcher.fetch(web.url(path))));
  assert.deepEqual(
    outcomes.map(({ reason }) => reason),
    [null, null, null],
  );
  await fetcher.close();
  await web.close();
});
