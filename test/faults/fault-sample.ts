/** Chooses some of many points: every point of a kind of call that is rare, and the others evenly over the run. */
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

/** Points in a row on one folder. The later ones come early in their run, because a run that goes on has less to do. */
export function chainsOf(points: readonly FailingPoint[], length: number): FailingPoint[][] {
  const sorted = points.toSorted((left, right) => right.nth - left.nth);
  const chains = Array.from({ length: Math.ceil(points.length / length) }, (): FailingPoint[] => []);
  for (const [i, point] of sorted.entries()) chains[i % chains.length]!.push(point);
  return chains;
}
