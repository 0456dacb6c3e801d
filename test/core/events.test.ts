import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import { listen, publish } from '../../src/core/events.ts';

test('listeners get each event of their channel, in order, until they stop', () => {
  const heard: string[] = [];
  const stop = listen('crawl/warning', ({ message }) => heard.push(`first ${message}`));
  const stopOther = listen('crawl/warning', ({ message }) => heard.push(`second ${message}`));
  publish('crawl/warning', { message: 'a' });
  publish('crawl/host', { host: 'http://a.test', live: true });
  stop();
  publish('crawl/warning', { message: 'b' });
  stopOther();
  publish('crawl/warning', { message: 'c' });
  assert.deepEqual(heard, ['first a', 'second a', 'second b']);
});

test('an event is passed on without a copy', () => {
  const event = { host: 'http://a.test', live: false };
  let heard: unknown;
  const stop = listen('crawl/host', (given) => {
    heard = given;
  });
  publish('crawl/host', event);
  stop();
  assert.equal(heard, event);
});

test('the system clock calls back unless the call was cancelled', async () => {
  const cancel = systemClock.after(0, () => assert.fail('it was cancelled'));
  cancel();
  await new Promise<void>((resolve) => systemClock.after(-5, resolve));
  assert.ok(Math.abs(systemClock.now() - Date.now()) < 1_000);
});
