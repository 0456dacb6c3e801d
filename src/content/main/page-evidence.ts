/**
 * Reads what a page says about its kind: in structured data, microdata and OpenGraph, by the name of the program that
 * made it, and by the names of its elements.
 */
import type { PageTree } from '../page-tree.ts';
import { HEADING, PAGE } from './element-traits.ts';
import type { Records } from './find-records.ts';
import type { PageMeasures } from './measure-page.ts';
import { ARTICLE_BODY, BYLINE, COMMERCE, PRICE } from './name-words.ts';
import { findTitle } from './resolve-roles.ts';

/** Structured data is read only up to here. */
const MAX_DATA_CHARS = 50_000;
const MAX_NAME_CHARS = 300;
const FORUM_TYPES = ['"DiscussionForumPosting"', '"QAPage"'];
const ARTICLE_TYPES = ['"NewsArticle"', '"Article"', '"BlogPosting"', '"ReportageNewsArticle"', '"Report"'];
const OTHER_TYPES = ['"Product"', '"CollectionPage"', '"ItemList"', '"TechArticle"', '"APIReference"'];
const LIST_TYPES = ['"CollectionPage"', '"ItemList"'];

/** The points of structured data about a product with an offer. Articles about products have more for an article. */
const OF_OFFER = -2;
/** The points of a page that says it is about a product, or about several. */
const OF_PRODUCT = -4;
const OF_LISTING = -3;

/** Programs that write documentation name themselves in `<meta name=generator>`. */
const DOCUMENTATION_GENERATORS =
  /sphinx|docutils|mkdocs|docusaurus|docbook|doxygen|javadoc|jsdoc|typedoc|vuepress|vitepress|gitbook|rustdoc|mdbook|texi|pydoc|asciidoctor|mediawiki/;

/** How shops name the page of a product or the part around its title. */
const PRODUCT_NAME =
  /single-product|product[-_]*(?:page|detail|view|single|info|main|essential|template)|(?:template|catalog|view)-product(?!s|-?(?:list|cat))|\bpdp\b/i;

/** How shops, blogs and forums name the whole page of a listing. */
const LISTING_NAME =
  /(?:product|category)-?list(?:ing)?|template-(?:collection|forum_view)|tax-product|catalog-category|category-page|page-(?:category|products|with-filter)|collection-type|search-results|section-viewforum|(?:^|\s)(?:archive|category|blog|plp)(?:\s|$)/i;

/** What the button says that puts a product into the cart. */
const BUY =
  /add[-_ ]?to[-_ ]?(?:my[-_ ]?)?(?:cart|bag|basket|trolley)|addcart|cart[-_]?add|basket[-_]?add|in den warenkorb|au panier|al carrito|al carrello|winkelwagen|do koszyka|do košíku|в корзину/i;
const MOST_BUTTONS = 3;
const MOST_NODES_IN_BUTTON = 8;

export interface PageEvidence {
  /** More than zero speaks for an article, less speaks against it. */
  readonly points: number;
  readonly articles: number;
  readonly bylines: number;
  readonly isBodyNamed: boolean;
  readonly isForum: boolean;
  /** OpenGraph says that the page is about a product. */
  readonly isProduct: boolean;
  /** OpenGraph, structured data or the name of the page says that it is a listing. */
  readonly isListing: boolean;
  /** The elements around the title have names of a product. */
  readonly isProductNamed: boolean;
  /** The page has a price and, after its title, one to three buttons that put a product into the cart. */
  readonly isBuyable: boolean;
  /** The products in microdata and structured data. */
  readonly products: number;
}

export function readEvidence(tree: PageTree, page: PageMeasures, items: Records | null): PageEvidence {
  const { nodes } = tree;
  const found = {
    points: 0,
    articles: 0,
    bylines: 0,
    isBodyNamed: false,
    isForum: false,
    isProduct: false,
    isListing: false,
    isProductNamed: isProductNamed(tree, page),
    isBuyable: isBuyable(tree, page, items?.records ?? []),
    products: 0,
  };
  let productEnd = 0;
  for (let at = 0; at < nodes.length; at++) {
    const { kind, name, attributes } = nodes[at] as (typeof nodes)[number];
    if (kind !== 'element') continue;
    if ((page.hints[at] as number) & BYLINE && isOutermost(tree, page, at)) found.bylines++;
    const type = attributes.includes('itemtype') ? (tree.attribute(at, 'itemtype') ?? '') : '';
    if (type.endsWith('/QAPage') || type.endsWith('/DiscussionForumPosting')) found.isForum = true;
    // A product may contain others that are like it.
    if (type.endsWith('/Product') && at >= productEnd) {
      if (found.products === 0 && hasPrice(tree, at)) found.points += OF_OFFER;
      found.products++;
      productEnd = tree.end(at);
    }
    if (name === 'article') found.articles++;
    else if ((name === 'html' || name === 'body') && LISTING_NAME.test(namesOf(tree, at))) found.isListing = true;
    else if (name === 'meta') {
      const points = pointsOfMeta(tree, at);
      if (points === OF_PRODUCT) found.isProduct = true;
      if (points === OF_LISTING) found.isListing = true;
      found.points += points;
    } else if (name === 'script' && attributes.includes('application/ld+json')) {
      const data = (nodes[at + 1]?.parent === at ? (nodes[at + 1]?.text ?? '') : '').slice(0, MAX_DATA_CHARS);
      const states = (types: readonly string[]): boolean => types.some((each) => data.includes(each));
      if (states(FORUM_TYPES)) found.isForum = true;
      if (states(ARTICLE_TYPES)) found.points += 2;
      if (data.includes('"Product"') && !states(LIST_TYPES)) {
        found.products++;
        if (data.includes('"offers"')) found.points += OF_OFFER;
      }
      if (states(OTHER_TYPES)) found.points -= 1;
      if (data.includes('"CollectionPage"')) found.isListing = true;
    } else if ((page.hints[at] as number) & ARTICLE_BODY && !((page.traits[at] as number) & PAGE)) {
      found.isBodyNamed = true;
    }
  }
  return found;
}

