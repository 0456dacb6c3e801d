/**
 * Finds the shortest edit by Myers' greedy algorithm ("An O(ND) Difference Algorithm and Its Variations",
 * 1986), within a budget. In: two ranges of token numbers, neither empty. Out: their common runs in
 * order, or null if finding them costs too much.
 *
 * What always holds: there are at most MAX_EDITS edits and the steps of the budget. So neither the time nor the memory
 * grows with the square of a hostile page. (The furthest point of each round is kept to walk back, four bytes each.)
 */
import type { Run, TokenRange } from './run.ts';

/** With more edits, the part between two anchors is a new text. At this limit, the kept rounds take 4 MB. */
const MAX_EDITS = 1_400;
/** One call leaves some of the budget for later calls. */
const MAX_STEPS_PER_CALL = 2_000_000;
/** The budget of a whole diff. */
const MAX_STEPS = 8_000_000;

export class StepBudget {
  left = MAX_STEPS;
}

export function shortestEdit(a: Int32Array, b: Int32Array, range: TokenRange, budget: StepBudget): Run[] | null {
  const { aFrom, bFrom } = range;
  const aCount = range.aTo - aFrom;
  const bCount = range.bTo - bFrom;
  const maxEdits = Math.min(aCount + bCount, MAX_EDITS);
  // No path has fewer edits than the difference of the lengths, so a hopeless search is not started.
  if (Math.abs(aCount - bCount) > maxEdits) return null;
  const reach = new Int32Array(2 * maxEdits + 3).fill(-1);
  const middle = maxEdits + 1;
  reach[middle + 1] = 0;
  const rounds = new Rounds();
  const stepsBefore = budget.left;
  const stepsAtLeast = Math.max(0, stepsBefore - MAX_STEPS_PER_CALL);
  for (let edits = 0; edits <= maxEdits; edits++) {
    const lowest = edits <= bCount ? -edits : -bCount + ((edits - bCount) & 1);
    const highest = edits <= aCount ? edits : aCount - ((edits - aCount) & 1);
    for (let diagonal = lowest; diagonal <= highest; diagonal += 2) {
      const at = middle + diagonal;
      const isDown = diagonal === -edits || (diagonal !== edits && reach[at - 1]! < reach[at + 1]!);
      const start = isDown ? reach[at + 1]! : reach[at - 1]! + 1;
      let x = start;
      while (x < aCount && x - diagonal < bCount && a[aFrom + x] === b[bFrom + x - diagonal]) x++;
      reach[at] = x;
      budget.left -= 1 + x - start;
      if (x >= aCount && x - diagonal >= bCount) return walkBack(rounds, edits, range);
    }
    if (budget.left < stepsAtLeast) return null;
    rounds.keep(reach, middle, edits);
  }
  return null;
}

/** The furthest point of each round. Round n has the diagonals -n, -n + 2 … n. */
class Rounds {
  #kept = new Int32Array(64);

  keep(reach: Int32Array, middle: number, edits: number): void {
    const from = (edits * (edits + 1)) / 2;
    if (from + edits + 1 > this.#kept.length) {
      const larger = new Int32Array(2 * (from + edits + 1));
      larger.set(this.#kept);
      this.#kept = larger;
    }
    for (let i = 0; i <= edits; i++) this.#kept[from + i] = reach[middle - edits + 2 * i]!;
  }

  reachOf(edits: number, diagonal: number): number {
    return this.#kept[(edits * (edits + 1)) / 2 + (diagonal + edits) / 2]!;
  }
}

function walkBack(rounds: Rounds, edits: number, { aFrom, aTo, bFrom, bTo }: TokenRange): Run[] {
  const runs: Run[] = [];
  let x = aTo - aFrom;
  let y = bTo - bFrom;
  const note = (fromX: number) => {
    const length = x - fromX;
    if (length > 0) runs.push({ a: aFrom + fromX, b: bFrom + y - length, length });
  };
  for (let round = edits; round > 0; round--) {
    const diagonal = x - y;
    const isDown =
      diagonal === -round ||
      (diagonal !== round && rounds.reachOf(round - 1, diagonal - 1) < rounds.reachOf(round - 1, diagonal + 1));
    const cameFrom = isDown ? diagonal + 1 : diagonal - 1;
    const reached = rounds.reachOf(round - 1, cameFrom);
    note(isDown ? reached : reached + 1);
    x = reached;
    y = reached - cameFrom;
  }
  note(0);
  return runs.reverse();
}
