import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostPlan } from '../../../src/crawl/refresh/host-plan.ts';
import { EvenSample } from '../../../src/crawl/refresh/source-spot-checks.ts';

test('pages come in order, come again until they are done, and never come twice at a time', () => {
  const plan = new HostPlan(1);
  for (const id of [5, 3, 9, 3, 7]) plan.add(id);
  assert.equal(plan.left, 4);
  assert.deepEqual(plan.next(2, new Set()), [5, 3]);
  assert.deepEqual(plan.next(2, new Set([5, 3])), [9, 7]);
  plan.markDone(5);
  plan.markDone(9);
  assert.deepEqual(plan.next(9, new Set()), [3, 7]);
  plan.markDone(3);
  plan.markDone(7);
  assert.deepEqual(plan.next(9, new Set()), []);
  assert.equal(plan.left, 0);
  plan.add(5);
  assert.deepEqual(plan.next(9, new Set()), [5], 'one that was done can be planned again');
});

test('a sample is even: all pages of a short list, and pages from everywhere in a long list', () => {
  const few = new EvenSample<number>(10);
  for (let i = 0; i < 15; i++) few.offer(i);
  assert.equal(few.items.length, 15);
  const many = new EvenSample<number>(10);
  for (let i = 0; i < 100_000; i++) many.offer(i);
  assert.ok(many.items.length >= 10 && many.items.length < 20, `${many.items.length}`);
  const gaps = many.items.slice(1).map((item, i) => item - many.items[i]!);
  assert.equal(new Set(gaps).size, 1);
  assert.ok(many.items.at(-1)! > 80_000);
});
