import assert from 'node:assert/strict';
import { it } from 'node:test';
import { OrbweaverError } from '../../src/core/errors.ts';
import { listOf, markListsDeleted, withoutDeleted } from '../../src/graph/deleted-lists.ts';
import { encodeLinkList, linkValue } from '../../src/graph/link-list.ts';
import { SegmentReader } from '../../src/graph/segment-reader.ts';
import { seededRandom } from '../../testbed/random.ts';
import { encodeSegment } from './encode-segment.ts';

/** Pages with links to ids of any number of bits. */
function randomLists(count: number, seed: number): Map<number, number[]> {
  const random = seededRandom(seed);
  const lists = new Map<number, number[]>();
  while (lists.size < count) {
    const targets = new Set(Array.from({ length: random() * 30 }, () => Math.ceil(2 ** (random() * 48))));
    lists.set(
      Math.ceil(2 ** (random() * 48)),
      [...targets].sort((a, b) => a - b),
    );
  }
  return lists;
}

function segmentOf(lists: ReadonlyMap<number, readonly number[]>): Uint8Array {
  return encodeSegment(
    [...lists].map(([page, targets]) => ({ page, links: encodeLinkList(targets.map((id) => linkValue(id, 3))) })),
  );
}

function read(segment: Uint8Array): Map<number, number[]> {
  const reader = new SegmentReader();
  reader.open(segment);
  const lists = new Map<number, number[]>();
  while (reader.next()) lists.set(reader.page, [...reader.targets.subarray(0, reader.count)]);
  return lists;
}

it('a deleted list is no longer read, its targets are returned, and the other lists stay unchanged', () => {
  for (let seed = 1; seed <= 30; seed++) {
    const random = seededRandom(seed + 100);
    const lists = randomLists(1 + seed, seed);
    let segment = segmentOf(lists);
    while (lists.size > 0) {
      const struck = new Set([...lists.keys()].filter(() => random() < 0.2));
      const expected = [...lists].flatMap(([page, targets]) => (struck.has(page) ? targets : []));
      const done = markListsDeleted(segment, new Set([...struck, 4_711]));
      assert.deepEqual(done.targets, expected, `seed ${seed}`);
      for (const page of struck) lists.delete(page);
      segment = done.segment;
      assert.deepEqual(read(segment), lists, `seed ${seed}`);
      assert.deepEqual(read(withoutDeleted(segment)), lists, `seed ${seed}`);
      assert.equal(withoutDeleted(segment).length, segmentOf(lists).length, `seed ${seed}`);
    }
    assert.equal(segment.length, 0, 'what is mostly struck is written anew');
  }
});

it('deleting one of many lists keeps the length and changes only the bytes of its page', () => {
  const lists = randomLists(200, 7);
  const before = segmentOf(lists);
  const [page] = [...lists.keys()].slice(100);
  const { segment } = markListsDeleted(before.slice(), new Set([page!]));
  assert.equal(segment.length, before.length);
  assert.ok(segment.filter((byte, i) => byte !== before[i]).length <= 8);
});

it('the bytes of one list are found among others', () => {
  const lists = randomLists(50, 3);
  const segment = segmentOf(lists);
  for (const [page, targets] of lists) {
    const bytes = encodeLinkList(targets.map((id) => linkValue(id, 3))).bytes;
    assert.deepEqual(Buffer.from(listOf(segment, page)!), Buffer.from(bytes));
  }
  assert.equal(listOf(segment, 4_711), null);
});

it('a damaged segment is an error here too, never an endless search', () => {
  const segment = segmentOf(randomLists(20, 5));
  let errors = 0;
  for (let end = 1; end < segment.length; end++) {
    try {
      markListsDeleted(segment.slice(0, end), new Set([4_711]));
    } catch (error) {
      assert.ok(error instanceof OrbweaverError && error.code === 'ERR_STORE');
      errors++;
    }
  }
  assert.ok(errors > 0.8 * segment.length, `${errors} of ${segment.length} cuts were noticed`);
});
