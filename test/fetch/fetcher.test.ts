import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import zlib from 'node:zlib';
import { systemClock } from '../../src/core/clock.ts';
import type { FetchOptions } from '../../src/fetch/fetch-options.ts';
import { Fetcher } from '../../src/fetch/fetcher.ts';
import type { FetchOutcome } from '../../src/fetch/outcome.ts';
import { type LocalWeb, reply, startWeb } from '../../testbed/web/local-web.ts';
import { site } from '../../testbed/web/site.ts';
import { ManualClock } from './manual-clock.ts';

let web: LocalWeb;
before(async () => {
  web = await startWeb();
});
after(() => web.close());

async function withFetcher<T>(options: Partial<FetchOptions>, use: (fetcher: Fetcher) => Promise<T>): Promise<T> {
  const fetcher = new Fetcher({ allowedPrivateHosts: [web.origin], ...options }, systemClock);
  try {
    return await use(fetcher);
  } finally {
    await fetcher.close();
  }
}

const fetchOne = (url: string, options: Partial<FetchOptions> = {}): Promise<FetchOutcome> =>
  withFetcher(options, (fetcher) => fetcher.fetch(url));

test('a good page arrives whole, with everything the archive needs', async () => {
  web.on('/good', reply('<title>good</title>', { etag: '"v1"', 'X-Mixed-Case': 'kept' }));
  const outcome = await fetchOne(web.url('/good?q=1'), { userAgent: 'Tester/1.0 (+https://example.org)' });
  assert.equal(outcome.reason, null);
  assert.equal(outcome.status, 200);
  assert.equal(outcome.statusText, 'OK');
  assert.equal(outcome.decoded.toString(), '<title>good</title>');
  assert.equal(outcome.bodyBytes, 19);
  assert.equal(outcome.ip, '127.0.0.1');
  assert.equal(outcome.protocol, 'http/1.1');
  assert.equal(outcome.header('etag'), '"v1"');
  assert.equal(outcome.header('constructor'), '');
  assert.ok(outcome.rawHeaders.includes('X-Mixed-Case'));
  assert.equal(
    outcome.requestHead,
    `GET /good?q=1 HTTP/1.1\r\nhost: ${web.host}\r\nconnection: keep-alive\r\n` +
      'user-agent: Tester/1.0 (+https://example.org)\r\n' +
      'accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n' +
      'accept-encoding: gzip, br, zstd, deflate\r\n',
  );
  assert.ok(outcome.startedAtMs <= outcome.endedAtMs);
});

test('headers are kept byte by byte and not decoded as UTF-8', async () => {
  web.on('/latin', ({ socket }) =>
    socket.end('HTTP/1.1 200 OK\r\nx-name: caf\xe9\r\ncontent-length: 0\r\n\r\n', 'latin1'),
  );
  assert.equal((await fetchOne(web.url('/latin'))).header('x-name'), 'caf\xe9');
});

for (const [status, reason] of [
  [204, null],
  [304, null],
  [302, 'bad-redirect'],
  [401, 'forbidden'],
  [403, 'forbidden'],
  [404, 'not-found'],
  [410, 'gone'],
  [418, 'client-error'],
  [429, 'rate-limited'],
  [451, 'forbidden'],
  [500, 'server-error'],
  [503, 'server-error'],
  [999, 'bad-response'],
] as const) {
  test(`status ${status} gives ${reason ?? 'no reason'}`, async () => {
    web.on(`/status/${status}`, ({ response }) => response.writeHead(status).end());
    const outcome = await fetchOne(web.url(`/status/${status}`));
    assert.equal(outcome.reason, reason);
    assert.equal(outcome.status, status);
  });
}

test('503 with Retry-After is a throttle', async () => {
  web.on('/busy', reply('', { 'retry-after': '120' }, 503));
  const outcome = await fetchOne(web.url('/busy'));
  assert.equal(outcome.reason, 'rate-limited');
  assert.equal(outcome.retryAfterMs, 120_000);
});

