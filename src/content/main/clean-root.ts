/**
 * Decides which nodes inside the root of the main content are kept. In an article it also removes lists of links, lines
 * that are one link, labels such as "Share this", and headings that have lost their text.
 *
 * The root may be the whole page. What always holds: the ancestors of a kept node, up to the root, are kept.
 */
import type { PageTree } from '../page-tree.ts';
import { BOX, CELL, HEADING, ITEM, LIST, PARAGRAPH, TABLE } from './element-traits.ts';
import { isLabel, MOST_LABEL_CHARS } from './label-phrases.ts';
import type { PageMeasures } from './measure-page.ts';
import { findTitle } from './resolve-roles.ts';
import { CONTENT } from './roles.ts';

/** An element with a larger share of links is a list of links. */
const LINK_LIST = 0.5;
/** A line with a larger share of links leads to another page. */
const LINK_LINE = 0.9;

/** If a larger share of the text is before the title of a product, it is not only beside it. */
const MOST_BEFORE_TITLE = 0.6;

export function cleanRoot(
  tree: PageTree,
  page: PageMeasures,
  roles: Uint8Array,
  root: number,
  isArticle: boolean,
): Uint8Array {
  const { nodes } = tree;
  const kept = new Uint8Array(nodes.length);
  const first = Math.max(0, root);
  const end = root < 0 ? nodes.length : tree.end(root);
  for (let at = first; at < end; at++) {
    if ((nodes[at] as (typeof nodes)[number]).level === 0) continue;
    const isDropped = page.skipped[at] === 1 || roles[at] !== CONTENT || (isArticle && isLinkList(page, at));
    if (isDropped && at > root) at = tree.end(at) - 1;
    else kept[at] = 1;
  }
  const blocks: number[] = [];
  for (let at = first; at < end; at++) {
    if (kept[at] === 0 || (page.ownChars[at] as number) === 0) continue;
    // Tables and lists of properties repeat their labels on all pages of the host.
    const isProperty = !isArticle && (page.traits[at] as number) & (CELL | ITEM);
    if ((page.isTemplate[at] === 1 && !isProperty) || (isArticle && isBesideArticle(tree, page, at)))
      dropBlock(tree, page, kept, at);
    else blocks.push(at);
  }
  if (isArticle) dropLastHeadings(tree, page, kept, blocks);
  return kept;
}

/** Drops what stands before the title of a product: the way to its category, and hints about its pictures. */
export function dropBeforeTitle(tree: PageTree, page: PageMeasures, kept: Uint8Array): void {
  const title = findTitle(tree, page);
  if (title < 0 || kept[title] === 0) return;
  let before = 0;
  let all = 0;
  for (let at = 0; at < kept.length; at++) {
    if (kept[at] === 0) continue;
    all += page.ownChars[at] as number;
    if (at < title) before += page.ownChars[at] as number;
  }
  if (before > MOST_BEFORE_TITLE * all) return;
  for (let at = 0; at < title; at++) if (tree.nodes[at]?.kind === 'text') kept[at] = 0;
}

function isLinkList(page: PageMeasures, at: number): boolean {
  if (!((page.traits[at] as number) & (BOX | LIST | TABLE))) return false;
  return (page.linkChars[at] as number) > LINK_LIST * (page.chars[at] as number);
}

function isBesideArticle(tree: PageTree, page: PageMeasures, block: number): boolean {
  const length = page.ownChars[block] as number;
  const isLine = (page.traits[block] as number) & (PARAGRAPH | HEADING | BOX);
  if (isLine && (page.ownLinkChars[block] as number) > LINK_LINE * length) return true;
  return length <= MOST_LABEL_CHARS && isLabel(readOwnText(tree, page, block));
}

/** Drops the headings at the end, whose text was dropped. */
function dropLastHeadings(tree: PageTree, page: PageMeasures, kept: Uint8Array, blocks: number[]): void {
  while (blocks.length > 1 && (page.traits[blocks.at(-1) as number] as number) & HEADING) {
    dropBlock(tree, page, kept, blocks.pop() as number);
  }
}

/** The text of a block without the blocks inside it, up to a little more than the length of a label. */
function readOwnText(tree: PageTree, page: PageMeasures, block: number): string {
  const end = tree.end(block);
  let text = '';
  for (let at = block + 1; at < end && text.length < 4 * MOST_LABEL_CHARS; at++) {
    if (page.owner[at] !== block) at = Math.max(at, tree.end(at) - 1);
    else if (tree.nodes[at]?.kind === 'text' && page.skipped[at] === 0) text += tree.nodes[at]?.text;
  }
  return text;
}

/** Drops the own text of a block, and the block itself if no other block is inside it. */
function dropBlock(tree: PageTree, page: PageMeasures, kept: Uint8Array, block: number): void {
  const isWhole = page.chars[block] === page.ownChars[block];
  const end = tree.end(block);
  if (isWhole) kept.fill(0, block, end);
  else {
    for (let at = block + 1; at < end; at++) {
      if (page.owner[at] !== block) at = Math.max(at, tree.end(at) - 1);
      else if (tree.nodes[at]?.kind === 'text') kept[at] = 0;
    }
  }
}
