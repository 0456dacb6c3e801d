/**
 * Large bodies together never hold more than the budget plus one piece each. Usual bodies pass, no
 * body waits for ever, and the order is kept.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../src/core/clock.ts';
import { BodyBudget, type Pausable } from '../../../src/fetch/body/body-budget.ts';
import { Fetcher } from '../../../src/fetch/fetcher.ts';
import { startWeb } from '../../../testbed/web/local-web.ts';

class Body implements Pausable {
  paused = false;
  pause(): void {
    this.paused = true;
  }
  resume(): void {
    this.paused = false;
  }
}

test('over the budget, the largest body is paused until another body is complete', () => {
  const budget = new BodyBudget(100, 0);
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

test('a body that ends while it is paused is released, and the next one is read even over the budget', () => {
  const budget = new BodyBudget(100, 0);
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

test('a page of usual size never waits for large pages', () => {
  const budget = new BodyBudget(100, 20);
  const [a, b, page] = [new Body(), new Body(), new Body()];
  budget.grew(a, 90);
  budget.grew(b, 90);
  assert.deepEqual([a.paused, b.paused], [false, true]);
  budget.grew(page, 10);
  budget.grew(page, 10);
  assert.equal(page.paused, false);
  budget.grew(page, 1);
  assert.ok(page.paused, 'a large one waits like the others');
});

test('a small slow body does not count as the body that is being read', () => {
  const budget = new BodyBudget(100, 20);
  const [drip, a, b] = [new Body(), new Body(), new Body()];
  budget.grew(drip, 1);
  budget.grew(a, 90);
  budget.grew(b, 90);
  budget.grew(a, 90);
  assert.deepEqual([drip.paused, a.paused, b.paused], [false, false, true]);
  budget.ended(a);
  assert.equal(b.paused, false);
  budget.grew(b, 90);
  budget.grew(drip, 1);
  assert.deepEqual([drip.paused, b.paused], [false, false]);
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

test('large bodies are not held up by a server that only drips', async (t) => {
  const web = await startWeb();
  t.after(() => web.close());
  const half = Buffer.alloc(4_900_000, 'x');
  const secondHalves: (() => void)[] = [];
  let sentHalves = 0;
  // The server sends as many first halves as the budget has room for before it completes
  // any body. Then other bodies have to wait.
  web.on('/big*', ({ response }) => {
    secondHalves.push(() => response.end(half));
    response.write(half, () => {
      if (++sentHalves >= 10) for (const send of secondHalves.splice(0)) send();
    });
  });
  const fetcher = new Fetcher(
    { privateAddresses: 'allow', connectionsPerHost: 20, totalTimeoutMs: 8_000 },
    systemClock,
  );
  t.after(() => fetcher.close());
  void fetcher.fetch(web.bad('SlowBody'));
  await web.ledger.seen('/SlowBody');
  const large = Array.from({ length: 14 }, (_, n) => fetcher.fetch(web.url(`/big${n}`)));
  const reasons = (await Promise.all(large)).map(({ reason }) => reason);
  assert.deepEqual(new Set(reasons), new Set([null]));
});
