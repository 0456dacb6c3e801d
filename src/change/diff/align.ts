/**
 * Aligns the tokens of two texts. In: two lists of token numbers. Out: their common runs, in order.
 *
 * The common beginning and the common end are matched first. Lines are then split at their anchors, and Myers'
 * algorithm compares the parts between anchors. Words go to Myers' algorithm directly, and are split at their anchors
 * only if that costs too much. Parts that still cost too much count as having nothing in common. So the time is
 * bounded, and the worst answer is still correct: everything was replaced.
 */
import { longestRise } from '../longest-rise.ts';
import { type StepBudget, shortestEdit } from './myers.ts';
import { joinRuns, type Run, rangesBetween, type TokenRange } from './run.ts';

/**
 * Between two anchors, further tokens may become unique again. A hostile page could use this to cause endless splits.
 */
const MAX_SPLITS = 4;

export interface AlignWay {
  /** Whether to look for anchors before or after Myers' algorithm. */
  readonly anchorsFirst: boolean;
  readonly budget: StepBudget;
}

/** One call of `alignTokens`. */
interface Alignment {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly way: AlignWay;
  /** The common runs that were found so far, in order. */
  readonly out: Run[];
}

export function alignTokens(a: Int32Array, b: Int32Array, way: AlignWay): Run[] {
  const out: Run[] = [];
  alignRange({ a, b, way, out }, { aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length }, MAX_SPLITS);
  return joinRuns(out);
}

function alignRange(alignment: Alignment, whole: TokenRange, splits: number): void {
  const { a, b, out } = alignment;
  const range = trimEnds(a, b, whole);
  out.push({ a: whole.aFrom, b: whole.bFrom, length: range.aFrom - whole.aFrom });
  if (range.aFrom < range.aTo && range.bFrom < range.bTo) alignMiddle(alignment, range, splits);
  out.push({ a: range.aTo, b: range.bTo, length: whole.aTo - range.aTo });
}

function alignMiddle(alignment: Alignment, range: TokenRange, splits: number): void {
  const { a, b, way, out } = alignment;
  const shortest = way.anchorsFirst ? null : shortestEdit(a, b, range, way.budget);
  if (shortest !== null) {
    out.push(...shortest);
    return;
  }
  const anchors = splits === 0 ? [] : findAnchors(a, b, range);
  if (anchors.length === 0) {
    if (way.anchorsFirst) out.push(...(shortestEdit(a, b, range, way.budget) ?? []));
    return;
  }
  rangesBetween(anchors, range).forEach((between, i) => {
    alignRange(alignment, between, splits - 1);
    if (i < anchors.length) out.push(anchors[i]!);
  });
}

function trimEnds(a: Int32Array, b: Int32Array, range: TokenRange): TokenRange {
  let { aFrom, aTo, bFrom, bTo } = range;
  while (aFrom < aTo && bFrom < bTo && a[aFrom] === b[bFrom]) {
    aFrom++;
    bFrom++;
  }
  while (aFrom < aTo && bFrom < bTo && a[aTo - 1] === b[bTo - 1]) {
    aTo--;
    bTo--;
  }
  return { aFrom, aTo, bFrom, bTo };
}

/**
 * Finds anchors: tokens that occur exactly once in each of the two ranges, as many as have the same order in both (the
 * longest increasing sequence, as in a patience sort). Unlike a brace or "the", a unique token rarely matches by
 * accident, so the parts between two anchors can be compared separately. The cost is n log n, whatever the texts are.
 */
const SEVERAL = -1;

function findAnchors(a: Int32Array, b: Int32Array, { aFrom, aTo, bFrom, bTo }: TokenRange): Run[] {
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
  return longestRise(pairs, ({ b: place }) => place);
}
