import assert from 'node:assert/strict';
import { it } from 'node:test';
import { OrbweaverError } from '../../src/core/errors.ts';
import { encodeLinkList, linkValue, MAX_ID } from '../../src/graph/link-list.ts';
import { SegmentBuilder } from '../../src/graph/segment.ts';
import { SegmentReader } from '../../src/graph/segment-reader.ts';
import { seededRandom } from '../../testbed/random.ts';
import { encodeSegment } from './encode-segment.ts';

interface Page {
  readonly page: number;
  readonly values: readonly number[];
}

function encode(pages: readonly Page[]): Uint8Array {
  return encodeSegment(pages.map(({ page, values }) => ({ page, links: encodeLinkList(values) })));
}

function decode(segment: Uint8Array): Page[] {
  const reader = new SegmentReader();
  reader.open(segment);
  const pages: Page[] = [];
  while (reader.next()) {
    const values = Array.from(reader.targets.subarray(0, reader.count), (id, i) =>
      linkValue(id, reader.attributes[i]!),
    );
    pages.push({ page: reader.page, values });
  }
  return pages;
}

/** Pages whose ids and steps have any number of bits, to cover all lengths of a number and all ways to read one. */
function randomPages(count: number, seed: number): Page[] {
  const random = seededRandom(seed);
  const pages: Page[] = [];
  for (let i = 0; i < count; i++) {
    const bits = random() * 48;
    const ids = new Set(Array.from({ length: random() * 40 }, () => Math.ceil(2 ** (random() * bits))));
    const values = [...ids].sort((a, b) => a - b).map((id) => linkValue(id, Math.floor(random() * 18)));
    pages.push({ page: Math.ceil(2 ** (random() * 48)), values });
  }
  return pages;
}

it('pages come back in the order of commit, those without links too', () => {
  const pages = [
    { page: 12, values: [linkValue(1, 0), linkValue(2, 17), linkValue(40, 3)] },
    { page: 3, values: [] },
    { page: MAX_ID, values: [linkValue(MAX_ID, 17)] },
  ];
  assert.deepEqual(decode(encode(pages)), pages);
  assert.deepEqual(decode(new Uint8Array(0)), []);
});

it('links of any size come back, in segments of any length', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const pages = randomPages(seed, seed);
    assert.deepEqual(decode(encode(pages)), pages, `seed ${seed}`);
  }
});

it('a page may have more links than any before it', () => {
  const values = Array.from({ length: 20_000 }, (_, i) => linkValue(i + 1, i % 18));
  const pages = [
    { page: 1, values: [linkValue(2, 0)] },
    { page: 2, values },
    { page: 3, values: [linkValue(9, 1)] },
  ];
  assert.deepEqual(decode(encode(pages)), pages);
});

it('a builder counts its content and is empty after take', () => {
  const builder = new SegmentBuilder();
  const pages = randomPages(500, 7);
  for (const { page, values } of pages) builder.add(page, encodeLinkList(values));
  assert.equal(builder.pages, 500);
  assert.equal(
    builder.links,
    pages.reduce((sum, { values }) => sum + values.length, 0),
  );
  const { byteLength } = builder;
  const segment = builder.take();
  assert.equal(segment.length, byteLength);
  assert.deepEqual([builder.pages, builder.links, builder.byteLength], [0, 0, 0]);
  builder.add(1, encodeLinkList([linkValue(2, 0)]));
  assert.deepEqual(decode(builder.take()), [{ page: 1, values: [linkValue(2, 0)] }]);
  assert.deepEqual(decode(segment), pages);
});

it('a segment that lies inside a larger buffer is read from where it lies', () => {
  const pages = randomPages(20, 3);
  const segment = encode(pages);
  const larger = Buffer.alloc(segment.length + 10, 0xff);
  larger.set(segment, 5);
  assert.deepEqual(decode(larger.subarray(5, 5 + segment.length)), pages);
});

it('a segment that is cut anywhere gives complete pages and then a store error', () => {
  const pages = randomPages(8, 5);
  const segment = encode(pages);
  const ends = new Set(pages.map((_, i) => encode(pages.slice(0, i)).length));
  for (let length = 1; length < segment.length; length++) {
    const cut = segment.subarray(0, length);
    if (ends.has(length)) assert.ok(decode(cut).length < pages.length);
    else assert.throws(() => decode(cut), { code: 'ERR_STORE' }, `at ${length}`);
  }
});

it('changed bytes give other links or a store error, and nothing else', () => {
  const random = seededRandom(11);
  const segment = encode(randomPages(30, 9));
  let errors = 0;
  for (let round = 0; round < 3_000; round++) {
    const damaged = segment.slice();
    for (let i = 0; i <= round % 4; i++) damaged[Math.floor(random() * damaged.length)] = Math.floor(random() * 256);
    try {
      for (const { page, values } of decode(damaged)) {
        assert.ok(page >= 1 && page <= MAX_ID && values.every((value) => value >= 18));
      }
    } catch (error) {
      assert.ok(error instanceof OrbweaverError && error.code === 'ERR_STORE', String(error));
      errors++;
    }
  }
  assert.ok(errors > 300, `${errors} were noticed`);
});

it('an impossible count is refused and allocates no memory', () => {
  const lie = Uint8Array.of(1, 0xff, 0xff, 0xff, 0xff, 0x0f, 18, 18);
  const reader = new SegmentReader();
  reader.open(lie);
  assert.throws(() => reader.next(), { code: 'ERR_STORE' });
  assert.ok(reader.targets.length < 1_000);
});
