import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BodyBudget } from '../../src/fetch/body/body-budget.ts';
import { Exchange } from '../../src/fetch/exchange.ts';
import { ManualClock } from './manual-clock.ts';

const LIMITS = {
  headersTimeoutMs: 1_000,
  bodyTimeoutMs: 500,
  totalTimeoutMs: 5_000,
  maxBodyBytes: 1_000,
  maxLongBodyBytes: 0,
  isLongKind: () => false,
  maxHeaderBytes: 1_000,
};

/** An exchange without a connection: the test calls the methods that a transport would call. */
function start() {
  const clock = new ManualClock();
  const aborted: string[] = [];
  const done: Exchange[] = [];
  const again: Exchange[] = [];
  const carrier = { abort: () => aborted.push('aborted'), pause: () => {}, resume: () => {} };
  const exchange = new Exchange(
    { clock, budget: new BodyBudget(), limits: LIMITS, maySend: () => true },
    { secure: false, proxied: false },
    (one) => done.push(one),
    (one) => again.push(one),
  );
  const tick = (ms: number): void => {
    clock.advance(ms);
    exchange.expire(clock.now());
  };
  return { exchange, carrier, aborted, done, again, tick };
}

const closed = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });

test('a slow body never reaches the idle timeout but ends by the total timeout', () => {
  const { exchange, carrier, aborted, done, tick } = start();
  exchange.begin(carrier);
  exchange.answered(200, 'OK', []);
  for (let ms = 0; ms < 4_600; ms += 400) {
    exchange.received(Buffer.from('.'));
    tick(400);
    assert.equal(done.length, 0);
  }
  tick(400);
  assert.equal(exchange.reason, 'total-timeout');
  assert.equal(exchange.truncated, 'time');
  assert.equal(exchange.body.bytes, 12);
  assert.equal(aborted.length, 1);
});

test('a body without new bytes ends by the idle timeout', () => {
  const { exchange, carrier, tick } = start();
  exchange.begin(carrier);
  exchange.answered(200, 'OK', []);
  exchange.received(Buffer.from('.'));
  tick(100);
  tick(499);
  assert.equal(exchange.reason, null);
  tick(1);
  assert.equal(exchange.reason, 'body-timeout');
});

test('waiting for a connection counts only for the total timeout', () => {
  const { exchange, carrier, tick } = start();
  tick(4_999);
  assert.equal(exchange.reason, null);
  tick(1);
  assert.equal(exchange.reason, 'total-timeout');
  assert.equal(exchange.truncated, null);
  assert.equal(exchange.begin(carrier), false);
});

test('an exchange ends exactly once, whatever events follow', () => {
  const { exchange, carrier, done } = start();
  exchange.begin(carrier);
  exchange.answered(200, 'OK', []);
  exchange.received(Buffer.alloc(2_000));
  exchange.received(Buffer.alloc(2_000));
  exchange.lost(closed);
  exchange.finish();
  exchange.fail(closed);
  assert.equal(done.length, 1);
  assert.equal(exchange.reason, 'body-too-large');
  assert.equal(exchange.body.bytes, 1_000);
});

test('a lost request is sent again once, and only if a reused connection lost it before the first byte', () => {
  const lose = (reused: boolean, prepare: (one: Exchange) => void = () => {}): ReturnType<typeof start> => {
    const one = start();
    one.exchange.begin(one.carrier);
    one.exchange.sent('GET / HTTP/1.1\r\n', '127.0.0.1', false, reused);
    prepare(one.exchange);
    one.exchange.lost(closed);
    return one;
  };
  const fresh = lose(false);
  assert.equal(fresh.again.length, 0);
  assert.equal(fresh.exchange.reason, 'connection-reset');

  const answered = lose(true, (exchange) => exchange.firstByte());
  assert.equal(answered.again.length, 0);

  const raced = lose(true);
  assert.equal(raced.again.length, 1);
  assert.equal(raced.done.length, 0);
  raced.exchange.begin(raced.carrier);
  raced.exchange.sent('GET / HTTP/1.1\r\n', '127.0.0.1', false, true);
  raced.exchange.lost(closed);
  assert.equal(raced.again.length, 1);
  assert.equal(raced.exchange.reason, 'connection-reset');
});
