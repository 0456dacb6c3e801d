/** Tests how many deaths of units are too many, with a manual clock. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnitDeaths } from '../../../src/crawl/crew/unit-monitor.ts';

const MINUTE_MS = 60_000;

function setUp() {
  const state = { nowMs: 1_000_000_000_000 };
  return { state, deaths: new UnitDeaths({ now: () => state.nowMs, after: () => () => {} }) };
}

test('a run ends if units keep dying', () => {
  const { deaths } = setUp();
  for (let i = 1; i <= 10; i++) assert.equal(deaths.add(), i);
  assert.equal(deaths.areTooMany, false);
  deaths.add();
  assert.equal(deaths.areTooMany, true);
});

test('a run does not end if a unit dies now and then, and each death has its own number', () => {
  const { state, deaths } = setUp();
  const numbers = new Set<number>();
  for (let i = 0; i < 1_000; i++) {
    numbers.add(deaths.add());
    assert.equal(deaths.areTooMany, false);
    state.nowMs += 2 * MINUTE_MS;
  }
  assert.equal(numbers.size, 1_000);
});

test('deaths before the clock was set back do not count', () => {
  const { state, deaths } = setUp();
  for (let i = 0; i < 10; i++) deaths.add();
  state.nowMs -= 60 * MINUTE_MS;
  deaths.add();
  assert.equal(deaths.areTooMany, false);
});