test('a Location is resolved against the URL, raw UTF-8 included', async () => {
  const location = Buffer.from('../caf\u00e9?x=1', 'utf8').toString('latin1');
  web.on('/a/b/c', ({ socket }) =>
    socket.end(`HTTP/1.1 301 Moved\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`, 'latin1'),
  );
  assert.equal((await fetchOne(web.url('/a/b/c'))).redirectTo, web.url('/a/caf%C3%A9?x=1'));
});

test('a response with status 404 stays a 404 if its body is cut off', async () => {
  web.on('/broken-404', ({ socket }) => socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 99\r\n\r\nx'));
  const outcome = await fetchOne(web.url('/broken-404'));
  assert.equal(outcome.reason, 'not-found');
  assert.equal(outcome.truncated, 'disconnect');
});

test('every requested content coding is decoded, and the original body is kept', async () => {
  const html = Buffer.from('<p>coded</p>'.repeat(500));
  const coded = {
    gzip: zlib.gzipSync(html),
    br: zlib.brotliCompressSync(html),
    zstd: zlib.zstdCompressSync(html),
    deflate: zlib.deflateSync(html),
  };
  await withFetcher({}, async (fetcher) => {
    for (const [coding, body] of Object.entries(coded)) {
      web.on(`/${coding}`, reply(body, { 'content-encoding': coding }));
      const outcome = await fetcher.fetch(web.url(`/${coding}`));
      assert.equal(outcome.reason, null, coding);
      assert.ok(outcome.decoded.equals(html), coding);
      assert.ok(Buffer.concat(outcome.body).equals(body), coding);
    }
  });
});

test('a URL that is not http or https is refused without an exception', async () => {
  for (const url of ['', 'nonsense', 'ftp://example.org/', 'javascript:1', 'http://', 'http://a b/']) {
    assert.equal((await fetchOne(url)).reason, 'bad-url', url);
  }
});

test('a port without a listener gives connect-failed', async () => {
  const gone = await startWeb();
  await gone.close();
  assert.equal((await fetchOne(gone.origin, { allowedPrivateHosts: [gone.origin] })).reason, 'connect-failed');
});

test('a name without an address gives dns-failed', async () => {
  const resolve = (): Promise<never> => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
  assert.equal((await fetchOne('http://no-such.test/', { dns: { resolve } })).reason, 'dns-failed');
});

test('connections are kept and used again', async () => {
  const own = await startWeb();
  own.on('/*', site({ pages: 20 }).serve);
  await withFetcher({ allowedPrivateHosts: [own.origin], connectionsPerHost: 1 }, async (fetcher) => {
    for (let i = 1; i < 10; i++) assert.equal((await fetcher.fetch(own.url(`/page/${i}.html`))).status, 200);
  });
  assert.equal(own.accepted, 1);
  await own.close();
});

test('no more connections to a host than allowed', async () => {
  const own = await startWeb();
  own.on('/*', site({ pages: 100 }).serve);
  await withFetcher({ allowedPrivateHosts: [own.origin], connectionsPerHost: 3 }, async (fetcher) => {
    await Promise.all(Array.from({ length: 40 }, (_, i) => fetcher.fetch(own.url(`/page/${i + 1}.html`))));
  });
  assert.ok(own.accepted <= 3, `${own.accepted} connections`);
  assert.ok(own.ledger.maxParallel(own.host) <= 3);
  await own.close();
});

test('closeHost closes the connections, and the next fetch opens a new one', async () => {
  const own = await startWeb();
  own.on('/', reply('x'));
  await withFetcher({ allowedPrivateHosts: [own.origin] }, async (fetcher) => {
    await fetcher.fetch(own.url('/'));
    fetcher.closeHost(own.origin);
    assert.equal((await fetcher.fetch(own.url('/'))).status, 200);
    assert.equal(own.accepted, 2);
  });
  await own.close();
});

/**
 * A server that answers the first request of a connection and drops the connection
 * on the second request, without an answer.
 */
async function startRacer(): Promise<{ origin: string; requests: () => number; close: () => Promise<void> }> {
  let requests = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    let onThisSocket = 0;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', () => {
      requests += 1;
      onThisSocket += 1;
      if (onThisSocket > 1) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    origin: `http://127.0.0.1:${port}`,
    requests: () => requests,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

test('if a reused connection closes during the request, the page does not count as failed', async () => {
  const racer = await startRacer();
  await withFetcher({ allowedPrivateHosts: [racer.origin], connectionsPerHost: 1 }, async (fetcher) => {
    assert.equal((await fetcher.fetch(racer.origin)).reason, null);
    assert.equal((await fetcher.fetch(racer.origin)).reason, null);
    assert.equal(racer.requests(), 3);
  });
  await racer.close();
});

test('if a new connection closes without a response, the page fails and the request is not sent again', async () => {
  const own = await startWeb();
  const outcome = await fetchOne(own.bad('EmptyReply'), { allowedPrivateHosts: [own.origin] });
  assert.equal(outcome.reason, 'connection-reset');
  assert.equal(own.ledger.count('/EmptyReply'), 1);
  await own.close();
});

test('closing the fetcher ends hanging requests', async () => {
  const fetcher = new Fetcher({ allowedPrivateHosts: [web.origin] }, systemClock);
  const hanging = fetcher.fetch(web.bad('NeverAnswers'));
  await web.ledger.seen('/NeverAnswers');
  await fetcher.close();
  assert.equal((await hanging).reason, 'connection-reset');
});

test('a request that never gets a connection ends by the total timeout', async () => {
  const clock = new ManualClock();
  const options = { allowedPrivateHosts: [web.origin], connectionsPerHost: 1, totalTimeoutMs: 5_000 };
  const fetcher = new Fetcher(options, clock);
  const fetches = [fetcher.fetch(`${web.bad('NeverAnswers')}?first`), fetcher.fetch(web.url('/queued'))];
  await web.ledger.seen('/NeverAnswers?first');
  clock.advance(5_000);
  for (const outcome of await Promise.all(fetches)) assert.equal(outcome.reason, 'total-timeout');
  await fetcher.close();
  assert.equal(web.ledger.count('/queued'), 0);
});

test('the requests to one host can be ended, and the host can be asked again', async () => {
  const [one, other] = [await startWeb(), await startWeb()];
  const fetcher = new Fetcher({ allowedPrivateHosts: [one.origin, other.origin], connectionsPerHost: 1 }, systemClock);
  const ended = [fetcher.fetch(one.bad('NeverAnswers')), fetcher.fetch(one.url('/queued'))];
  other.on('/later', (visit) => setImmediate(() => reply('late')(visit)));
  await one.ledger.seen('/NeverAnswers');
  const answered = fetcher.fetch(other.url('/later'));
  fetcher.abort(one.origin);
  for (const outcome of await Promise.all(ended)) assert.equal(outcome.reason, 'connection-reset');
  assert.equal((await answered).reason, null);
  assert.equal(one.ledger.count('/queued'), 0, 'what had not been sent is not sent any more');
  one.on('/again', reply('again'));
  assert.equal((await fetcher.fetch(one.url('/again'))).reason, null);
  await fetcher.close();
  await Promise.all([one.close(), other.close()]);
});

test('W13 a request is not sent on a late connection, and not sent again if the server hung up', async () => {
  const own = await startWeb();
  let mayStillSend = true;
  const fetcher = new Fetcher({ allowedPrivateHosts: [own.origin] }, systemClock, () => mayStillSend);
  // The connection is established in the next turn of the event loop at the earliest.
  const late = fetcher.fetch(own.url('/late'));
  mayStillSend = false;
  assert.equal((await late).reason, 'connection-reset');
  assert.equal(own.ledger.count('/late'), 0);
  mayStillSend = true;
  own.on('/first', reply('first'));
  await fetcher.fetch(own.url('/first'));
  // If a server closes a kept connection without an answer, the fetcher retries once, if it may still send.
  own.on('/hung-up', ({ socket }) => {
    mayStillSend = false;
    socket.destroy();
  });
  assert.equal((await fetcher.fetch(own.url('/hung-up'))).reason, 'connection-reset');
  assert.equal(own.ledger.count('/hung-up'), 1);
  await fetcher.close();
  await own.close();
});
