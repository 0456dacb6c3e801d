import assert from 'node:assert/strict';
import { test } from 'node:test';
import { POLICIES, type Policy, policyNamed } from '../../../src/frontier/revisit/policy.ts';
import { Schedule } from '../../../src/frontier/revisit/schedule.ts';
import { FIRST_INTERVAL_MS, nextInterval } from '../../../src/frontier/revisit/visit-state.ts';

const DAY_MS = 86_400_000;

/** Number of visits to each page after this many rounds of one visit a day. */
function looksOf(
  policy: Policy,
  pages: readonly { weight?: number; depth?: number; intervalMs?: number }[],
  days: number,
) {
  const schedule = new Schedule();
  for (const [id, page] of pages.entries()) schedule.add({ id, host: 1, checkedAtMs: 0, ...page });
  const looks = pages.map(() => 0);
  for (let day = 1; day <= days; day++) {
    const nowMs = day * DAY_MS;
    for (const { id } of schedule.plan({ nowMs, budget: 1, policy, maxIntervalMs: Number.POSITIVE_INFINITY })) {
      schedule.observe(id, nowMs, false);
      looks[id]!++;
    }
  }
  return looks;
}

test('W19 uniform: every page is visited equally often', () => {
  assert.deepEqual(
    looksOf(policyNamed('uniform'), [{ weight: 9 }, { weight: 1, depth: 8 }, {}, {}], 40),
    [10, 10, 10, 10],
  );
});

test('W19 proportional by rank: visits are proportional to the weight', () => {
  const pages = Array.from({ length: 30 }, (_, i) => ({ weight: [1, 2, 5][i % 3]! }));
  const looks = looksOf(policyNamed('rank'), pages, 1_600);
  const [low, middle, high] = [0, 1, 2].map((kind) =>
    looks.reduce((sum, each, i) => sum + (i % 3 === kind ? each : 0), 0),
  );
  const near = (value: number, expected: number) => Math.abs(value / expected - 1) < 0.04;
  assert.ok(near(low!, 200) && near(middle!, 400) && near(high!, 1_000), `${low} ${middle} ${high}`);
});

test('W19 proportional by top N levels: only these levels, equally often; the floor brings the others', () => {
  const pages = [{ depth: 0 }, { depth: 1 }, { depth: 1 }, { depth: 2 }, { depth: 3 }];
  assert.deepEqual(looksOf(policyNamed('top-levels', { topLevels: 2 }), pages, 30), [10, 10, 10, 0, 0]);
  assert.deepEqual(looksOf(policyNamed('top-levels'), pages, 40), [10, 10, 10, 10, 0]);
  const schedule = new Schedule();
  schedule.add({ id: 1, host: 1, checkedAtMs: 0, depth: 9 });
  const policy = policyNamed('top-levels');
  assert.equal(schedule.plan({ nowMs: 29 * DAY_MS, budget: 4, policy }).length, 0);
  assert.equal(schedule.plan({ nowMs: 30 * DAY_MS, budget: 4, policy }).length, 1);
});

test('W19 watcher: only pages that a source reports as changed are visited', () => {
  const schedule = new Schedule();
  for (let id = 0; id < 5; id++) schedule.add({ id, host: 1, checkedAtMs: 0, weight: id });
  const policy = policyNamed('watcher');
  const planned = (nowMs: number) => Array.from(schedule.plan({ nowMs, policy }), ({ id }) => id);
  assert.deepEqual(planned(300 * DAY_MS), []);
  schedule.claim(2, DAY_MS);
  schedule.claim(4, DAY_MS);
  assert.deepEqual(planned(2 * DAY_MS), [4, 2]);
  schedule.observe(4, 2 * DAY_MS, true);
  assert.deepEqual(planned(3 * DAY_MS), [2]);
});

test('Nutch: the interval becomes a fifth shorter after a change, otherwise a fifth longer, within limits', () => {
  assert.equal(FIRST_INTERVAL_MS, 30 * DAY_MS);
  assert.equal(nextInterval(30 * DAY_MS, true), 24 * DAY_MS);
  assert.equal(nextInterval(30 * DAY_MS, false), 36 * DAY_MS);
  assert.equal(nextInterval(61_000, true), 60_000);
  assert.equal(nextInterval(364 * DAY_MS, false), 365 * DAY_MS);
  const schedule = new Schedule();
  schedule.add({ id: 1, host: 1, checkedAtMs: 0 });
  const policy = policyNamed('nutch');
  const isDue = (day: number) => schedule.plan({ nowMs: day * DAY_MS, policy }).length === 1;
  assert.ok(!isDue(29.9) && isDue(30.1));
  const { intervalMs } = schedule.observe(1, 30 * DAY_MS, true);
  assert.ok(Math.abs(intervalMs / DAY_MS - 24) < 0.01, String(intervalMs));
  assert.ok(!isDue(53.9) && isDue(54.1));
  schedule.observe(1, 54 * DAY_MS, false);
  assert.ok(!isDue(54 + 28.7) && isDue(54 + 28.9));
});

test('every policy has the name under which it is listed, and an unknown policy is refused', () => {
  for (const name of Object.keys(POLICIES)) assert.equal(policyNamed(name).name, name);
  assert.throws(() => policyNamed('toString'), RangeError);
});
