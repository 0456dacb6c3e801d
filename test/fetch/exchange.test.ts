import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import type { Dispatcher } from 'undici';
import { Exchange } from '../../src/fetch/exchange.ts';
import { ManualClock } from './manual-clock.ts';

const LIMITS = {
  headersTimeoutMs: 1_000,
  bodyTimeoutMs: 500,
  totalTimeoutMs: 5_000,
  maxBodyBytes: 1_000,
  maxHeaderBytes: 1_000,
};

/** An exchange without a wire: the test calls what the HTTP client would call. */
function start() {
  const clock = new ManualClock();
  const aborted: Error[] = [];
  const done: Exchange[] = [];
  const again: Exchange[] = [];
  const controller = { abort: (error: Error) => aborted.push(error) } as unknown as Dispatcher.DispatchController;
  const exchange = new Exchange(
    clock,
    LIMITS,
    { secure: false, proxied: false },
    (one) => done.push(one),
    (one) => again.push(one),
  );
  const tick = (ms: number): void => {
    clock.advance(ms);
    exchange.expire(clock.now());
  };
  return { exchange, controller, aborted, done, again, tick };
}

const closed = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });

test('a trickle keeps the idle time-out away, and the total one ends it', () => {
  const { exchange, controller, aborted, done, tick } = start();
  exchange.onRequestStart(controller);
  exchange.onResponseStart(controller, 200, {}, 'OK');
  for (let ms = 0; ms < 4_600; ms += 400) {
    exchange.onResponseData(controller, Buffer.from('.'));
    tick(400);
    assert.equal(done.length, 0);
  }
  tick(400);
  assert.equal(exchange.reason, 'total-timeout');
  assert.equal(exchange.truncated, 'time');
  assert.equal(exchange.bodyBytes, 12);
  assert.equal(aborted.length, 1);
});

test('silence in the body ends it by the idle time-out', () => {
  const { exchange, controller, tick } = start();
  exchange.onRequestStart(controller);
  exchange.onResponseStart(controller, 200, {}, 'OK');
  exchange.onResponseData(controller, Buffer.from('.'));
  tick(100);
  tick(499);
  assert.equal(exchange.reason, null);
  tick(1);
  assert.equal(exchange.reason, 'body-timeout');
});

test('waiting for a connection counts for the total alone', () => {
  const { exchange, controller, aborted, tick } = start();
  tick(4_999);
  assert.equal(exchange.reason, null);
  tick(1);
  assert.equal(exchange.reason, 'total-timeout');
  assert.equal(exchange.truncated, null);
  exchange.onRequestStart(controller);
  assert.equal(aborted.length, 1);
});

test('an interim answer is not the answer', () => {
  const { exchange, controller, done } = start();
  exchange.onRequestStart(controller);
  exchange.onResponseStart(controller, 103, { link: '</style.css>' }, 'Early Hints');
  assert.equal(exchange.status, 0);
  exchange.onResponseStart(controller, 200, {}, 'OK');
  exchange.onResponseEnd();
  assert.equal(exchange.status, 200);
  assert.equal(done.length, 1);
});

test('it is done once, whatever comes afterwards', () => {
  const { exchange, controller, done } = start();
  exchange.onRequestStart(controller);
  exchange.onResponseStart(controller, 200, {}, 'OK');
  exchange.onResponseData(controller, Buffer.alloc(2_000));
  exchange.onResponseData(controller, Buffer.alloc(2_000));
  exchange.onResponseError(controller, closed);
  exchange.onResponseEnd();
  exchange.fail(closed);
  assert.equal(done.length, 1);
  assert.equal(exchange.reason, 'body-too-large');
  assert.equal(exchange.bodyBytes, 1_000);
});

test('a lost request is sent again once, and only when a used connection lost it before a byte came', () => {
  const socket = new Socket();
  const lose = (prepare: (one: ReturnType<typeof start>) => void): ReturnType<typeof start> => {
    const one = start();
    one.exchange.onRequestStart(one.controller);
    one.exchange.onSent('GET / HTTP/1.1\r\n', socket);
    prepare(one);
    one.exchange.onResponseError(one.controller, closed);
    return one;
  };
  const fresh = lose(() => {});
  assert.equal(fresh.again.length, 0);
  assert.equal(fresh.exchange.reason, 'connection-reset');

  const answered = lose(({ exchange }) => exchange.onResponseStarted());
  assert.equal(answered.again.length, 0);

  const raced = lose(() => {});
  assert.equal(raced.again.length, 1);
  assert.equal(raced.done.length, 0);
  raced.exchange.onRequestStart(raced.controller);
  raced.exchange.onSent('GET / HTTP/1.1\r\n', socket);
  raced.exchange.onResponseError(raced.controller, closed);
  assert.equal(raced.again.length, 1);
  assert.equal(raced.exchange.reason, 'connection-reset');
  socket.destroy();
});
