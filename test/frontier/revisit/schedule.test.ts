import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BestPages } from '../../../src/frontier/revisit/best-pages.ts';
import { policyNamed } from '../../../src/frontier/revisit/policy.ts';
import { type PlanRequest, Schedule, type ScheduledPage } from '../../../src/frontier/revisit/schedule.ts';
import { seededRandom } from '../../../testbed/random.ts';

const DAY_MS = 86_400_000;
const NOW_MS = 1_000 * DAY_MS;

/** A page with this many changes in visits a day apart, and this many visits without a change. */
function looks(changes: number, quiet: number): Partial<ScheduledPage> {
  return { changes, changedLogMs: changes * Math.log(DAY_MS), quietMs: quiet * DAY_MS };
}

function scheduleOf(pages: readonly (Partial<ScheduledPage> & { readonly id: number })[]): Schedule {
  const schedule = new Schedule();
  for (const page of pages) schedule.add({ host: 1, checkedAtMs: NOW_MS - DAY_MS, ...page });
  return schedule;
}

const idsOf = (schedule: Schedule, request: Partial<PlanRequest> = {}) =>
  Array.from(schedule.plan({ nowMs: NOW_MS, ...request }), ({ id }) => id);

function manyPages(count: number, hosts: number): Schedule {
  const random = seededRandom(5);
  return scheduleOf(
    Array.from({ length: count }, (_, i) => ({
      id: 3 * i + 1,
      host: Math.floor(hosts * random() ** 2),
      checkedAtMs: NOW_MS - 25 * DAY_MS * random(),
      weight: random(),
      ...looks(Math.floor(8 * random()), Math.floor(8 * random())),
    })),
  );
}

test('a plan has the pages with the largest gains, best first, up to the budget', () => {
  const schedule = manyPages(5_000, 40);
  const all = [...schedule.plan({ nowMs: NOW_MS })];
  assert.equal(all.length, 5_000);
  const gains = all.map(({ gain }) => gain);
  assert.deepEqual(
    gains,
    gains.toSorted((a, b) => b - a),
  );
  for (const budget of [0, 1, 33, 100, 4_999, 9_999]) {
    assert.deepEqual(
      idsOf(schedule, { budget }),
      all.slice(0, budget).map(({ id }) => id),
      `budget ${budget}`,
    );
  }
});

test('no host gets more than its budget, and the rest goes to the best pages of other hosts', () => {
  const schedule = manyPages(5_000, 40);
  const hostOf = new Map<number, number>();
  const random = seededRandom(5);
  for (let i = 0; i < 5_000; i++) {
    hostOf.set(3 * i + 1, Math.floor(40 * random() ** 2));
    for (let skipped = 0; skipped < 4; skipped++) random();
  }
  const limitOf = (host: number) => (host % 2 === 0 ? 20 : 5);
  const expected: number[] = [];
  const taken = new Map<number, number>();
  for (const { id } of schedule.plan({ nowMs: NOW_MS })) {
    const host = hostOf.get(id)!;
    const ofHost = taken.get(host) ?? 0;
    if (expected.length === 200 || ofHost === limitOf(host)) continue;
    taken.set(host, ofHost + 1);
    expected.push(id);
  }
  assert.deepEqual(idsOf(schedule, { budget: 200, hostBudget: limitOf }), expected);
});

test('the choice with limits does not depend on the pages that were dropped before', () => {
  const random = seededRandom(9);
  const offered = Array.from({ length: 20_000 }, (_, place) => ({
    place,
    host: place % 7,
    value: Math.floor(random() * 500),
  }));
  const best = new BestPages({ all: 300, host: (host) => 20 + 10 * host });
  for (const { place, host, value } of offered) best.offer(place, host, value);
  const taken = new Map<number, number>();
  const expected = offered
    .toSorted((a, b) => b.value - a.value || a.place - b.place)
    .filter(({ host }) => {
      taken.set(host, (taken.get(host) ?? 0) + 1);
      return taken.get(host)! <= 20 + 10 * host;
    })
    .slice(0, 300);
  assert.deepEqual(
    Array.from(best.choose()),
    expected.map(({ place }) => place),
  );
});

