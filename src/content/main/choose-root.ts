/**
 * Chooses the element that holds the main content: the one with the most text in sentences and the least other text.
 * An element around it wins only if it adds more sentences than other text. Text that already has another role counts
 * neither way.
 */
import type { PageTree } from '../page-tree.ts';
import { PAGE } from './element-traits.ts';
import type { Records } from './find-records.ts';
import type { PageMeasures } from './measure-page.ts';
import { ARTICLE_BODY, POSITIVE } from './name-words.ts';
import { findNamedBody, findTitle } from './resolve-roles.ts';
import { CONTENT } from './roles.ts';

/** How much a character outside sentences costs. */
const COST = 0.6;
/** On pages that are no articles, tables, labels and headings are content, and only links cost. */
const LINK_COST = 0.3;
/** The weight of a character that is content but stands outside sentences. */
const LABEL_WORTH = 0.5;
const FACTOR_OF_POSITIVE = 1.1;
const FACTOR_OF_NAMED_BODY = 1.2;
/** A `<main>` with this share of the page's text is the root of a page that is no article. */
const LEAST_IN_MAIN = 0.4;

/** An element that microdata marks as the product is the root if it has this share of the best root. */
const LEAST_IN_PRODUCT = 0.25;

/** An element around the title of a product is the root if it has this share of the best root. */
const LEAST_AROUND_TITLE = 0.6;

/** If the root has a smaller share of the text without a role, a page that is no article is kept as a whole. */
const LEAST_IN_ROOT = 0.15;

/** A root with fewer sentences than this grows to the largest element around it that is still small. */
const LITTLE_TEXT = 250;
const MOST_CHARS_OF_SMALL = 1_500;

/** The root if no single element holds the main content, as on a page without `<body>`. */
export const WHOLE_PAGE = -1;
/** The page has no text that counts. */
export const NO_ROOT = -2;

export interface RootRules {
  readonly isArticle: boolean;
  /** The element that is marked as the product is preferred. */
  readonly isProduct: boolean;
  /** The items of a listing, or null. */
  readonly items: Records | null;
  /** The elements around the description of a product. */
  readonly described: ReadonlySet<number>;
}

/** Returns the index of the root of the main content, `WHOLE_PAGE` or `NO_ROOT`. */
export function chooseRoot(
  tree: PageTree,
  page: PageMeasures,
  roles: Uint8Array,
  { isArticle, isProduct, items, described }: RootRules,
): number {
  const { nodes } = tree;
  const count = nodes.length;
  const isItem = markItems(tree, items);
  const values = new Float64Array(count);
  const worth = new Float64Array(count);
  const named = findNamedBody(tree, page, false);
  const chars = new Float64Array(count);
  let best = NO_ROOT;
  let bestValue = 0;
  let pageValue = 0;
  let pageChars = 0;
  for (let at = count - 1; at >= 0; at--) {
    if (roles[at] !== CONTENT) continue;
    if (isItem[at] === 1) {
      worth[at] = (worth[at] as number) + (page.ownChars[at] as number);
      values[at] = (values[at] as number) + (page.ownChars[at] as number);
    } else if ((page.ownChars[at] as number) > 0) {
      addBlock(page, at, isArticle && named[at] === 0, values, worth);
    }
    chars[at] = (chars[at] as number) + (page.ownChars[at] as number);
    const { parent } = nodes[at] as (typeof nodes)[number];
    if (parent < 0) {
      pageValue += values[at] as number;
      pageChars += chars[at] as number;
    } else {
      chars[parent] = (chars[parent] as number) + (chars[at] as number);
      values[parent] = (values[parent] as number) + (values[at] as number);
      worth[parent] = (worth[parent] as number) + (worth[at] as number);
    }
    if (worth[at] === 0) continue;
    const hint = (page.traits[at] as number) & PAGE ? 0 : (page.hints[at] as number);
    const factor = hint & ARTICLE_BODY ? FACTOR_OF_NAMED_BODY : hint & POSITIVE ? FACTOR_OF_POSITIVE : 1;
    const value = (values[at] as number) * factor;
    if (value > bestValue) {
      best = at;
      bestValue = value;
    }
  }
  if (pageValue > bestValue) return WHOLE_PAGE;
  if (isArticle) return best;
  const product = isProduct ? findProduct(tree) : -1;
  if (product >= 0 && roles[product] === CONTENT) {
    const named = worth[product] as number;
    if (named > LEAST_IN_PRODUCT * (best < 0 ? pageChars : (worth[best] as number))) return product;
  }
  const around = isProduct && best >= 0 ? aroundTitle(tree, page, worth, worth[best] as number, described) : NO_ROOT;
  if (around >= 0) return around;
  const main = findMain(tree);
  const whole = best < 0 ? 0 : (worth[best] as number);
  if (main >= 0 && roles[main] === CONTENT && (worth[main] as number) > LEAST_IN_MAIN * whole) return main;
  if (best < 0) return pageChars > 0 ? WHOLE_PAGE : NO_ROOT;
  if ((chars[best] as number) < LEAST_IN_ROOT * pageChars) return WHOLE_PAGE;
  return whole < LITTLE_TEXT ? growRoot(tree, chars, best) : best;
}

