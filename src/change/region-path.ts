/**
 * Describes where a node is in a page, in a readable line: `main > article#story > p:3`. The path
 * begins at the nearest landmark. A long path names only the elements with an id and the last two
 * elements; a space stands for omitted elements.
 */
import type { OutlineNode } from '../core/page/page-outline.ts';

const LANDMARKS = new Set(['main', 'nav', 'header', 'footer', 'aside', 'head', 'body']);
const MAX_STEPS = 5;
/** The number of elements at the end of the path that are always named. */
const LAST_STEPS = 2;
const MAX_NAME_CHARS = 40;
/** Limits the search for siblings, so that a path never dominates the cost of a comparison. */
const MAX_SIBLINGS_LOOKED_AT = 20_000;

export function pathOf(nodes: readonly OutlineNode[], place: number): string {
  const way: number[] = [];
  const node = nodes[place] as OutlineNode;
  for (let at = node.kind === 'element' ? place : node.parent; at >= 0; at = (nodes[at] as OutlineNode).parent) {
    way.push(at);
    if (LANDMARKS.has((nodes[at] as OutlineNode).name)) break;
  }
  if (way.length === 0) return 'page';
  way.reverse();
  const isLong = way.length > MAX_STEPS;
  let path = '';
  let skipped = false;
  let named = 0;
  for (const [step, at] of way.entries()) {
    const fromEnd = way.length - step;
    const isNamed = step === 0 || fromEnd <= LAST_STEPS || idOf(nodes[at] as OutlineNode) !== '';
    if (isLong && (!isNamed || (fromEnd > LAST_STEPS && named >= MAX_STEPS - LAST_STEPS))) {
      skipped = true;
      continue;
    }
    path += (step === 0 ? '' : skipped ? ' ' : ' > ') + stepOf(nodes, at);
    skipped = false;
    named++;
  }
  return path;
}

function stepOf(nodes: readonly OutlineNode[], at: number): string {
  const node = nodes[at] as OutlineNode;
  const name = readable(node.name);
  const id = idOf(node);
  if (id !== '') return `${name}#${id}`;
  const place = placeAmongLike(nodes, at);
  return place === 0 ? name : `${name}:${place}`;
}

/** The number of an element among the elements of its name in its parent, from 1. 0 if it is the only one. */
function placeAmongLike(nodes: readonly OutlineNode[], at: number): number {
  const { level, parent, name } = nodes[at] as OutlineNode;
  let before = 0;
  let after = 0;
  const first = Math.max(parent + 1, at - MAX_SIBLINGS_LOOKED_AT);
  for (let other = first; other < at; other++) if (isLike(nodes[other] as OutlineNode, parent, name)) before++;
  const end = Math.min(nodes.length, at + MAX_SIBLINGS_LOOKED_AT);
  for (let other = at + 1; other < end && after === 0; other++) {
    const node = nodes[other] as OutlineNode;
    if (node.level > 0 && node.level < level) break;
    if (isLike(node, parent, name)) after++;
  }
  return before + after === 0 ? 0 : before + 1;
}

function isLike(node: OutlineNode, parent: number, name: string): boolean {
  return node.parent === parent && node.kind === 'element' && node.name === name;
}

function idOf({ attributes }: OutlineNode): string {
  for (let at = 0; at < attributes.length; at += 2)
    if (attributes[at] === 'id') return readable(attributes[at + 1] ?? '');
  return '';
}

/** A page may give its elements any names, so only characters that fit into a line of plain text are shown. */
function readable(name: string): string {
  return name.slice(0, MAX_NAME_CHARS).replace(/[^\p{L}\p{N}_.:-]+/gu, '');
}
