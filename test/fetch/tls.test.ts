import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import type { FetchOptions } from '../../src/fetch/fetch-options.ts';
import { Fetcher } from '../../src/fetch/fetcher.ts';
import type { FetchOutcome } from '../../src/fetch/outcome.ts';
import { type LocalWeb, reply, startWeb } from '../../testbed/web/local-web.ts';

async function fetchFrom(web: LocalWeb, path: string, options: Partial<FetchOptions> = {}): Promise<FetchOutcome> {
  const fetcher = new Fetcher({ allowedPrivateHosts: [web.origin], ...options }, systemClock);
  try {
    return await fetcher.fetch(web.url(path));
  } finally {
    await fetcher.close();
  }
}

test('an untrusted certificate gives tls-failed', async () => {
  const web = await startWeb({ tls: 'http/1.1' });
  assert.equal((await fetchFrom(web, '/')).reason, 'tls-failed');
  assert.equal(web.ledger.entries.length, 0);
  await web.close();
});

test('HTTP/2 is used if the server offers it', async () => {
  const web = await startWeb({ tls: 'h2' });
  web.on('/', reply('<p>two', { 'x-a': '1' }));
  const outcome = await fetchFrom(web, '/?q', { rejectUnauthorized: false });
  assert.equal(outcome.reason, null);
  assert.equal(outcome.protocol, 'h2');
  assert.equal(outcome.decoded.toString(), '<p>two');
  assert.equal(outcome.ip, '127.0.0.1');
  assert.equal(outcome.header('x-a'), '1');
  assert.ok(outcome.rawHeaders.includes('x-a'));
  assert.match(
    outcome.requestHead,
    new RegExp(`^GET /\\?q HTTP/1\\.1\r\nhost: ${web.host}\r\nuser-agent: .*[^\\r\\n]\r\n$`, 's'),
  );
  await web.close();
});

test('limits hold over h2 too', async () => {
  const web = await startWeb({ tls: 'h2' });
  web.on('/big', reply('x'.repeat(300_000)));
  web.on('/headers', reply('x', { 'x-big': 'y'.repeat(10_000) }));
  const options = { rejectUnauthorized: false, maxBodyBytes: 100_000, maxHeaderBytes: 5_000, headersTimeoutMs: 80 };
  const big = await fetchFrom(web, '/big', { ...options, headersTimeoutMs: 10_000 });
  assert.equal(big.reason, 'body-too-large');
  assert.equal(big.decoded.length, 100_000);
  assert.equal(
    (await fetchFrom(web, '/headers', { ...options, headersTimeoutMs: 10_000 })).reason,
    'headers-too-large',
  );
  assert.equal((await fetchFrom(web, '/NeverAnswers', options)).reason, 'headers-timeout');
  await web.close();
});

test('HTTP/2 is not used if it is switched off', async () => {
  const web = await startWeb({ tls: 'h2' });
  assert.equal((await fetchFrom(web, '/', { rejectUnauthorized: false, allowH2: false })).reason, 'tls-failed');
  await web.close();
});

test('https over http/1.1', async () => {
  const web = await startWeb({ tls: 'http/1.1' });
  web.on('/', reply('secure'));
  const outcome = await fetchFrom(web, '/', { rejectUnauthorized: false });
  assert.equal(outcome.protocol, 'http/1.1');
  assert.equal(outcome.decoded.toString(), 'secure');
  await web.close();
});

/** Accepts connections and never answers, or closes the connection at the first byte. */
async function startMute(hangUp: boolean): Promise<{ origin: string; close: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    if (hangUp) socket.once('data', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      for (const socket of sockets) socket.destroy();
      server.close(() => resolve());
    });
  return { origin: `https://127.0.0.1:${(server.address() as { port: number }).port}`, close };
}

for (const [what, hangUp, reason] of [
  ['a handshake that never ends', false, 'connect-timeout'],
  ['a handshake that breaks off', true, 'tls-failed'],
] as const) {
  test(`${what} gives ${reason}`, async () => {
    const mute = await startMute(hangUp);
    const fetcher = new Fetcher(
      { allowedPrivateHosts: [mute.origin], connectTimeoutMs: hangUp ? 10_000 : 100 },
      systemClock,
    );
    assert.equal((await fetcher.fetch(mute.origin)).reason, reason);
    await fetcher.close();
    await mute.close();
  });
}