/** All text inside the items of a listing is content. */
function markItems(tree: PageTree, items: Records | null): Uint8Array {
  const isItem = new Uint8Array(tree.nodes.length);
  if (items !== null) for (const at of items.records) isItem.fill(1, at, tree.end(at));
  return isItem;
}

function growRoot({ nodes }: PageTree, chars: Float64Array, from: number): number {
  let root = from;
  for (let at = from; at >= 0 && (chars[at] as number) <= MOST_CHARS_OF_SMALL; at = nodes[at]?.parent ?? -1) root = at;
  return root;
}

function addBlock(page: PageMeasures, at: number, isStrict: boolean, values: Float64Array, worth: Float64Array): void {
  const weight = page.weight[at] as number;
  const linked = page.ownLinkChars[at] as number;
  const plain = (page.ownChars[at] as number) - linked;
  const gain = weight > 0 ? weight : isStrict ? 0 : LABEL_WORTH * plain;
  const loss = weight > 0 ? 0 : isStrict ? COST * (plain + linked) : LINK_COST * linked;
  worth[at] = (worth[at] as number) + gain;
  values[at] = (values[at] as number) + gain - loss;
}

/** The only element that microdata marks as a product and that is not inside another one, or -1. */
function findProduct(tree: PageTree): number {
  let product = -1;
  for (let at = 0; at < tree.nodes.length; at++) {
    if (!tree.nodes[at]?.attributes.includes('itemtype') || !tree.attribute(at, 'itemtype')?.endsWith('/Product'))
      continue;
    if (product >= 0) return -1;
    product = at;
    at = Math.max(at, tree.end(at) - 1);
  }
  return product;
}

/** The smallest element around the title of a product that has most of the text, or `NO_ROOT`. */
function aroundTitle(
  tree: PageTree,
  page: PageMeasures,
  worth: Float64Array,
  most: number,
  described: ReadonlySet<number>,
): number {
  for (let at = findTitle(tree, page); at >= 0; at = tree.nodes[at]?.parent ?? -1) {
    const isDescribed = described.size === 0 || described.has(at);
    if (isDescribed && (worth[at] as number) >= LEAST_AROUND_TITLE * most) return at;
  }
  return NO_ROOT;
}

/** The only `<main>` or `role=main` of the page, or -1 if there is none or if there are several. */
function findMain(tree: PageTree): number {
  let main = -1;
  for (let at = 0; at < tree.nodes.length; at++) {
    const node = tree.nodes[at] as (typeof tree.nodes)[number];
    if (node.kind !== 'element') continue;
    if (node.name !== 'main' && !(node.attributes.length > 0 && tree.attribute(at, 'role') === 'main')) continue;
    if (main >= 0 && at >= tree.end(main)) return -1;
    if (main < 0) main = at;
  }
  return main;
}
