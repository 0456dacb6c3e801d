/** Tests the webhook against a real server that fails in many ways. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../src/core/clock.ts';
import { Delivery } from '../../../src/crawl/delivery/delivery.ts';
import type { DeliveryFailure, Listener } from '../../../src/crawl/delivery/listener.ts';
import { type ListenerSettings, listenersFrom } from '../../../src/crawl/delivery/listeners-from.ts';
import { WebhookSigner } from '../../../src/crawl/delivery/webhook-signature.ts';
import { TEST_CERTIFICATE } from '../../../testbed/web/test-certificate.ts';
import { ManualClock } from '../../fetch/manual-clock.ts';
import { batchOf, COPY, NASTY } from './a-batch.ts';
import { ChangeStore, change, settle } from './change-store.ts';

const SECRET_BYTES = Buffer.from('0123456789abcdef0123456789abcdef');
const SECRET = `whsec_${SECRET_BYTES.toString('base64')}`;

interface Received {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Behaviour = (response: ServerResponse, request: IncomingMessage, nth: number) => void;

/** A receiver on loopback. It records the requests and behaves as `behave` says. */
async function receiver(t: TestContext, behave: Behaviour) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      received.push({ method: request.method!, headers: request.headers, body });
      behave(response, request, received.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

const answer =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    response.writeHead(status, headers).end('answer');

function webhook(url: string, settings: Partial<ListenerSettings> = {}, clock = systemClock): Listener {
  const [listener] = listenersFrom({ webhook: url, webhookSecret: SECRET, ...settings }, clock, () => {});
  return listener!;
}

async function failureOf(listener: Listener, signal = new AbortController().signal): Promise<DeliveryFailure> {
  try {
    await listener.deliver(await batchOf([change(1)]), signal);
  } catch (error) {
    return error as DeliveryFailure;
  }
  assert.fail('it should not have arrived');
}

test('the signature equals the example of Standard Webhooks', () => {
  // The example comes from the specification's own libraries.
  const signer = new WebhookSigner('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
  const signature = signer.sign('msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, '{"test": 2432232314}');
  assert.equal(signature, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('a batch is one signed POST with JSON', async (t) => {
  const { received, url } = await receiver(t, answer(204));
  const entries = [change(1, { title: `Übergröße ${NASTY}` }), change(2, { kind: 'gone', reason: 'gone' })];
  const batch = await batchOf(entries, 'msg_abc');
  await webhook(url).deliver(batch, new AbortController().signal);
  assert.equal(received.length, 1);
  const { method, headers, body } = received[0]!;
  assert.deepEqual([method, headers['content-type'], headers['webhook-id']], ['POST', 'application/json', 'msg_abc']);
  assert.match(headers['user-agent']!, /^Orbweaver\//);
  const timestamp = headers['webhook-timestamp'] as string;
  assert.ok(Math.abs(Number(timestamp) - Date.now() / 1_000) < 60);
  const expected = createHmac('sha256', SECRET_BYTES).update(`msg_abc.${timestamp}.${body}`).digest('base64');
  assert.equal(headers['webhook-signature'], `v1,${expected}`);
  const payload = JSON.parse(body);
  assert.deepEqual(Object.keys(payload), ['type', 'timestamp', 'data']);
  assert.deepEqual([payload.type, payload.timestamp], ['orbweaver.changes', '2026-11-15T09:30:02.000Z']);
  assert.equal(payload.data.copy, COPY.uuid);
  assert.deepEqual(payload.data.changes, batch.changes);
});

test('every 2xx means delivered, even if the body of the response never ends', async (t) => {
  const endless: Behaviour = (response) => {
    response.writeHead(200);
    const pump = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    };
    response.on('drain', pump);
    pump();
  };
  const stalled: Behaviour = (response) => void response.writeHead(202, { 'content-length': '100' }).write('x');
  for (const behave of [answer(200), answer(202), answer(299), endless, stalled]) {
    let isClosed = Promise.resolve<unknown>(null);
    const { url } = await receiver(t, (response, request, nth) => {
      isClosed = new Promise((resolve) => response.on('close', resolve));
      behave(response, request, nth);
    });
    await webhook(url).deliver(await batchOf([change(1)]), new AbortController().signal);
    await isClosed;
  }
});

test('any other response is a failure with a reason, and a redirect is not followed', async (t) => {
  const elsewhere = await receiver(t, answer(200));
  const broken: readonly (readonly [Behaviour, RegExp])[] = [
    [answer(500), /^it answered 500$/],
    [answer(400), /^it answered 400$/],
    [answer(302, { location: elsewhere.url }), /^it answered 302, and redirects are not followed/],
    [answer(308, { location: elsewhere.url }), /^it answered 308/],
    [(_, request) => request.socket.resetAndDestroy(), /^the connection broke before an answer$/],
    [(_, request) => request.socket.end(), /^the connection broke before an answer$/],
    [(_, request) => request.socket.end('this is no HTTP\r\n\r\n'), /^the request failed \(HPE_/],
    [(_, request) => request.socket.end(`HTTP/1.1 200 OK\r\nx: ${'h'.repeat(100_000)}\r\n\r\n`), /^the request failed/],
    [(_, request) => request.socket.end('HTTP/1.1 101 x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'), /101/],
  ];
  for (const [behave, message] of broken) {
    const { url } = await receiver(t, behave);
    const failure = await failureOf(webhook(url));
    assert.match(failure.message, message);
    assert.deepEqual([failure.isFinal, failure.retryAfterMs], [false, 0]);
  }
  assert.equal(elsewhere.received.length, 0);
});

test('an unreachable host, an untrusted certificate and a server without TLS are failures', async (t) => {
  const { url } = await receiver(t, answer(200));
  const port = Number(new URL(url).port);
  const closed = createServer().listen(0, '127.0.0.2');
  await new Promise((resolve) => closed.once('listening', resolve));
  const free = (closed.address() as AddressInfo).port;
  await new Promise((resolve) => closed.close(resolve));
  assert.equal((await failureOf(webhook(`http://127.0.0.2:${free}/`))).message, 'the connection was refused');
  const tls = createTlsServer(TEST_CERTIFICATE, () => assert.fail('nothing is sent to somebody we cannot trust'));
  await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
  t.after(() => tls.close());
  const untrusted = `https://127.0.0.1:${(tls.address() as AddressInfo).port}/`;
  assert.match((await failureOf(webhook(untrusted))).message, /^its certificate is /);
  // This address speaks plain HTTP.
  assert.match(
    (await failureOf(webhook(`https://127.0.0.1:${port}/`))).message,
    /^the request failed|connection broke/,
  );
});

test('410 ends the delivery; 429 and 503 set the delay of the retry', async (t) => {
  const gone = await failureOf(webhook((await receiver(t, answer(410))).url));
  assert.deepEqual([gone.isFinal, gone.message], [true, 'it answered 410, so it wants no more deliveries']);
  const busy = await failureOf(webhook((await receiver(t, answer(429, { 'retry-after': '120' }))).url));
  assert.deepEqual([busy.isFinal, busy.retryAfterMs], [false, 120_000]);
  const at = new Date(Date.now() + 600_000).toUTCString();
  const down = await failureOf(webhook((await receiver(t, answer(503, { 'retry-after': at }))).url));
  assert.ok(Math.abs(down.retryAfterMs - 600_000) < 5_000);
  const silly = await failureOf(webhook((await receiver(t, answer(503, { 'retry-after': '9'.repeat(50) }))).url));
  assert.equal(silly.retryAfterMs, 86_400_000, 'no receiver can put us off for years');
});

test('a receiver that does not answer is abandoned after the timeout, or when the run ends', async (t) => {
  const clock = new ManualClock();
  let asked = (): void => {};
  const { url } = await receiver(t, () => asked());
  for (const [end, message] of [
    [() => clock.advance(15_000), 'no answer within 15 s'],
    [(abort: AbortController) => abort.abort(), 'the run ended before the delivery'],
  ] as const) {
    const abort = new AbortController();
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const failed = failureOf(webhook(url, {}, clock), abort.signal);
    await isAsked;
    end(abort);
    assert.equal((await failed).message, message);
    assert.equal(clock.pending, 0);
    assert.equal(
      (await failureOf(webhook(url, {}, clock), AbortSignal.abort())).message,
      'the run ended before the delivery',
    );
  }
});

test('retries have the same id and body and a new time and signature, and all batches arrive in order', async (t) => {
  const clock = new ManualClock();
  const ways: Behaviour[] = [
    answer(500),
    (_, request) => request.socket.resetAndDestroy(),
    answer(503, { 'retry-after': '60' }),
    answer(200),
  ];
  const { received, url } = await receiver(t, (response, request, nth) => ways[(nth - 1) % 4]!(response, request, nth));
  const store = new ChangeStore();
  const delivery = await Delivery.open(store, [webhook(url, {}, clock)], clock);
  store.addMany(1, 250);
  const finished = delivery.finish(3_600_000);
  let isDone = false;
  void finished.then(() => {
    isDone = true;
  });
  // Failures arrive over the network, so the clock advances only when somebody waits for it.
  while (!isDone) {
    await settle();
    if (clock.pending > 1) clock.advance(500);
  }
  assert.deepEqual((await finished).leftovers, []);
  const batches = Map.groupBy(received, ({ headers }) => headers['webhook-id']);
  assert.deepEqual([received.length, batches.size], [12, 3]);
  const seqs: number[] = [];
  for (const tries of batches.values()) {
    assert.equal(tries.length, 4);
    assert.equal(new Set(tries.map(({ body }) => body)).size, 1);
    assert.ok(new Set(tries.map(({ headers }) => headers['webhook-signature'])).size > 1);
    const [third, fourth] = tries.slice(2).map(({ headers }) => Number(headers['webhook-timestamp']));
    assert.ok(fourth! - third! >= 60, `Retry-After was kept: ${fourth! - third!} s`);
    seqs.push(...JSON.parse(tries[0]!.body).data.changes.map(({ seq }: { seq: number }) => seq));
  }
  assert.deepEqual(
    seqs,
    Array.from({ length: 250 }, (_, i) => i + 1),
  );
});

test('the size of a request is limited, however long URLs and titles are', async (t) => {
  const { received, url } = await receiver(t, answer(200));
  const store = new ChangeStore();
  const delivery = await Delivery.open(store, [webhook(url)], new ManualClock());
  store.addMany(1, 100, { url: `http://a.test/${'x'.repeat(60_000)}`, title: '\u0001'.repeat(100_000) });
  await delivery.finish(60_000);
  assert.ok(received.length >= 12);
  for (const { body } of received) assert.ok(Buffer.byteLength(body) <= 501_000, `${body.length}`);
});

test('without a secret, requests are unsigned, and a message says so', async (t) => {
  const { received, url } = await receiver(t, answer(200));
  const said: string[] = [];
  const [listener] = listenersFrom({ webhook: url }, systemClock, (line) => said.push(line));
  for (const seq of [1, 2]) await listener!.deliver(await batchOf([change(seq)]), new AbortController().signal);
  assert.equal(received[0]!.headers['webhook-signature'], undefined);
  assert.equal(said.length, 1);
  assert.match(said[0]!, /not signed/);
});

test('the secret and a password in the address are never printed or stored', async (t) => {
  const { received, url } = await receiver(t, answer(500));
  const said: string[] = [];
  const withPassword = url.replace('//', '//user:hunter2@').concat('?token=hunter3');
  const [listener] = listenersFrom({ webhook: withPassword, webhookSecret: SECRET }, systemClock, (l) => said.push(l));
  const store = new ChangeStore();
  const delivery = await Delivery.open(store, [listener!], new ManualClock());
  store.add(change(1));
  const report = await delivery.finish(0);
  const refused = await failureOf(webhook('http://user:hunter2@127.0.0.2:1/?token=hunter3'));
  assert.equal(received[0]!.headers.authorization, `Basic ${btoa('user:hunter2')}`, 'it is used, though');
  const everything = JSON.stringify([said, report, [...store.notes], refused.message, listener]);
  assert.doesNotMatch(everything, /hunter|whsec|MDEyMzQ1Njc4/);
  assert.throws(() => listenersFrom({ webhook: url, webhookSecret: 'hunter2' }), /^(?!.*hunter2)/);
});

test('bad settings are refused before the store is opened', () => {
  const code = { code: 'ERR_BAD_OPTION' };
  for (const bad of ['example.com/hook', 'ftp://a.test/', 'file:///etc/passwd', 'http://']) {
    assert.throws(() => listenersFrom({ webhook: bad, webhookSecret: SECRET }), code, bad);
  }
  for (const secret of ['short', 'whsec_c2hvcnQ=', 'whsec_not base64 at all, but long enough']) {
    assert.throws(() => listenersFrom({ webhook: 'http://a.test/', webhookSecret: secret }), code, secret);
  }
  assert.throws(() => listenersFrom({ feed: 'a', kinds: ['gome'] }), { ...code, message: /did you mean gone\?/ });
  assert.deepEqual([...listenersFrom({ feed: 'a', kinds: ['noise', 'gone'] })[0]!.kinds], ['noise', 'gone']);
  assert.ok(!listenersFrom({ feed: 'a' })[0]!.kinds.has('noise'));
  assert.deepEqual(listenersFrom({}), []);
});
