/**
 * Finds the parts of the page of a product that are about buying: sections about delivery, payment, returns and other
 * products, windows that open over the page, and buttons. They are known by what they say, because many have no
 * telling name.
 *
 * In: the measures of the page. Out: 1 for each node of such a part. What always holds: the title of the product and
 * its reviews are in no such part, and neither is an element with much of the page's sentences.
 */
import type { PageTree } from '../page-tree.ts';
import { BLOCK, CELL, HEADING, PAGE } from './element-traits.ts';
import type { PageMeasures } from './measure-page.ts';
import { PRICE } from './name-words.ts';
import { findTitle } from './resolve-roles.ts';
import { countSalesWords, isSalesHeading } from './sales-phrases.ts';

/** A part has at most this share of the sentences and of the characters of the page. */
const MOST_SENTENCES = 0.4;
const MOST_CHARS = 0.5;
const MAX_NAME_CHARS = 300;
/** A line with one word about buying has at most so many words. */
const MOST_LINE_WORDS = 9;
/** A text has so many words about buying, and at most so many other words for each. */
const LEAST_SALES_WORDS = 2;
const MOST_WORDS_FOR_EACH = 13;
const MOST_TEXT_CHARS = 900;
const MOST_LABEL_CHARS = 80;
const MOST_BUTTON_CHARS = 40;
const MOST_NODES_IN_LABEL = 30;
/** The levels of headings. */
const LEVELS = 6;
const MOST_LEVELS_TO_PRICE = 2;

const WINDOW = /(?:^|[\s_-])(?:modal|popup|pop-up|lightbox|drawer|offcanvas|off-canvas|dialog)(?:$|[\s_-])/i;
/** A window with such a name shows more about the product. */
const ABOUT_PRODUCT = /detail|descri|spec|feature|information|ingredient|review/i;
const BUTTON = /(?:^|[\s_-])(?:btn|button|cta)(?:$|[\s_-])/i;
const REVIEW = /review|rating|testimonial|comment|bewertung|opinion|recension|recensioni|\bavis\b/i;
const LABEL = /title|heading|header|label|toggle|accordion|tab/i;

export function findSalesParts(tree: PageTree, page: PageMeasures, sums: Float64Array, total: number): Uint8Array {
  const { nodes } = tree;
  const parts = new Uint8Array(nodes.length);
  const title = findTitle(tree, page);
  const whole = nodes.reduce((sum, { parent }, at) => (parent === -1 ? sum + (page.chars[at] as number) : sum), 0);
  const mark = (at: number): void => {
    const holdsTitle = at <= title && title < tree.end(at);
    if (holdsTitle || (sums[at] as number) > MOST_SENTENCES * total) return;
    if ((page.traits[at] as number) & PAGE || (page.chars[at] as number) > MOST_CHARS * whole) return;
    parts.fill(1, at, tree.end(at));
  };
  const inReview = markNamed(tree, REVIEW);
  const targets = findTargets(tree, page);
  const places = findPlaces(tree, page);
  for (let at = 0; at < nodes.length; at++) {
    const { kind, attributes } = nodes[at] as (typeof nodes)[number];
    if (kind !== 'element' || parts[at] === 1) continue;
    if (attributes.length > 0) {
      const names = namesOf(tree, at);
      const isLabel = page.chars[at] === page.ownChars[at] && (page.chars[at] as number) <= MOST_BUTTON_CHARS;
      const isButton = isLabel && BUTTON.test(names);
      if ((WINDOW.test(names) && !ABOUT_PRODUCT.test(names)) || isButton) mark(at);
      else if (targets.has(tree.attribute(at, 'id') ?? '')) mark(at);
    }
    if (parts[at] === 1 || inReview[at] === 1 || page.skipped[at] === 1) continue;
    const length = page.ownChars[at] as number;
    if (length === 0 || length > MOST_TEXT_CHARS) continue;
    const text = ownText(tree, page, at);
    if (isHeading(tree, page, at) && isSalesHeading(text)) {
      for (const part of partsOf(tree, page, places, at)) mark(part);
    }
    const isLine = length === page.chars[at] && !((page.traits[at] as number) & CELL);
    if (isLine && isSalesText(text) && !isOfPrice(tree, page, at)) mark(at);
  }
  return parts;
}

/** Says whether a text is mostly about buying. */
function isSalesText(text: string): boolean {
  const { words, sales } = countSalesWords(text);
  if (sales === 0) return false;
  return words <= MOST_LINE_WORDS || (sales >= LEAST_SALES_WORDS && words <= MOST_WORDS_FOR_EACH * sales);
}

/** A line beside a price, such as "plus shipping", belongs to the price. */
function isOfPrice({ nodes }: PageTree, { hints }: PageMeasures, at: number): boolean {
  let above = at;
  for (let level = 0; above >= 0 && level <= MOST_LEVELS_TO_PRICE; level++) {
    if ((hints[above] as number) & PRICE) return true;
    above = nodes[above]?.parent ?? -1;
  }
  return false;
}

