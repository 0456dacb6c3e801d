import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  ATTRIBUTE_CODES,
  DISTANCES,
  decodeAttributes,
  encodeAttributes,
  LINK_WEIGHTS,
  PLAINEST_CODE,
  POSITIONS,
  VISIBILITIES,
} from '../../src/graph/link-attributes.ts';

it('E6 visibility, position and distance are encoded as one of 18 codes and decoded again', () => {
  const codes = new Set<number>();
  for (const visibility of VISIBILITIES) {
    for (const position of POSITIONS) {
      for (const distance of DISTANCES) {
        const code = encodeAttributes({ visibility, position, distance });
        assert.ok(Number.isInteger(code) && code >= 0 && code < ATTRIBUTE_CODES, String(code));
        assert.deepEqual(decodeAttributes(code), { visibility, position, distance });
        assert.equal(LINK_WEIGHTS[code], visibility * position * distance);
        codes.add(code);
      }
    }
  }
  assert.equal(codes.size, ATTRIBUTE_CODES);
  assert.equal(LINK_WEIGHTS.length, ATTRIBUTE_CODES);
});

it('E6 codes are stored on disk and never change', () => {
  assert.equal(encodeAttributes({ visibility: 1, position: 1, distance: 1 }), PLAINEST_CODE);
  assert.equal(encodeAttributes({ visibility: 1, position: 1, distance: 5 }), 1);
  assert.equal(encodeAttributes({ visibility: 1, position: 3, distance: 1 }), 4);
  assert.equal(encodeAttributes({ visibility: 2, position: 1, distance: 5 }), 7);
  assert.equal(encodeAttributes({ visibility: 3, position: 3, distance: 5 }), 17);
});

it('a code that does not exist is refused', () => {
  for (const code of [-1, ATTRIBUTE_CODES, 0.5, Number.NaN]) assert.throws(() => decodeAttributes(code), RangeError);
});
