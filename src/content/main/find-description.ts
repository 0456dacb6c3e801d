/**
 * Finds the description of a product on its page with the help of structured data, microdata and `<meta>`, which repeat
 * it. Many shops put it into a panel that opens, whose name says that it is beside the content.
 *
 * Out: the elements around each block that begins like a part of a stated description. What always holds: the time is
 * linear, because the beginnings of blocks are looked up in a set.
 */
import type { PageTree } from '../page-tree.ts';
import { PAGE } from './element-traits.ts';
import type { PageMeasures } from './measure-page.ts';
import { findTitle } from './resolve-roles.ts';

/** So many letters at the beginning of a block must be those of a description. */
const BEGINNING = 32;
const TITLE_BEGINNING = 20;
/** Only so much of a description and of the structured data is read. */
const MAX_DESCRIPTION_CHARS = 20_000;
const MAX_DATA_CHARS = 200_000;
const MAX_VALUES = 20_000;
const MOST_BEGINNINGS = 50_000;
const META = new Set(['description', 'og:description', 'twitter:description']);

export function findDescription(tree: PageTree, page: PageMeasures): ReadonlySet<number> {
  const { nodes } = tree;
  const around = new Set<number>();
  const known = new Set<string>();
  for (const text of statedDescriptions(tree)) addBeginnings(known, text);
  const heading = findTitle(tree, page);
  const title = heading < 0 ? '' : beginningOf(tree, page, heading);
  for (let at = 0; at < nodes.length; at++) {
    const isMarked = nodes[at]?.attributes.includes('itemprop') && tree.attribute(at, 'itemprop') === 'description';
    const isText = (page.weight[at] as number) > 0 && !((page.traits[at] as number) & PAGE);
    if (page.skipped[at] === 1 || !(isMarked || (isText && isKnown(known, beginningOf(tree, page, at), title))))
      continue;
    for (let above = at; above >= 0 && !around.has(above); above = nodes[above]?.parent ?? -1) around.add(above);
  }
  return around;
}

/** A line that begins with the name of the product is no description of it. */
function isKnown(known: ReadonlySet<string>, beginning: string, title: string): boolean {
  return known.has(beginning) && (title === '' || !beginning.startsWith(title.slice(0, TITLE_BEGINNING)));
}

/** Returns the description of the product that the page states. */
function statedDescriptions(tree: PageTree): string[] {
  const { nodes } = tree;
  const found: string[] = [];
  for (let at = 0; at < nodes.length; at++) {
    const { name, attributes } = nodes[at] as (typeof nodes)[number];
    if (name === 'meta' && META.has(tree.attribute(at, 'property') ?? tree.attribute(at, 'name') ?? ''))
      found.push(tree.attribute(at, 'content') ?? '');
    else if (name === 'script' && attributes.includes('application/ld+json') && nodes[at + 1]?.parent === at)
      found.push(...descriptionsIn(nodes[at + 1]?.text ?? ''));
  }
  return found;
}

/** The values of all fields `description` of structured data. Data with an error has none. */
function descriptionsIn(data: string): string[] {
  if (data.length > MAX_DATA_CHARS || !data.includes('"Product')) return [];
  const open: unknown[] = [];
  try {
    open.push(JSON.parse(data));
  } catch {
    return [];
  }
  const found: string[] = [];
  for (let read = 0; open.length > 0 && read < MAX_VALUES; read++) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inside] of Object.entries(value)) {
      if (key === 'description' && typeof inside === 'string') found.push(inside);
      else if (typeof inside === 'object') open.push(inside);
    }
  }
  return found;
}

/** Adds each part of a description that may be the beginning of a block. */
function addBeginnings(known: Set<string>, text: string): void {
  const plain = text.slice(0, MAX_DESCRIPTION_CHARS).replace(/<[^<>]{0,200}>/g, ' ');
  const letters = lettersOf(plain.replace(/&#?\w{1,10};/g, ' '));
  for (let at = 0; at + BEGINNING <= letters.length && known.size < MOST_BEGINNINGS; at++)
    known.add(letters.slice(at, at + BEGINNING));
}

/** The first letters of the own text of a block. */
function beginningOf(tree: PageTree, page: PageMeasures, block: number): string {
  let letters = '';
  for (let at = block + 1; at < tree.end(block) && letters.length < BEGINNING; at++) {
    if (page.owner[at] !== block) break;
    if (tree.nodes[at]?.kind === 'text') letters += lettersOf(tree.nodes[at]?.text.slice(0, 8 * BEGINNING) ?? '');
  }
  return letters.slice(0, BEGINNING);
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}
