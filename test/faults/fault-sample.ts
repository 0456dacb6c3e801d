/** Chooses a sample of the points: as many of each kind of call as possible, evenly over the run. */
import type { FailingPoint } from './failing-calls.ts';

export function sampleOf(points: readonly FailingPoint[], count: number): FailingPoint[] {
  const kinds = [...Map.groupBy(points, ({ call }) => call).values()].sort((a, b) => a.length - b.length);
  let left = count;
  return kinds.flatMap((ofKind, i) => {
    const wanted = Math.min(ofKind.length, Math.ceil(left / (kinds.length - i)));
    left -= wanted;
    return Array.from({ length: wanted }, (_, n) => ofKind[Math.floor(((n + 0.5) * ofKind.length) / wanted)]!);
  });
}

/**
 * Puts two points on one folder, so that fewer runs are needed to complete a copy: a late point for the first run, then
 * an early point for the run that continues, which has less work left.
 */
export function pairsOf(points: readonly FailingPoint[]): FailingPoint[][] {
  const pairs: FailingPoint[][] = [];
  for (const ofCall of Map.groupBy(points, ({ call }) => call).values()) {
    const sorted = ofCall.toSorted((left, right) => left.nth - right.nth);
    while (sorted.length > 0) pairs.push([sorted.pop()!, ...sorted.splice(0, 1)]);
  }
  return pairs;
}
