import { SKETCH_SIZE } from '../../src/change/sketch.ts';

/**
 * Estimates the resemblance of two pages from their sketches alone: the share of common fingerprints, up to the value
 * where both sketches are complete. The estimate is exact if both texts are short.
 */
export function compareSketches(a: Uint32Array, b: Uint32Array): number {
  let shared = 0;
  let all = 0;
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const order = (a[i] as number) - (b[j] as number);
    if (order === 0) shared++;
    if (order <= 0) i++;
    if (order >= 0) j++;
    all++;
  }
  // The rest of one sketch counts only if the other sketch, which has ended, is complete.
  if (a.length < SKETCH_SIZE) all += b.length - j;
  if (b.length < SKETCH_SIZE) all += a.length - i;
  return all === 0 ? 0 : shared / all;
}
