import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DistinctLinks, isStronger } from '../../../src/crawl/links/distinct-links.ts';
import { ATTRIBUTE_CODES } from '../../../src/graph/link-attributes.ts';
import { attributeCodeOf, targetOf } from '../../../src/graph/link-list.ts';
import { randomNumbers } from '../../change/random-text.ts';

test('each target counts once, in the order of its first link, with its most important link', () => {
  const random = randomNumbers(5);
  const links = new DistinctLinks();
  // Pages with few links follow pages with thousands, and ids may be larger than 32 bits.
  for (const [count, targets] of [
    [60, 40],
    [5_000, 3_000],
    [10, 3],
    [300, 300],
    [70_000, 2 ** 47],
  ] as const) {
    links.clear();
    const expected = new Map<number, number>();
    for (let link = 0; link < count; link++) {
      const target = 1 + Math.floor(random() * targets);
      const code = Math.floor(random() * ATTRIBUTE_CODES);
      links.add(target, code);
      const before = expected.get(target);
      if (before === undefined || isStronger(code, before)) expected.set(target, code);
    }
    const got = links.values().map((value) => [targetOf(value), attributeCodeOf(value)]);
    assert.deepEqual(got, [...expected]);
  }
});
