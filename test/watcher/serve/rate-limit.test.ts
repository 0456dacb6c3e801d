import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateLimit } from '../../../src/watcher/admit/rate-limit.ts';

test('many heavy clients cannot use up the common limit for a light client', () => {
  const limit = new RateLimit({ burst: 60, perSecond: 5 }, { burst: 1_000, perSecond: 200 });
  let refused = 0;
  let evil = 0;
  for (let ms = 0; ms < 60_000; ms += 20) {
    for (let i = 0; i < 100; i++) if (limit.take(`evil ${i}`, ms) === 0) evil++;
    if (ms % 5_000 === 0) for (let i = 0; i < 4; i++) if (limit.take('honest', ms) > 0) refused++;
  }
  assert.equal(refused, 0);
  assert.ok(evil < 60 * 200 + 1_000 + 60 * 50 + 250, `${evil}`);
});

test('expensive requests count more, and a shared proxy has a higher limit', () => {
  const limit = new RateLimit({ burst: 20, perSecond: 1 }, { burst: 1e9, perSecond: 1e9 });
  assert.deepEqual([limit.take('a', 0, 10), limit.take('a', 0, 10), limit.take('a', 0, 10)], [0, 0, 10]);
  assert.equal(limit.take('a', 10_000, 10), 0);
  let given = 0;
  for (let i = 0; i < 500; i++) if (limit.take('proxy', 0, 1, 10) === 0) given++;
  assert.equal(given, 200);
});