test('pages that waited for the longest interval come first, in at most a twentieth of the budget', () => {
  const schedule = scheduleOf([
    ...Array.from({ length: 50 }, (_, i) => ({
      id: i,
      ...looks(10, 0),
      checkedAtMs: NOW_MS - (31 + i) * DAY_MS,
      weight: 1e-9,
    })),
    ...Array.from({ length: 50 }, (_, i) => ({ id: 100 + i, ...looks(3, 9) })),
  ]);
  const plan = [...schedule.plan({ nowMs: NOW_MS, budget: 40 })];
  assert.deepEqual(
    plan.map(({ forced }) => forced),
    [...Array(2).fill(true), ...Array(38).fill(false)],
  );
  assert.deepEqual(
    plan.slice(0, 2).map(({ id }) => id),
    [49, 48],
  );
  assert.ok(plan.slice(2).every(({ id }) => id >= 100));
  // The same holds for the budget of a host.
  const ofHost = [...schedule.plan({ nowMs: NOW_MS, budget: 100, hostBudget: 40 })];
  assert.equal(ofHost.filter(({ forced }) => forced).length, 2);
  assert.equal(schedule.plan({ nowMs: NOW_MS, budget: 40, maxIntervalMs: 1_000 * DAY_MS }).forced, 0);
  assert.equal(schedule.plan({ nowMs: NOW_MS }).forced, 50, 'with no budget all of them');
});

test('a budget below twenty serves overdue pages too, also if each plan has a new schedule', () => {
  const forcedBy = (budget: number) => {
    let forced = 0;
    for (let day = 0; day < 500; day++) {
      const nowMs = NOW_MS + day * DAY_MS;
      const pages = [1, 2, 3, 4, 5, 6].map((id) => ({ id, checkedAtMs: nowMs - 40 * DAY_MS }));
      forced += scheduleOf(pages).plan({ nowMs, budget }).forced;
    }
    return forced;
  };
  const [ofOne, ofFive] = [forcedBy(1), forcedBy(5)];
  assert.ok(Math.abs(ofOne - 25) < 12 && Math.abs(ofFive - 125) < 25, `${ofOne} ${ofFive}`);
});

test('overdue pages that a policy leaves out use the rest of a budget', () => {
  const schedule = scheduleOf([
    { id: 1, depth: 9, checkedAtMs: NOW_MS - 31 * DAY_MS },
    { id: 2, depth: 9, checkedAtMs: NOW_MS - 33 * DAY_MS },
    { id: 3, depth: 0 },
    { id: 4, depth: 9 },
  ]);
  assert.deepEqual(idsOf(schedule, { budget: 2, policy: policyNamed('top-levels') }), [3, 2]);
});

test('no page starves, even with a budget of a single visit', () => {
  for (const budget of [1, 3]) {
    const schedule = scheduleOf(
      Array.from({ length: 30 }, (_, id) => ({
        id,
        checkedAtMs: NOW_MS,
        ...looks(id % 3 === 0 ? 30 : 3, 5),
        weight: id % 3 === 0 ? 0 : 1,
      })),
    );
    const last = new Map<number, number>();
    let longest = 0;
    for (let round = 1; round <= 2_000; round++) {
      const nowMs = NOW_MS + round * DAY_MS;
      for (const { id } of schedule.plan({ nowMs, budget })) {
        schedule.observe(id, nowMs, true);
        longest = Math.max(longest, round - (last.get(id) ?? 0));
        last.set(id, round);
      }
    }
    assert.equal(last.size, 30, `budget ${budget}`);
    // The maximum interval, plus the time in which a twentieth of the budget reaches all pages. The visits of a
    // budget below twenty come at times that look random.
    assert.ok(longest <= 30 + (20 * 30 * 1.5) / budget, `budget ${budget}: ${longest} days`);
  }
});