/** The elements that links, tabs and buttons with such a text lead to. */
function findTargets(tree: PageTree, page: PageMeasures): Set<string> {
  const targets = new Set<string>();
  for (let at = 0; at < tree.nodes.length; at++) {
    const { name, attributes } = tree.nodes[at] as (typeof tree.nodes)[number];
    if (attributes.length === 0 || (page.chars[at] as number) > MOST_LABEL_CHARS) continue;
    if (name !== 'a' && name !== 'button' && !attributes.includes('aria-controls')) continue;
    const href = tree.attribute(at, 'href') ?? tree.attribute(at, 'data-target') ?? '';
    const target = tree.attribute(at, 'aria-controls') ?? (href.startsWith('#') ? href.slice(1) : '');
    if (target !== '' && isSalesHeading(textOf(tree, at))) targets.add(target);
  }
  targets.delete('');
  return targets;
}

function isHeading(tree: PageTree, page: PageMeasures, at: number): boolean {
  if ((page.traits[at] as number) & HEADING) return true;
  if (tree.nodes[at]?.name === 'summary') return true;
  if ((page.traits[at] as number) & CELL) return false;
  return (page.ownChars[at] as number) <= MOST_LABEL_CHARS && LABEL.test(namesOf(tree, at));
}

/** Where texts and headings are, so that the time stays linear. */
interface Places {
  /** How many texts are before each node. */
  readonly texts: Int32Array;
  /** For each level, the first heading of this or a higher level from each node on. */
  readonly headings: readonly Int32Array[];
}

function findPlaces(tree: PageTree, page: PageMeasures): Places {
  const count = tree.nodes.length;
  const texts = new Int32Array(count + 1);
  const headings = Array.from({ length: LEVELS + 1 }, () => new Int32Array(count + 1).fill(count));
  for (let at = 0; at < count; at++) {
    const isText = tree.nodes[at]?.kind === 'text' && (page.chars[at] as number) > 0;
    texts[at + 1] = (texts[at] as number) + (isText ? 1 : 0);
  }
  for (let at = count - 1; at >= 0; at--) {
    const isHeading = (page.traits[at] as number) & HEADING && (page.chars[at] as number) > 0;
    const level = isHeading ? levelOf(tree, at) : LEVELS + 1;
    for (const [each, next] of headings.entries()) next[at] = each >= level ? at : (next[at + 1] as number);
  }
  return { texts, headings };
}

function nextHeading({ headings }: Places, from: number, level: number): number {
  return (headings[level] as Int32Array)[from] as number;
}

/** The largest element that begins with the heading and has no other such heading, or the heading and what follows. */
function partsOf(tree: PageTree, page: PageMeasures, places: Places, heading: number): number[] {
  const { nodes } = tree;
  const level = levelOf(tree, heading);
  let part = heading;
  for (;;) {
    const { parent } = nodes[part] as (typeof nodes)[number];
    if (parent < 0 || (page.traits[parent] as number) & PAGE) break;
    const isFirst = places.texts[parent] === places.texts[part];
    if (!isFirst || nextHeading(places, tree.end(part), level) < tree.end(parent)) break;
    part = parent;
  }
  const parts = [part];
  const parent = nodes[part]?.parent ?? -1;
  if (part !== heading || parent < 0) return parts;
  for (let at = tree.end(part); at < tree.end(parent); at = Math.max(at + 1, tree.end(at))) {
    if (nextHeading(places, at, level) < tree.end(at)) break;
    parts.push(at);
  }
  return parts;
}

/** A label that is no heading ends with any heading. */
function levelOf(tree: PageTree, at: number): number {
  const level = /^h([1-6])$/.exec(tree.nodes[at]?.name ?? '');
  return level === null ? LEVELS : Number(level[1]);
}

/** Marks the elements with such names and all that is in them. */
function markNamed(tree: PageTree, names: RegExp): Uint8Array {
  const marked = new Uint8Array(tree.nodes.length);
  for (let at = 0; at < marked.length; at++) {
    const { parent, attributes } = tree.nodes[at] as (typeof tree.nodes)[number];
    if (parent >= 0 && marked[parent] === 1) marked[at] = 1;
    else if (attributes.length > 0 && parent >= 0 && names.test(namesOf(tree, at))) marked[at] = 1;
  }
  return marked;
}

function namesOf(tree: PageTree, at: number): string {
  return `${tree.attribute(at, 'class') ?? ''} ${tree.attribute(at, 'id') ?? ''}`.slice(0, MAX_NAME_CHARS);
}

/** The text of an element, also of a button, whose text is not read elsewhere. */
function textOf(tree: PageTree, element: number): string {
  let text = '';
  const end = Math.min(tree.end(element), element + MOST_NODES_IN_LABEL);
  for (let at = element; at < end && text.length <= MOST_LABEL_CHARS; at++) {
    if (tree.nodes[at]?.kind === 'text') text += ` ${tree.nodes[at]?.text.slice(0, MOST_LABEL_CHARS)}`;
  }
  return text;
}

/** The text of a block without the blocks inside it. */
function ownText(tree: PageTree, page: PageMeasures, block: number): string {
  let text = '';
  for (let at = block + 1; at < tree.end(block); at++) {
    if (page.owner[at] !== block && (page.traits[at] as number) & BLOCK) at = Math.max(at, tree.end(at) - 1);
    else if (tree.nodes[at]?.kind === 'text' && page.skipped[at] === 0) text += tree.nodes[at]?.text;
  }
  return text;
}
