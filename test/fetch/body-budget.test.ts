/** Bodies together never hold more than the budget plus one piece each, nobody waits for ever, and order is kept. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import { BodyBudget, type Pausable } from '../../src/fetch/body-budget.ts';
import { Fetcher } from '../../src/fetch/fetcher.ts';
import { startWeb } from '../web/local-web.ts';

class Body implements Pausable {
  paused = false;
  pause(): void {
    this.paused = true;
  }
  resume(): void {
    this.paused = false;
  }
}

test('over the budget the one that brings more waits, until another is done', () => {
  const budget = new BodyBudget(100);
  const [a, b, c] = [new Body(), new Body(), new Body()];
  budget.grew(a, 60);
  budget.grew(b, 60);
  assert.deepEqual([a.paused, b.paused], [false, true]);
  budget.grew(c, 10);
  assert.ok(c.paused);
  budget.grew(a, 500);
  assert.equal(a.paused, false, 'the last one that is read goes on');
  budget.ended(a);
  assert.deepEqual([b.paused, c.paused, budget.totalBytes], [false, false, 70]);
  budget.ended(b);
  budget.ended(c);
  budget.ended(c);
  assert.equal(budget.totalBytes, 0);
});

test('one that ends while it waits is let go, and the next is read even over the budget', () => {
  const budget = new BodyBudget(100);
  const [a, b, c] = [new Body(), new Body(), new Body()];
  budget.grew(a, 90);
  budget.grew(b, 90);
  budget.grew(c, 200);
  assert.deepEqual([a.paused, b.paused, c.paused], [false, true, true]);
  budget.ended(b);
  assert.equal(b.paused, false, 'its connection can be used again');
  budget.ended(a);
  assert.equal(c.paused, false);
});

test('forty bodies of eight megabytes at once all arrive whole, on real sockets', async (t) => {
  const web = await startWeb();
  t.after(() => web.close());
  const body = Buffer.alloc(8_000_000, 'x');
  web.on('/big*', ({ response }) => response.end(body));
  const fetcher = new Fetcher({ privateAddresses: 'allow', connectionsPerHost: 40 }, systemClock);
  t.after(() => fetcher.close());
  const outcomes = await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const { status, reason, bodyBytes } = await fetcher.fetch(web.url(`/big${n}`));
      return `${status} ${reason} ${bodyBytes}`;
    }),
  );
  assert.deepEqual(new Set(outcomes), new Set(['200 null 8000000']));
});