test('without a budget, a threshold of the chance decides, and the least interval always applies', () => {
  const schedule = scheduleOf([
    { id: 1, ...looks(20, 1) },
    { id: 2, ...looks(1, 20) },
    { id: 3, ...looks(20, 1), checkedAtMs: NOW_MS - 1_000 },
  ]);
  assert.deepEqual(idsOf(schedule, { dueShare: 0 }).toSorted(), [1, 2, 3]);
  assert.deepEqual(idsOf(schedule, { dueShare: 0.5 }), [1]);
  assert.deepEqual(idsOf(schedule, { minIntervalMs: 60_000 }).toSorted(), [1, 2]);
  const [first] = schedule.plan({ nowMs: NOW_MS });
  assert.ok(first!.chance > 0.8 || first!.id === 2, JSON.stringify(first));
});

test('a new page of a fast pattern or host is planned before a new page of a slow pattern or host', () => {
  const pages: (Partial<ScheduledPage> & { readonly id: number })[] = [];
  for (let i = 0; i < 120; i++) {
    const isFast = i % 2 === 0;
    // Pages of host 1 differ by pattern, the other pages by host.
    const place = i < 60 ? { host: 1, pattern: isFast ? 11 : 12 } : { host: isFast ? 2 : 3, pattern: 7 };
    pages.push({ id: i, ...place, ...(isFast ? looks(4, 4) : looks(0, 30)) });
  }
  const fresh = { checkedAtMs: NOW_MS - DAY_MS };
  const schedule = scheduleOf([
    ...pages,
    { id: 900, ...fresh, host: 1, pattern: 12 },
    { id: 901, ...fresh, host: 1, pattern: 11 },
    { id: 902, ...fresh, host: 3, pattern: 99 },
    { id: 903, ...fresh, host: 2, pattern: 99 },
  ]);
  const before = [901, 900].map((id) => schedule.outlook(id, NOW_MS)!.chance);
  assert.equal(before[0], before[1], 'nothing is learned yet');
  schedule.learnPriors();
  const order = idsOf(schedule).filter((id) => id >= 900);
  assert.ok(order.indexOf(901) < order.indexOf(900) && order.indexOf(903) < order.indexOf(902), order.join(' '));
  const fast = schedule.outlook(901, NOW_MS)!;
  assert.ok(fast.changesADay > 0.2 && fast.changesADay < 1.2, JSON.stringify(fast));
  assert.ok(schedule.outlook(900, NOW_MS)!.changesADay < 0.1);
});

test('a source is trusted as far as its record allows', () => {
  const missShares = [1, 0.1, 0.1, 1];
  const schedule = scheduleOf([1, 2, 3, 4].map((id, i) => ({ id, missShare: missShares[i]!, ...looks(4, 4) })));
  schedule.claim(3, NOW_MS - 1_000);
  schedule.claim(4, NOW_MS - 5 * DAY_MS);
  const [alone, silent, claimed, old] = [1, 2, 3, 4].map((id) => schedule.outlook(id, NOW_MS)!);
  assert.ok(Math.abs(silent!.chance / alone!.chance - 0.1) < 0.005, 'scaled by the share it misses');
  assert.ok(Math.abs(silent!.gain / alone!.gain - 0.1) < 0.005);
  assert.ok(claimed!.chance >= 0.99 && claimed!.gain > 2 * alone!.gain, JSON.stringify({ claimed, alone }));
  assert.deepEqual(old, alone, 'it was looked at since');
  assert.equal(idsOf(schedule)[0], 3);
  schedule.observe(3, NOW_MS, true);
  assert.ok(schedule.outlook(3, NOW_MS + DAY_MS)!.chance < 0.2, 'the claim is over');
});

test('a clock that is set back makes no page wait for a year', () => {
  const schedule = scheduleOf([
    { id: 1, checkedAtMs: NOW_MS + 365 * DAY_MS, ...looks(3, 3) },
    { id: 2, ...looks(3, 3) },
  ]);
  const plan = [...schedule.plan({ nowMs: NOW_MS })];
  assert.deepEqual(
    plan.map(({ id }) => id),
    [2, 1],
  );
  assert.equal(plan[1]!.gain, 0);
  const later = schedule.outlook(1, NOW_MS + DAY_MS)!;
  assert.ok(Math.abs(later.chance - schedule.outlook(2, NOW_MS)!.chance) < 1e-9, 'it waits from now on');
  const state = schedule.observe(2, NOW_MS - 5 * DAY_MS, true);
  assert.equal(state.checkedAtMs, NOW_MS - 5 * DAY_MS);
  assert.ok(Math.abs(state.changes - 3) < 1e-6, 'no evidence');
});

