/**
 * Which tokens of two texts are the same ones. In: two lists of token numbers. Out: their common runs, in order.
 *
 * What both begin and end with is the same at once. Lines are then split at their anchors, and what lies between is given to
 * Myers; words are given to Myers, and split at their anchors only where that costs too much. What still costs too much has
 * nothing in common. So the time is bounded, and the worst answer is a right one: all of it was replaced.
 */
import { findAnchors } from './anchors.ts';
import { type StepBudget, shortestEdit } from './myers.ts';
import { joinRuns, type Run, rangesBetween, type TokenRange } from './run.ts';

/** A token may be the only one of its kind again between two anchors; a hostile page could go on with that. */
const MAX_SPLITS = 4;

export interface AlignWay {
  /** Whether to look for anchors before Myers, or after. */
  readonly anchorsFirst: boolean;
  readonly budget: StepBudget;
}

export function alignTokens(a: Int32Array, b: Int32Array, way: AlignWay): Run[] {
  const runs: Run[] = [];
  alignRange(a, b, { aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length }, way, MAX_SPLITS, runs);
  return joinRuns(runs);
}

function alignRange(a: Int32Array, b: Int32Array, whole: TokenRange, way: AlignWay, splits: number, out: Run[]): void {
  const range = trimEnds(a, b, whole);
  out.push({ a: whole.aFrom, b: whole.bFrom, length: range.aFrom - whole.aFrom });
  if (range.aFrom < range.aTo && range.bFrom < range.bTo) alignMiddle(a, b, range, way, splits, out);
  out.push({ a: range.aTo, b: range.bTo, length: whole.aTo - range.aTo });
}

function alignMiddle(a: Int32Array, b: Int32Array, range: TokenRange, way: AlignWay, splits: number, out: Run[]): void {
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
    alignRange(a, b, between, way, splits - 1, out);
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
