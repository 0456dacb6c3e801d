import assert from 'node:assert/strict';
import { it } from 'node:test';
import { encodeAttributes } from '../../src/graph/link-attributes.ts';
import {
  attributeCodeOf,
  encodeLinkList,
  type LinkList,
  linkValue,
  MAX_ID,
  MAX_LINK_VALUE,
  targetOf,
} from '../../src/graph/link-list.ts';
import { SegmentReader } from '../../src/graph/segment-reader.ts';
import { encodeSegment } from './encode-segment.ts';

function decode(links: LinkList): number[] {
  const reader = new SegmentReader();
  reader.open(encodeSegment([{ page: 1, links }]));
  assert.ok(reader.next());
  return Array.from(reader.targets.subarray(0, reader.count), (id, i) => linkValue(id, reader.attributes[i]!));
}

it('links come back ascending, from two lists and in any order', () => {
  const some = [linkValue(900, 3), linkValue(7, 0)];
  const others = [linkValue(2_000_000, 17), linkValue(8, 1)];
  const list = encodeLinkList(some, others);
  assert.equal(list.count, 4);
  assert.deepEqual(decode(list), [some[1], others[1], some[0], others[0]]);
});

it('a page without links has an empty list', () => {
  const list = encodeLinkList([]);
  assert.deepEqual([list.count, list.bytes.length, decode(list)], [0, 0, []]);
});

it('E6 if several links lead to one target, the link with the greatest weight counts, in any order', () => {
  const footer = linkValue(5, encodeAttributes({ visibility: 3, position: 1, distance: 1 }));
  const headline = linkValue(5, encodeAttributes({ visibility: 2, position: 3, distance: 1 }));
  const menu = linkValue(5, encodeAttributes({ visibility: 1, position: 3, distance: 1 }));
  // The footer's link has the greater code, the headline's link has the greater weight.
  assert.ok(footer > headline);
  const other = linkValue(6, 0);
  for (const links of [
    [footer, headline, menu, other],
    [menu, other, headline, headline, footer],
    [headline, footer, other],
  ]) {
    assert.deepEqual(decode(encodeLinkList(links)), [headline, other]);
  }
});

it('ids up to 2^48 are exact, whatever the step between them', () => {
  const ids = [1, 2];
  for (let bits = 2; bits <= 48; bits++) ids.push(2 ** bits - 1, 2 ** bits);
  const values = [...new Set(ids)].map((id, i) => linkValue(id, i % 18));
  assert.deepEqual(decode(encodeLinkList(values.toReversed())), values);
  for (const [i, value] of values.entries()) {
    assert.deepEqual([targetOf(value), attributeCodeOf(value)], [[...new Set(ids)][i], i % 18]);
  }
  assert.equal(MAX_LINK_VALUE, linkValue(MAX_ID, 17));
  assert.ok(Number.isSafeInteger(MAX_LINK_VALUE));
});

it('a link to a near id takes two bytes and no further memory', () => {
  const list = encodeLinkList(Float64Array.from({ length: 100 }, (_, i) => linkValue(1_000 + 10 * i, 4)));
  assert.equal(list.bytes.length, 3 + 99 * 2);
  assert.equal(list.bytes.buffer.byteLength, list.bytes.length);
});

it('an invalid link value is refused before it is stored', () => {
  for (const value of [0, 17, -1, Number.NaN, MAX_LINK_VALUE + 1, Number.POSITIVE_INFINITY]) {
    assert.throws(() => encodeLinkList([linkValue(3, 0), value]), { code: 'ERR_INTERNAL' }, String(value));
  }
});

it('damaged bytes are a store error', () => {
  const endless = new Uint8Array(20).fill(0xff);
  const cut = encodeLinkList([linkValue(1_000_000, 0)]).bytes.subarray(0, 2);
  const tooLarge = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f);
  for (const bytes of [endless, cut, tooLarge]) assert.throws(() => decode({ bytes, count: 1 }), { code: 'ERR_STORE' });
});
