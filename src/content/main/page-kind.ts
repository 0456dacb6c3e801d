/**
 * Decides whether a page is an article. The page of an article has much around it that readers do not count as the
 * article: lists of links to other articles, captions, the line with author and date. On pages of other kinds
 * (documentation, forums, products, listings) the same elements are mostly content, so they are kept there.
 */
import type { PageTree } from '../page-tree.ts';
import { PAGE } from './element-traits.ts';
import { areComments, namesThread } from './find-posts.ts';
import { isLayout, type Records } from './find-records.ts';
import type { PageMeasures } from './measure-page.ts';
import { COMMENT, HIDDEN, ROLE_BITS, WEAK } from './name-words.ts';
import { readEvidence } from './page-evidence.ts';
import { FOOTER } from './roles.ts';

export const PAGE_KINDS = ['article', 'forum', 'product', 'listing', 'other'] as const;
export type PageKind = (typeof PAGE_KINDS)[number];

/** With so many `<article>` elements, a page is a list of them. */
const MOST_ARTICLES = 2;
/** Without other evidence, a page with one byline is an article. A forum or a listing has many. */
const MOST_BYLINES = 6;
/** A page with a larger share of its text in comments is a forum, whatever its bylines say. */
const MOST_IN_COMMENTS = 0.5;
/** The items of a listing hold this share of its text outside navigation. */
const LEAST_IN_ITEMS = 0.15;
/** A listing has no other text with more sentences than these, or many times more in its items. */
const FEW_SENTENCES = 350;
const MORE_IN_ITEMS = 1.5;
/** Without evidence of an article, all characters of the items count. */
const MORE_CHARS_IN_ITEMS = 2;
/** A page with so many times the text of its posts in the items of a list is a list of threads. */
const MORE_IN_LIST = 2;
/** An element with more of the page's sentences is not beside the content, whatever its names say. */
const MOST_BESIDE = 0.5;

/** A page with more products is a listing of them. */
const MOST_PRODUCTS = 2;
/** Pages with more evidence than this that they are an article are believed, even if they look like a listing. */
const MOST_EVIDENCE = 3;

export interface Found {
  /** The items of a listing, or null. */
  readonly items: Records | null;
  /** The posts of a thread, or null. */
  readonly posts: Records | null;
  /** The sentences of the whole page. */
  readonly total: number;
}

export function decideKind(tree: PageTree, page: PageMeasures, sums: Float64Array, found: Found): PageKind {
  const { items, posts, total } = found;
  const evidence = readEvidence(tree, page, items === null || isLayout(tree, page, items) ? null : items);
  const { points, products, isProduct, isProductNamed, isBuyable } = evidence;
  if (evidence.isForum) return 'forum';
  const isOfProduct = isProduct || isProductNamed || products > 0;
  const isInItems = items !== null && posts !== null && items.chars > MORE_IN_LIST * posts.chars;
  const isThread =
    posts !== null && !isInItems && (points < 2 || (namesThread(tree) && !areComments(tree, posts.records)));
  if (isThread && !isOfProduct) return 'forum';
  const outside = items === null ? null : measureOutside(tree, page, sums, items, total);
  if (evidence.isListing && !isProductNamed && !isBuyable && products !== 1 && outside !== null && items !== null) {
    if (items.chars >= Math.max(LEAST_IN_ITEMS * outside.all, outside.largest)) return 'listing';
  }
  const isList = items !== null && outside !== null && points <= MOST_EVIDENCE && isListing(items, outside, points);
  const isOneProduct = products > 0 && products <= MOST_PRODUCTS;
  if (isProductNamed && points <= MOST_EVIDENCE && (products <= MOST_PRODUCTS || isBuyable || isProduct))
    return 'product';
  if (isOneProduct && (points <= 0 || isList)) return 'product';
  if (isProduct && points <= 0 && !isList) return 'product';
  if (isBuyable && points <= 0 && products <= MOST_PRODUCTS) return 'product';
  if (isList) return 'listing';
  const { articles, bylines, isBodyNamed } = evidence;
  const score = points + (articles > 0 && articles <= MOST_ARTICLES ? 1 : 0) + (isBodyNamed ? 1 : 0);
  if (score === 0 && bylines > 0 && bylines <= MOST_BYLINES && !isMostlyComments(tree, page)) return 'article';
  return score > 0 ? 'article' : 'other';
}

/** Says whether the records are items of a list and most of what the page has to say. */
function isListing({ chars, sentences }: Records, { all, largest }: Outside, points: number): boolean {
  if (chars < LEAST_IN_ITEMS * all) return false;
  if (largest <= FEW_SENTENCES || sentences > MORE_IN_ITEMS * largest) return true;
  return points <= 0 && chars > MORE_CHARS_IN_ITEMS * largest;
}

/** What an element is in the count of a page: beside the content, or in an item. */
const BESIDE = 1;
const IN_ITEM = 2;

interface Outside {
  /** The characters of the page without its navigation. */
  readonly all: number;
  /** The sentences of the largest text that is no item. Its paragraphs are children or grandchildren of one element. */
  readonly largest: number;
}

function measureOutside(
  tree: PageTree,
  page: PageMeasures,
  sums: Float64Array,
  { records }: Records,
  total: number,
): Outside {
  const { nodes } = tree;
  const places = new Uint8Array(nodes.length);
  for (const at of records) places.fill(IN_ITEM, at, tree.end(at));
  const texts = new Float64Array(nodes.length);
  let all = 0;
  let largest = 0;
  for (let at = 0; at < nodes.length; at++) {
    const { parent } = nodes[at] as (typeof nodes)[number];
    if (places[at] === 0 && parent >= 0 && places[parent] === BESIDE) places[at] = BESIDE;
    const hint = page.hints[at] as number;
    const isStrong = (hint & HIDDEN) !== 0 || ((hint & ROLE_BITS) !== 0 && (hint & (WEAK | COMMENT)) === 0);
    // Some shops write long texts for search engines into their footer.
    const isSmall = (hint & ROLE_BITS) === FOOTER || (sums[at] as number) <= MOST_BESIDE * total;
    if (places[at] === 0 && isStrong && isSmall && !((page.traits[at] as number) & PAGE)) places[at] = BESIDE;
    if (places[at] !== BESIDE) all += page.ownChars[at] as number;
    if (places[at] !== 0 || parent < 0) continue;
    for (let above = parent, level = 0; above >= 0 && level < 2; level++) {
      texts[above] = (texts[above] as number) + (page.weight[at] as number);
      largest = Math.max(largest, texts[above] as number);
      above = nodes[above]?.parent ?? -1;
    }
  }
  return { all, largest };
}

/** Says whether most text is in comments, as in a forum. */
function isMostlyComments(tree: PageTree, { hints, chars, traits }: PageMeasures): boolean {
  let inComments = 0;
  let all = 0;
  for (let at = 0; at < tree.nodes.length; at++) {
    if (tree.nodes[at]?.parent === -1) all += chars[at] as number;
    if (((hints[at] as number) & COMMENT) === 0 || (traits[at] as number) & PAGE) continue;
    inComments += chars[at] as number;
    at = Math.max(at, tree.end(at) - 1);
  }
  return inComments > MOST_IN_COMMENTS * all;
}
