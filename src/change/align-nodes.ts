/**
 * Aligns two outlines: finds the nodes that both have in the same order. Equal nodes at both ends are set aside first.
 * In the rest, nodes that occur exactly once in each outline become anchors, as many as are in the same order. Equal
 * neighbours of an anchor are matched too.
 *
 * What always holds: the time is n log n, whatever the outlines are. The alignment may miss equal
 * nodes, but it never matches nodes that differ.
 */

import type { OutlineNode } from '../core/page/page-outline.ts';
import { longestRise } from './longest-rise.ts';

/** Only texts shorter than this are checked for being mere white space between two tags. */
const MIN_ANCHOR_CHARS = 40;

/**
 * The nodes of `before` from `beforeStart` up to `beforeEnd` became the nodes
 * of `after` from `afterStart` up to `afterEnd`.
 */
export interface Gap {
  readonly beforeStart: number;
  readonly beforeEnd: number;
  readonly afterStart: number;
  readonly afterEnd: number;
}

/** The gaps in which two outlines differ, in order. The caller must have removed comments. */
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

/** Removes the equal nodes at the beginning and at the end of a gap. */
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
 * Returns how many nodes a gap with only added or only removed nodes must move back, so that it begins with its
 * outermost element. If `<p>a<p>b<p>c` loses its second paragraph, the removed part could be `b<p>` or `<p>b`. Returns
 * 0 if the gap begins with that element already, or cannot be moved there.
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
  return longestRise(pairs, (pair) => pair[1]);
}

/** Maps the content of each node to its index, or to -1 if the content occurs more than once. */
function findUnique(nodes: readonly OutlineNode[], start: number, end: number): Map<string, number> {
  const places = new Map<string, number>();
  for (let at = start; at < end; at++) {
    const key = keyOf(nodes[at] as OutlineNode);
    if (key !== '') places.set(key, places.has(key) ? -1 : at);
  }
  return places;
}

/**
 * The key of a node for finding anchors. '' for content that occurs many times on every
 * page. Two different nodes may have the same key.
 */
function keyOf({ kind, name, attributes, text }: OutlineNode): string {
  if (kind === 'element') return attributes.length === 0 ? '' : `${name} ${attributes.join(' ')}`;
  return text.length < MIN_ANCHOR_CHARS && text.trim() === '' ? '' : text;
}

export function isSame(one: OutlineNode, other: OutlineNode): boolean {
  return isAlike(one, other) && one.text === other.text && sameAttributes(one.attributes, other.attributes);
}

/** Whether two nodes have the same kind, level and name. Text and attributes may differ. */
export function isAlike(one: OutlineNode, other: OutlineNode): boolean {
  return one.kind === other.kind && one.level === other.level && one.name === other.name;
}

function sameAttributes(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}
