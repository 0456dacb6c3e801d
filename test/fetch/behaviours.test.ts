import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import type { FetchOptions } from '../../src/fetch/fetch-options.ts';
import type { FetchReason } from '../../src/fetch/fetch-reasons.ts';
import { Fetcher } from '../../src/fetch/fetcher.ts';
import type { FetchOutcome, Truncation } from '../../src/fetch/outcome.ts';
import type { BehaviourName } from '../../testbed/web/behaviours.ts';
import { type LocalWeb, startWeb } from '../../testbed/web/local-web.ts';

/** The expected outcome of each bad behaviour. A timeout is short if the outcome is a timeout, and long otherwise. */
interface Expected {
  readonly reason: FetchReason | null;
  readonly status: number;
  readonly truncated?: Truncation;
  readonly decoded?: string | RegExp;
  readonly options?: Partial<FetchOptions>;
}

const EXPECTED: Readonly<Record<BehaviourName, Expected>> = {
  NeverAnswers: { reason: 'headers-timeout', status: 0, options: { headersTimeoutMs: 60 } },
  SlowHeaders: { reason: 'headers-timeout', status: 0, options: { headersTimeoutMs: 100 } },
  SlowBody: {
    reason: 'total-timeout',
    status: 200,
    truncated: 'time',
    decoded: /^<p>/,
    options: { totalTimeoutMs: 3_000 },
  },
  StalledBody: {
    reason: 'body-timeout',
    status: 200,
    truncated: 'time',
    decoded: '<p>half',
    options: { bodyTimeoutMs: 80 },
  },
  EndlessBody: { reason: 'body-too-large', status: 200, truncated: 'length', decoded: /^a{100000}$/ },
  EndlessRedirects: { reason: null, status: 302 },
  RedirectLoop: { reason: null, status: 301 },
  RedirectToPrivate: { reason: null, status: 302 },
  RedirectToScript: { reason: 'bad-redirect', status: 302 },
  BrokenChunked: { reason: 'bad-response', status: 200, truncated: 'disconnect', decoded: 'hello' },
  UnfinishedChunked: { reason: 'connection-reset', status: 200, truncated: 'disconnect', decoded: 'hello' },
  WrongLengthTooLong: { reason: 'connection-reset', status: 200, truncated: 'disconnect', decoded: '<p>short' },
  WrongLengthTooShort: { reason: null, status: 200, decoded: 'hello' },
  ResetBeforeHeaders: { reason: 'connection-reset', status: 0 },
  ResetAfterHeaders: { reason: 'connection-reset', status: 200, truncated: 'disconnect', decoded: '<p>some' },
  EmptyReply: { reason: 'connection-reset', status: 0 },
  GarbageStatus: { reason: 'bad-response', status: 0 },
  HugeHeaders: { reason: 'headers-too-large', status: 0 },
  ManyHeaders: { reason: 'headers-too-large', status: 0 },
  Throttling: { reason: 'rate-limited', status: 429 },
  Flaky: { reason: 'server-error', status: 500 },
  RobotsError: { reason: 'server-error', status: 503 },
  SlowRobots: { reason: 'total-timeout', status: 200, truncated: 'time', options: { totalTimeoutMs: 3_000 } },
  PlainLabelledGzip: { reason: 'bad-encoding', status: 200, decoded: '<p>plain' },
  TruncatedGzip: { reason: 'bad-encoding', status: 200, decoded: /^<p>0<\/p><p>7919<\/p>/ },
  GzipBomb: { reason: 'body-too-large', status: 200, truncated: 'length', options: { maxBodyBytes: 2_000_000 } },
  NonsenseCharset: { reason: null, status: 200 },
  DeepDivs: { reason: 'body-too-large', status: 200, truncated: 'length', decoded: /^(?:<div>){20000}$/ },
  NulBytes: { reason: null, status: 200, decoded: /a\0b/ },
  MillionLinks: { reason: 'body-too-large', status: 200, truncated: 'length' },
  HugeRobots: { reason: 'body-too-large', status: 200, truncated: 'length' },
};

let web: LocalWeb;
before(async () => {
  web = await startWeb();
});
after(() => web.close());

async function fetchBad(name: BehaviourName, options: Partial<FetchOptions> = {}): Promise<FetchOutcome> {
  const fetcher = new Fetcher({ allowedPrivateHosts: [web.origin], maxBodyBytes: 100_000, ...options }, systemClock);
  try {
    return await fetcher.fetch(web.bad(name));
  } finally {
    await fetcher.close();
  }
}

for (const [name, expected] of Object.entries(EXPECTED) as [BehaviourName, Expected][]) {
  test(`${name} gives ${expected.reason ?? 'no reason'}`, async () => {
    const outcome = await fetchBad(name, expected.options);
    assert.equal(outcome.reason, expected.reason);
    assert.equal(outcome.status, expected.status);
    assert.equal(outcome.truncated, expected.truncated ?? null);
    const text = outcome.decoded.toString('latin1');
    if (typeof expected.decoded === 'string') assert.equal(text, expected.decoded);
    else if (expected.decoded) assert.match(text, expected.decoded);
    assert.ok(outcome.decoded.length <= (expected.options?.maxBodyBytes ?? 100_000));
  });
}

test('a gzip bomb is cut at the limit and not inflated', async () => {
  const outcome = await fetchBad('GzipBomb', { maxBodyBytes: 2_000_000 });
  assert.equal(outcome.decoded.length, 2_000_000);
  assert.ok(outcome.bodyBytes < 2_000_000);
});

test('an endless body is cut at the limit', async () => {
  const outcome = await fetchBad('EndlessBody');
  assert.equal(outcome.bodyBytes, 100_000);
  assert.equal(Buffer.concat(outcome.body).length, 100_000);
});

test('throttling carries its Retry-After', async () => {
  assert.equal((await fetchBad('Throttling')).retryAfterMs, 2_000);
});

test('a redirect is an outcome, not followed', async () => {
  const outcome = await fetchBad('EndlessRedirects');
  assert.equal(outcome.redirectTo, `${web.bad('EndlessRedirects')}?hop=1`);
  assert.equal(web.ledger.count('/EndlessRedirects?hop=1'), 0);
});
