/**
 * Finds teasers: boxes with a linked heading and at most a few lines of text, at least three of them side by side. On
 * the page of an article they lead to other articles. On a listing they are the content.
 */
import type { PageTree } from '../page-tree.ts';
import { HEADING, PAGE } from './element-traits.ts';
import type { PageMeasures } from './measure-page.ts';

/** A box with more text than this is no teaser. */
const MOST_CHARS = 700;
const LEAST_HEADING_CHARS = 12;
const LEAST_SIDE_BY_SIDE = 3;
const MOST_LEVELS = 8;

/** Returns the boxes, each once. */
export function findTeasers(tree: PageTree, page: PageMeasures): number[] {
  const { nodes } = tree;
  const { traits, ownChars, ownLinkChars, chars } = page;
  const headings: number[] = [];
  for (let at = 0; at < nodes.length; at++) {
    if (!((traits[at] as number) & HEADING)) continue;
    const length = ownChars[at] as number;
    if (length >= LEAST_HEADING_CHARS && (ownLinkChars[at] as number) > 0.8 * length) headings.push(at);
  }
  if (headings.length < LEAST_SIDE_BY_SIDE) return [];
  const boxes = new Map<number, number[]>();
  for (const [index, heading] of headings.entries()) {
    const next = headings[index + 1] ?? nodes.length;
    const previous = headings[index - 1] ?? -1;
    let box = heading;
    for (let level = 0; level < MOST_LEVELS; level++) {
      const { parent } = nodes[box] as (typeof nodes)[number];
      if (parent <= previous || parent < 0 || (traits[parent] as number) & PAGE) break;
      if (tree.end(parent) > next || (chars[parent] as number) > MOST_CHARS) break;
      box = parent;
    }
    if (box === heading) continue;
    const { parent } = nodes[box] as (typeof nodes)[number];
    const beside = boxes.get(parent);
    if (beside === undefined) boxes.set(parent, [box]);
    else beside.push(box);
  }
  return [...boxes.values()].filter((beside) => beside.length >= LEAST_SIDE_BY_SIDE).flat();
}