test('with a clock that is a year ahead, all pages are due, the budget holds, and the estimates recover', () => {
  const schedule = scheduleOf(Array.from({ length: 100 }, (_, id) => ({ id, ...looks(20, 20) })));
  let nowMs = NOW_MS + 365 * DAY_MS;
  assert.ok([...schedule.plan({ nowMs })].every(({ chance }) => chance > 0.99));
  assert.equal(schedule.plan({ nowMs, budget: 10 }).length, 10);
  const before = schedule.outlook(1, nowMs)!.changesADay;
  schedule.observe(1, nowMs, false);
  assert.ok(schedule.outlook(1, nowMs)!.changesADay < before / 2, 'a quiet year is evidence');
  // The clock is right again. The page still changes every other day.
  nowMs = NOW_MS;
  schedule.plan({ nowMs });
  for (let look = 0; look < 120; look++) {
    nowMs += DAY_MS;
    schedule.observe(1, nowMs, look % 2 === 0);
  }
  const after = schedule.outlook(1, nowMs)!.changesADay;
  assert.ok(after > 0.7 * before && after < 1.2 * before, `${before} → ${after}`);
});

test('a page takes at most forty bytes, whatever the patterns', () => {
  const pages = 400_000;
  for (const patterns of [10, pages]) {
    const schedule = new Schedule();
    for (let id = 0; id < pages; id++) {
      schedule.add({ id, host: id % 50, pattern: id % patterns, checkedAtMs: NOW_MS, ...looks(2, 2) });
    }
    schedule.learnPriors();
    assert.equal(schedule.pages, pages);
    assert.ok(schedule.bytes / pages <= 40, `${schedule.bytes / pages} bytes with ${patterns} patterns`);
  }
});

test('pages are found by id, a page can be added again with other values, and new ids must ascend', () => {
  const schedule = scheduleOf([{ id: 5 }, { id: 9 }, { id: 4_000_000_000 }]);
  assert.deepEqual(idsOf(schedule), [5, 9, 4_000_000_000]);
  schedule.add({ id: 9, host: 1, checkedAtMs: NOW_MS - DAY_MS, weight: 10 });
  assert.deepEqual(idsOf(schedule), [9, 5, 4_000_000_000]);
  schedule.add({ id: 5, host: 1, checkedAtMs: NOW_MS - DAY_MS, weight: 100 });
  assert.equal(idsOf(schedule)[0], 5);
  assert.equal(schedule.outlook(6, NOW_MS), null);
  assert.equal(schedule.observe(6, NOW_MS, true).changes, 0, 'a page it does not know is looked at for the first time');
  assert.throws(() => schedule.add({ id: 6, host: 1, checkedAtMs: 0 }), RangeError);
  assert.throws(() => schedule.add({ id: 2 ** 40, host: 1, checkedAtMs: 0 }), RangeError);
});

test('a damaged row has no effect on other pages', () => {
  const bad = Number.NaN;
  const schedule = scheduleOf([
    {
      id: 1,
      changes: bad,
      changedLogMs: -1,
      quietMs: Number.POSITIVE_INFINITY,
      intervalMs: bad,
      weight: bad,
      depth: bad,
      missShare: bad,
    },
    { id: 2, checkedAtMs: bad },
    { id: 3 },
  ]);
  schedule.learnPriors();
  for (const name of ['adaptive', 'uniform', 'rank', 'top-levels', 'nutch']) {
    const plan = [...schedule.plan({ nowMs: NOW_MS, policy: policyNamed(name) })];
    assert.ok(
      plan.every(({ gain, chance }) => gain >= 0 && chance >= 0 && chance <= 1),
      name,
    );
    assert.equal(plan.length, name === 'nutch' ? 1 : 3, name);
  }
});
