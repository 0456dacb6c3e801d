/**
 * Which nodes of one outline are in the other too, in the same order. What is the same at both ends is left aside; of the rest, nodes
 * that stand once in each are anchors, as many as are in order, and grow towards their neighbours.
 *
 * Always: in time n log n, whatever the outlines are. It may find fewer nodes the same than there are, never two that differ.
 */
import type { OutlineNode } from '../core/page-outline.ts';

/** Shorter texts are looked at whether they are more than the white space between two tags. */
const MIN_ANCHOR_CHARS = 40;

/** Nodes of `before` from `beforeStart` up to `beforeEnd` have become those of `after` from `afterStart` up to `afterEnd`. */
export interface Gap {
  readonly beforeStart: number;
  readonly beforeEnd: number;
  readonly afterStart: number;
  readonly afterEnd: number;
}

/** The places where two outlines differ, in order. Comments must have been left out. */
export function findGaps(before: readonly OutlineNode[], after: readonly OutlineNode[]): Gap[] {
  const whole = trim(before, after, {
    beforeStart: 0,
    beforeEnd: before.length,
    afterStart: 0,
    afterEnd: after.length,
  });
  const gaps: Gap[] = [];
  let { beforeStart, afterStart } = whole;
  const add = (beforeEnd: number, afterEnd: number): void => {
    const gap = trim(before, after, { beforeStart, beforeEnd, afterStart, afterEnd });
    const last = gaps.at(-1);
    if (gap.beforeStart < gap.beforeEnd && gap.afterStart < gap.afterEnd) gaps.push(gap);
    else if (gap.beforeStart < gap.beforeEnd) {
      gaps.push(move(gap, slideBack(before, gap.beforeStart, gap.beforeEnd, last?.beforeEnd ?? 0)));
    } else if (gap.afterStart < gap.afterEnd) {
      gaps.push(move(gap, slideBack(after, gap.afterStart, gap.afterEnd, last?.afterEnd ?? 0)));
    }
  };
  for (const [inBefore, inAfter] of findAnchors(before, after, whole)) {
    add(inBefore, inAfter);
    beforeStart = inBefore + 1;
    afterStart = inAfter + 1;
  }
  add(whole.beforeEnd, whole.afterEnd);
  return gaps;
}

/** Without the nodes that are the same at its beginning and at its end. */
function trim(before: readonly OutlineNode[], after: readonly OutlineNode[], gap: Gap): Gap {
  let { beforeStart, beforeEnd, afterStart, afterEnd } = gap;
  while (
    beforeStart < beforeEnd &&
    afterStart < afterEnd &&
    isSame(before[beforeStart] as OutlineNode, after[afterStart] as OutlineNode)
  ) {
    beforeStart++;
    afterStart++;
  }
  while (
    beforeStart < beforeEnd &&
    afterStart < afterEnd &&
    isSame(before[beforeEnd - 1] as OutlineNode, after[afterEnd - 1] as OutlineNode)
  ) {
    beforeEnd--;
    afterEnd--;
  }
  return { beforeStart, beforeEnd, afterStart, afterEnd };
}

/**
 * Of `<p>a<p>b<p>c` without its second paragraph it can be said that `b<p>` went, or `<p>b`. How far back nodes that came or went
 * must be moved to begin with the element that is around the others; 0 where they do, or cannot.
 */
function slideBack(nodes: readonly OutlineNode[], start: number, end: number, first: number): number {
  let outer = Number.POSITIVE_INFINITY;
  for (let at = start; at < end; at++) outer = Math.min(outer, (nodes[at] as OutlineNode).level);
  for (let by = 0; by < end - start && start - by >= first; by++) {
    const { kind, level } = nodes[start - by] as OutlineNode;
    if (kind === 'element' && level === outer) return by;
    const before = start - by - 1;
    if (before < first || !isSame(nodes[before] as OutlineNode, nodes[end - by - 1] as OutlineNode)) return 0;
  }
  return 0;
}

function move({ beforeStart, beforeEnd, afterStart, afterEnd }: Gap, by: number): Gap {
  return {
    beforeStart: beforeStart - by,
    beforeEnd: beforeEnd - by,
    afterStart: afterStart - by,
    afterEnd: afterEnd - by,
  };
}

function findAnchors(
  before: readonly OutlineNode[],
  after: readonly OutlineNode[],
  { beforeStart, beforeEnd, afterStart, afterEnd }: Gap,
): [number, number][] {
  if (beforeStart === beforeEnd || afterStart === afterEnd) return [];
  const inBefore = findUnique(before, beforeStart, beforeEnd);
  const inAfter = findUnique(after, afterStart, afterEnd);
  const pairs: [number, number][] = [];
  for (const [key, at] of inBefore) {
    const other = inAfter.get(key) ?? -1;
    if (at >= 0 && other >= 0 && isSame(before[at] as OutlineNode, after[other] as OutlineNode))
      pairs.push([at, other]);
  }
  return longestRise(pairs);
}

/** The place of each node by its content; -1 for one that stands there more than once. */
function findUnique(nodes: readonly OutlineNode[], start: number, end: number): Map<string, number> {
  const places = new Map<string, number>();
  for (let at = start; at < end; at++) {
    const key = keyOf(nodes[at] as OutlineNode);
    if (key !== '') places.set(key, places.has(key) ? -1 : at);
  }
  return places;
}

/** What a node is told by; '' for what stands on every page many times. Two nodes of one key need not be the same. */
function keyOf({ kind, name, attributes, text }: OutlineNode): string {
  if (kind === 'element') return attributes.length === 0 ? '' : `${name} ${attributes.join(' ')}`;
  return text.length < MIN_ANCHOR_CHARS && text.trim() === '' ? '' : text;
}

/** Of pairs whose first places rise, the most whose second places rise too. */
function longestRise(pairs: readonly [number, number][]): [number, number][] {
  /** Of the rises of each length, the pair at which the lowest one ends. */
  const ends: number[] = [];
  const previous = new Int32Array(pairs.length);
  for (const [at, [, place]] of pairs.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] as number] as [number, number])[1] < place) low = middle + 1;
      else high = middle;
    }
    previous[at] = low === 0 ? -1 : (ends[low - 1] as number);
    ends[low] = at;
  }
  const rise: [number, number][] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] as number) rise.push(pairs[at] as [number, number]);
  return rise.reverse();
}

export function isSame(one: OutlineNode, other: OutlineNode): boolean {
  return isAlike(one, other) && one.text === other.text && sameAttributes(one.attributes, other.attributes);
}

/** The same kind of node on the same level, whatever its text and attributes are. */
export function isAlike(one: OutlineNode, other: OutlineNode): boolean {
  return one.kind === other.kind && one.level === other.level && one.name === other.name;
}

function sameAttributes(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}
