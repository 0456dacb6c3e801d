/** Chooses a sample of the points: every point of a rare kind of call, and the other points evenly over the run. */
import type { FailingPoint } from './failing-calls.ts';

const RARE = 8;

export function sampleOf(points: readonly FailingPoint[], count: number): FailingPoint[] {
  const byCall = Map.groupBy(points, ({ call }) => call);
  const rare = points.filter(({ call }) => byCall.get(call)!.length <= RARE);
  const common = points.filter(({ call }) => byCall.get(call)!.length > RARE);
  const wanted = Math.max(0, Math.min(count - rare.length, common.length));
  const chosen = Array.from({ length: wanted }, (_, i) => common[Math.floor(((i + 0.5) * common.length) / wanted)]!);
  return [...rare, ...chosen];
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
