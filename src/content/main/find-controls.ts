/**
 * Finds the parts of a page that readers operate instead of reading: forms to fill in, filters of a listing, and
 * lines of page numbers.
 *
 * Out: 1 for each node of such a part. What always holds: the time is linear, and an element that holds much of the
 * page, its title or items of a listing is no such part.
 */
import type { PageTree } from '../page-tree.ts';
import { BLOCK, HEADING, PAGE } from './element-traits.ts';
import type { PageMeasures } from './measure-page.ts';

/** A part has at most this share of the sentences and of the characters of the page. */
const MOST_SENTENCES = 0.15;
const MOST_CHARS = 0.35;
const LEAST_FIELDS = 2;
/** A filter has so many boxes to tick, and at most so much text for each. */
const LEAST_BOXES = 3;
const MOST_CHARS_FOR_BOX = 60;
/** A line of page numbers has so many links that are numbers, and they are this share of its links. */
const LEAST_NUMBERS = 3;
const LEAST_SHARE_OF_NUMBERS = 0.5;
const MOST_LINE_CHARS = 200;
const MOST_NUMBER_CHARS = 40;
const MOST_NUMBER_NODES = 8;

const FIELDS = new Set(['text', 'email', 'tel', 'password']);

interface Counts {
  readonly fields: Int32Array;
  readonly boxes: Int32Array;
  readonly titles: Int32Array;
  readonly pictures: Int32Array;
  readonly links: Int32Array;
  readonly numbers: Int32Array;
}

export function findControls(
  tree: PageTree,
  page: PageMeasures,
  sums: Float64Array,
  total: number,
  items: readonly number[],
): Uint8Array {
  const { nodes } = tree;
  const controls = new Uint8Array(nodes.length);
  const counts = countControls(tree, page);
  const held = new Int32Array(nodes.length);
  const inItem = new Uint8Array(nodes.length);
  for (const at of items) {
    held[at] = 1;
    inItem.fill(1, at, tree.end(at));
  }
  sumUp(tree, held);
  const whole = nodes.reduce((sum, { parent }, at) => (parent === -1 ? sum + (page.chars[at] as number) : sum), 0);
  for (let at = 0; at < nodes.length; at++) {
    const { parent, name } = nodes[at] as (typeof nodes)[number];
    if (parent >= 0 && controls[parent] === 1) {
      controls[at] = 1;
      continue;
    }
    if (!((page.traits[at] as number) & BLOCK) || (page.traits[at] as number) & PAGE) continue;
    const length = page.chars[at] as number;
    if (length === 0 || held[at] !== 0 || inItem[at] === 1 || counts.titles[at] !== 0) continue;
    if (length > MOST_CHARS * whole || (sums[at] as number) > MOST_SENTENCES * total) continue;
    if (
      (name === 'form' && (counts.fields[at] as number) >= LEAST_FIELDS) ||
      isFilter(counts, at, length) ||
      isPager(counts, at, length)
    ) {
      controls[at] = 1;
    }
  }
  return controls;
}

/** The items of a shop may have boxes to tick too, but they have pictures. */
function isFilter({ boxes, pictures }: Counts, at: number, chars: number): boolean {
  const count = boxes[at] as number;
  return count >= LEAST_BOXES && chars <= MOST_CHARS_FOR_BOX * count && 2 * (pictures[at] as number) < count;
}

function isPager({ numbers, links }: Counts, at: number, chars: number): boolean {
  const count = numbers[at] as number;
  if (count < LEAST_NUMBERS || chars > MOST_LINE_CHARS) return false;
  return count >= LEAST_SHARE_OF_NUMBERS * (links[at] as number);
}

/** Counts what each subtree has to operate. */
function countControls(tree: PageTree, page: PageMeasures): Counts {
  const { nodes } = tree;
  const make = (): Int32Array => new Int32Array(nodes.length);
  const counts = { fields: make(), boxes: make(), titles: make(), pictures: make(), links: make(), numbers: make() };
  for (let at = 0; at < nodes.length; at++) {
    const { name } = nodes[at] as (typeof nodes)[number];
    if (name === 'img') counts.pictures[at] = 1;
    else if (name === 'textarea') counts.fields[at] = 1;
    else if (name === 'input') {
      const type = tree.attribute(at, 'type') ?? 'text';
      if (FIELDS.has(type)) counts.fields[at] = 1;
      if (type === 'checkbox') counts.boxes[at] = 1;
    } else if (name === 'h1' && (page.traits[at] as number) & HEADING) counts.titles[at] = 1;
    else if (name === 'a' && (page.chars[at] as number) > 0) {
      counts.links[at] = 1;
      if (isNumber(tree, at)) counts.numbers[at] = 1;
    }
  }
  for (const each of Object.values(counts)) sumUp(tree, each);
  return counts;
}

/** Says whether the whole text of a link is a number of at most four digits. */
function isNumber(tree: PageTree, link: number): boolean {
  const { nodes } = tree;
  let text = '';
  for (let at = link + 1; at < tree.end(link); at++) {
    if (nodes[at]?.kind === 'text') text += nodes[at]?.text;
    if (text.length > MOST_NUMBER_CHARS || at > link + MOST_NUMBER_NODES) return false;
  }
  return /^\s*\[?\d{1,4}\]?\s*$/.test(text);
}

/** Adds the values of each subtree. */
function sumUp({ nodes }: PageTree, values: Int32Array): void {
  for (let at = nodes.length - 1; at >= 0; at--) {
    const { parent } = nodes[at] as (typeof nodes)[number];
    if (parent >= 0) values[parent] = (values[parent] as number) + (values[at] as number);
  }
}
