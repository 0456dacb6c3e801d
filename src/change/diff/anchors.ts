/**
 * Tokens that both stretches have exactly once, as many as are in the same order in both (the longest increasing sequence, as
 * in a patience sort). Such a token is hardly there by accident, unlike a brace or "the": what lies between two of them
 * can be compared on its own. Costs n log n, whatever the texts.
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

/** Of pairs that rise in `a`, the most that rise in `b` as well. */
function longestRising(pairs: readonly Run[]): Run[] {
  const before = new Int32Array(pairs.length).fill(-1);
  /** The pair with the lowest `b` that ends a rising sequence of each length. */
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
