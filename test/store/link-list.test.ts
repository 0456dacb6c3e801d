import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeLinkList, encodeLinkList } from '../../src/store/link-list.ts';
import { SeededRandom } from '../url/seeded-random.ts';

function roundTrip(ids: readonly number[], others: readonly number[] = []): number[] {
  const { bytes, count } = encodeLinkList(ids, others);
  const decoded = [...decodeLinkList(bytes)];
  assert.equal(count, decoded.length);
  return decoded;
}

const ascending = (ids: readonly number[]) => [...new Set(ids)].sort((a, b) => a - b);

test('ids come back in ascending order, at every length of their digits', () => {
  assert.deepEqual(roundTrip([]), []);
  assert.deepEqual(roundTrip([0]), [0]);
  const edges = Array.from({ length: 53 }, (_, i) => [2 ** i - 1, 2 ** i, 2 ** i + 1]).flat();
  for (const id of edges) assert.deepEqual(roundTrip([id]), [id]);
  assert.deepEqual(roundTrip(edges.reverse()), ascending(edges));
  assert.deepEqual(roundTrip([Number.MAX_SAFE_INTEGER, 1]), [1, Number.MAX_SAFE_INTEGER]);
});

test('random lists come back whole', () => {
  const random = new SeededRandom(5);
  for (let round = 0; round < 200; round++) {
    const limit = 2 ** random.below(32) + 1;
    const far = 2 ** random.below(50);
    const ids = Array.from({ length: random.below(80) }, () => far + random.below(limit));
    const others = Array.from({ length: random.below(80) }, () => far + random.below(limit));
    assert.deepEqual(roundTrip(ids, others), ascending([...ids, ...others]));
  }
});

test('near ids cost a byte each', () => {
  const ids = Array.from({ length: 60 }, (_, i) => 1_000_000 + 2 * i);
  assert.ok(encodeLinkList(ids, []).bytes.length <= 62);
});

test('a list that was cut off, or is no list, does not throw', () => {
  const { bytes } = encodeLinkList([5, 300], [70_000]);
  assert.deepEqual([...decodeLinkList(bytes.subarray(0, 2))], [5]);
  assert.equal([...decodeLinkList(new Uint8Array(100).fill(255))].length, 0);
});