/** Says whether an element around the first title heading has the name of a product. */
function isProductNamed({ nodes }: PageTree, { traits, chars }: PageMeasures): boolean {
  const title = nodes.findIndex(
    ({ name }, at) => name === 'h1' && (traits[at] as number) & HEADING && (chars[at] as number) > 0,
  );
  // Old pages have no such heading. Then only the names of the page itself count.
  for (
    let at = title < 0 ? nodes.findIndex(({ name }) => name === 'body') : title;
    at >= 0;
    at = nodes[at]?.parent ?? -1
  ) {
    const { attributes } = nodes[at] as (typeof nodes)[number];
    for (let i = 0; i < attributes.length; i += 2) {
      if (attributes[i] !== 'class' && attributes[i] !== 'id') continue;
      if (PRODUCT_NAME.test((attributes[i + 1] as string).slice(0, MAX_NAME_CHARS))) return true;
    }
  }
  return false;
}

function hasPrice(tree: PageTree, product: number): boolean {
  for (let at = product; at < tree.end(product); at++) if (tree.attribute(at, 'itemprop') === 'price') return true;
  return false;
}

function namesOf(tree: PageTree, at: number): string {
  return `${tree.attribute(at, 'class') ?? ''} ${tree.attribute(at, 'id') ?? ''}`.slice(0, MAX_NAME_CHARS);
}

/** Says whether a single product can be bought here: after its title, and not among the items of a listing. */
function isBuyable(tree: PageTree, page: PageMeasures, items: readonly number[]): boolean {
  if (!page.hints.some((hint) => (hint & PRICE) !== 0)) return false;
  const { nodes } = tree;
  const title = findTitle(tree, page);
  const before = countBefore(nodes.length, items);
  let buttons = 0;
  for (let at = title; at >= 0 && at < nodes.length; at++) {
    const { name } = nodes[at] as (typeof nodes)[number];
    const isButton = name === 'button' || name === 'input';
    const isNamed = (name === 'a' || name === 'form') && (page.hints[at] as number) & COMMERCE;
    if ((!isButton && !isNamed) || !BUY.test(wordsOf(tree, at))) continue;
    let around = title;
    while (around >= 0 && tree.end(around) <= at) around = nodes[around]?.parent ?? -1;
    if (around >= 0 && before[tree.end(around)] === before[around] && ++buttons > MOST_BUTTONS) return false;
    at = Math.max(at, tree.end(at) - 1);
  }
  return buttons > 0;
}

/** How many of the items begin before each node. */
function countBefore(length: number, items: readonly number[]): Int32Array {
  const before = new Int32Array(length + 1);
  for (const at of items) before[at + 1] = 1;
  for (let at = 1; at <= length; at++) before[at] = (before[at] as number) + (before[at - 1] as number);
  return before;
}

/** What a button says, in its text and in its attributes. */
function wordsOf(tree: PageTree, button: number): string {
  const { attributes } = tree.nodes[button] as (typeof tree.nodes)[number];
  let words = '';
  for (let i = 1; i < attributes.length && words.length < MAX_NAME_CHARS; i += 2) words += ` ${attributes[i]}`;
  const end = Math.min(tree.end(button), button + MOST_NODES_IN_BUTTON);
  for (let at = button; at < end; at++) words += ` ${tree.nodes[at]?.text.slice(0, MAX_NAME_CHARS)}`;
  return words.slice(0, 2 * MAX_NAME_CHARS);
}

/** Says whether the element is not inside another part of the same byline. */
function isOutermost({ nodes }: PageTree, { hints }: PageMeasures, at: number): boolean {
  const parent = nodes[at]?.parent ?? -1;
  return parent < 0 || ((hints[parent] as number) & BYLINE) === 0;
}

function pointsOfMeta(tree: PageTree, at: number): number {
  const key = tree.attribute(at, 'property') ?? tree.attribute(at, 'name');
  if (key === null) return 0;
  const value = (tree.attribute(at, 'content') ?? '').slice(0, 100).toLowerCase();
  if (key === 'og:type') {
    if (value === 'product.group') return OF_LISTING;
    return value === 'article' ? 2 : value.includes('product') ? OF_PRODUCT : 0;
  }
  if (key === 'article:published_time') return 2;
  if (key === 'generator' && DOCUMENTATION_GENERATORS.test(value)) return -8;
  return 0;
}
