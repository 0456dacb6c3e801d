/**
 * Finds anchors: tokens that occur exactly once in each of the two ranges, as many as have the same order in both (the
 * longest increasing sequence, as in a patience sort). Unlike a brace or "the", a unique token rarely matches by
 * accident, so the parts between two anchors can be compared separately. The cost is n log n, whatever the texts are.
 */
import type { Run, TokenRange } from './run.ts';

const SEVERAL = -1;

export function findAnchors(a: Int32Array, b: Int32Array, { aFrom, aTo, bFrom, bTo }: TokenRange): Run[] {
  const placesInB = new Map<number, number>();
  for (let i = bFrom; i < bTo; i++) placesInB.set(b[i]!, placesInB.has(b[i]!) ? SEVERAL : i);
  const placesInA = new Map<number, number>();
  for (let i = aFrom; i < aTo; i++) {
    if (placesInB.has(a[i]!)) placesInA.set(a[i]!, placesInA.has(a[i]!) ? SEVERAL : i);
  }
  const pairs: Run[] = [];
  for (const [id, place] of placesInA) {
    const other = placesInB.get(id)!;
    if (place !== SEVERAL && other !== SEVERAL) pairs.push({ a: place, b: other, length: 1 });
  }
  return longestRising(pairs);
}

/** From pairs that rise in `a`, returns the longest sequence that rises in `b` too. */
function longestRising(pairs: readonly Run[]): Run[] {
  const before = new Int32Array(pairs.length).fill(-1);
  /** For each length, the pair with the lowest `b` that ends a rising sequence of this length. */
  const lowest: number[] = [];
  pairs.forEach(({ b }, pair) => {
    let low = 0;
    let high = lowest.length;
    while (low < high) {
      const half = (low + high) >> 1;
      if (pairs[lowest[half]!]!.b < b) low = half + 1;
      else high = half;
    }
    if (low > 0) before[pair] = lowest[low - 1]!;
    lowest[low] = pair;
  });
  const rising: Run[] = [];
  for (let pair = lowest.at(-1) ?? -1; pair >= 0; pair = before[pair]!) rising.push(pairs[pair]!);
  return rising.reverse();
}
