import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  determinant,
  IMAGE_SIDES,
  type ImageSide,
  imageCode,
  packPixels,
} from '../../../src/change/codes/image-code.ts';
import { randomNumbers } from '../../page/random-html.ts';

/** A pixel is light if its bit is 1. Half of all bits must be 1, so that the mean lies between dark and light. */
function imageOf(numbers: readonly number[]): Uint8Array {
  return Uint8Array.from(
    numbers.flatMap((number) => Array.from({ length: 16 }, (_, bit) => ((number >> (15 - bit)) & 1) * 200)),
  );
}

/** Uses the Leibniz formula, which works without elimination. */
function slowDeterminant(rows: readonly (readonly bigint[])[]): bigint {
  if (rows.length === 0) return 1n;
  let sum = 0n;
  for (const [at, value] of rows[0]!.entries()) {
    const minor = rows.slice(1).map((row) => row.filter((_, column) => column !== at));
    sum += (at % 2 === 0 ? 1n : -1n) * value * slowDeterminant(minor);
  }
  return sum;
}

describe('P12 the image code', () => {
  test('P12 sixteen pixels of a row are one number, the first the highest bit', () => {
    const numbers = [0xffff, 0x0001, 0x8000, 0xa5a5, ...new Array(12).fill(0x00ff)];
    assert.deepEqual(packPixels(imageOf(numbers)), numbers.map(BigInt));
  });

  test('P12 at n = 16 the numbers of the rows fold to 4 × 4', () => {
    const random = randomNumbers(3);
    for (let round = 0; round < 50; round++) {
      const numbers = Array.from({ length: 16 }, () => Math.floor(random() * 65536));
      const rows = [0, 4, 8, 12].map((at) => numbers.slice(at, at + 4).map(BigInt));
      assert.equal(imageCode(imageOf(numbers), 16), slowDeterminant(rows));
    }
  });

  test('P12 at n = 32 and 64 they fold to 8 × 8 and 16 × 16; the determinant is exact', () => {
    for (const side of IMAGE_SIDES) {
      const width = side / 4;
      // The matrix is triangular, so its determinant is the product of its diagonal.
      const numbers = Array.from({ length: width * width }, (_, at) =>
        at % width > Math.floor(at / width) ? 0 : at % width === Math.floor(at / width) ? 0xfff1 : 0x0ff0,
      );
      assert.equal(imageCode(imageOf(numbers), side), 0xfff1n ** BigInt(width));
    }
  });

  test('P12 the elimination agrees with the definition, swaps and zeros included', () => {
    const random = randomNumbers(4);
    for (let round = 0; round < 200; round++) {
      const width = 1 + Math.floor(random() * 6);
      const rows = Array.from({ length: width }, () =>
        Array.from({ length: width }, () => (random() < 0.4 ? 0n : BigInt(Math.floor(random() * 65536)))),
      );
      assert.equal(determinant(rows.map((row) => [...row])), slowDeterminant(rows));
    }
  });

  test('P12 different images may have equal codes', () => {
    const blank = new Uint8Array(256).fill(10);
    const striped = Uint8Array.from({ length: 256 }, (_, at) => (at % 2) * 255);
    assert.equal(imageCode(blank, 16), 0n);
    assert.equal(imageCode(striped, 16), 0n);
  });

  test('P12 an array of another size has no code', () => {
    assert.equal(imageCode(new Uint8Array(255), 16), null);
    assert.equal(imageCode(new Uint8Array(64), 8 as ImageSide), null);
  });
});
