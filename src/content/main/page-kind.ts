/**
 * Decides whether a page is an article. The page of an article has much around it that readers do not count as the
 * article: lists of links to other articles, captions, the line with author and date. On pages of other kinds
 * (documentation, forums, products, listings) the same elements are mostly content, so they are kept there.
 */
import type { PageTree } from '../page-tree.ts';
import { PAGE } from './element-traits.ts';
import type { Records } from './find-records.ts';
import type { PageMeasures } from './measure-page.ts';
import { ARTICLE_BODY, BYLINE, COMMENT } from './name-hints.ts';

export const PAGE_KINDS = ['article', 'forum', 'product', 'listing', 'other'] as const;
export type PageKind = (typeof PAGE_KINDS)[number];

/** Structured data is read only up to here. */
const MAX_DATA_CHARS = 50_000;
/** With so many `<article>` elements, a page is a list of them. */
const MOST_ARTICLES = 2;
/** Without other evidence, a page with one byline is an article. A forum or a listing has many. */
const MOST_BYLINES = 6;
/** A page with a larger share of its text in comments is a forum, whatever its bylines say. */
const MOST_IN_COMMENTS = 0.5;
const FORUM_TYPES = ['"DiscussionForumPosting"', '"QAPage"'];
/** The items of a listing hold this share of its text. */
const LEAST_IN_ITEMS = 0.2;
/** A listing has few sentences outside its items, or many times more inside. */
const FEW_SENTENCES = 350;
const MORE_IN_ITEMS = 1.5;
const ARTICLE_TYPES = ['"NewsArticle"', '"Article"', '"BlogPosting"', '"ReportageNewsArticle"', '"Report"'];
const OTHER_TYPES = ['"Product"', '"CollectionPage"', '"ItemList"', '"TechArticle"', '"APIReference"'];

/** A page with more products is a listing of them. */
const MOST_PRODUCTS = 2;
/** Pages that state more often than this that they are an article are believed, even if they look like a listing. */
const MOST_EVIDENCE = 3;

/** The score of a page that says it is about a product. */
const OF_PRODUCT = -4;

/** Programs that write documentation name themselves in `<meta name=generator>`. */
const DOCUMENTATION_GENERATORS =
  /sphinx|docutils|mkdocs|docusaurus|docbook|doxygen|javadoc|jsdoc|typedoc|vuepress|vitepress|gitbook|rustdoc|mdbook|texi|pydoc|asciidoctor|mediawiki/;

export interface Found {
  /** The items of a listing, or null. */
  readonly items: Records | null;
  /** The posts of a thread, or null. */
  readonly posts: Records | null;
  /** The sentences of the whole page. */
  readonly total: number;
}

export function decideKind(tree: PageTree, page: PageMeasures, { items, posts, total }: Found): PageKind {
  const { nodes } = tree;
  let articles = 0;
  let bylines = 0;
  let score = 0;
  let isForum = false;
  let isProduct = false;
  let products = 0;
  let isBodyNamed = false;
  for (let at = 0; at < nodes.length; at++) {
    const { kind, name, attributes } = nodes[at] as (typeof nodes)[number];
    if (kind !== 'element') continue;
    if ((page.hints[at] as number) & BYLINE && isOutermost(tree, page, at)) bylines++;
    const type = attributes.includes('itemtype') ? (tree.attribute(at, 'itemtype') ?? '') : '';
    if (type.endsWith('/QAPage') || type.endsWith('/DiscussionForumPosting')) isForum = true;
    if (type.endsWith('/Product')) products++;
    if (name === 'article') articles++;
    else if (name === 'meta') {
      const points = scoreMeta(tree, at);
      if (points === OF_PRODUCT) isProduct = true;
      score += points;
    } else if (name === 'script' && attributes.includes('application/ld+json')) {
      const data = (nodes[at + 1]?.parent === at ? (nodes[at + 1]?.text ?? '') : '').slice(0, MAX_DATA_CHARS);
      if (FORUM_TYPES.some((type) => data.includes(type))) isForum = true;
      if (ARTICLE_TYPES.some((type) => data.includes(type))) score += 2;
      if (data.includes('"Product"') && !data.includes('"ItemList"')) products++;
      if (OTHER_TYPES.some((type) => data.includes(type))) score -= 1;
    } else if ((page.hints[at] as number) & ARTICLE_BODY && !((page.traits[at] as number) & PAGE)) isBodyNamed = true;
  }
  if (isForum) return 'forum';
  if (posts !== null && score < 2) return 'forum';
  const isList = items !== null && isListing(items, page, total, tree);
  if ((isProduct || (products > 0 && products <= MOST_PRODUCTS)) && score <= 0 && !isList) return 'product';
  if (isList && score <= MOST_EVIDENCE) return products === 1 ? 'product' : 'listing';
  if (articles > 0 && articles <= MOST_ARTICLES) score += 1;
  if (isBodyNamed) score += 1;
  if (score === 0 && bylines > 0 && bylines <= MOST_BYLINES && !isMostlyComments(tree, page)) return 'article';
  return score > 0 ? 'article' : 'other';
}

/** Says whether the records are items of a list and most of what the page has to say. */
function isListing({ chars, sentences }: Records, page: PageMeasures, total: number, tree: PageTree): boolean {
  let all = 0;
  for (let at = 0; at < tree.nodes.length; at++) if (tree.nodes[at]?.parent === -1) all += page.chars[at] as number;
  const outside = total - sentences;
  return chars >= LEAST_IN_ITEMS * all && (outside <= FEW_SENTENCES || sentences > MORE_IN_ITEMS * outside);
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

/** Says whether the element is not inside another part of the same byline. */
function isOutermost({ nodes }: PageTree, { hints }: PageMeasures, at: number): boolean {
  const parent = nodes[at]?.parent ?? -1;
  return parent < 0 || ((hints[parent] as number) & BYLINE) === 0;
}

function scoreMeta(tree: PageTree, at: number): number {
  const key = tree.attribute(at, 'property') ?? tree.attribute(at, 'name');
  if (key === null) return 0;
  const value = (tree.attribute(at, 'content') ?? '').slice(0, 100).toLowerCase();
  if (key === 'og:type') return value === 'article' ? 2 : value.includes('product') ? OF_PRODUCT : 0;
  if (key === 'article:published_time') return 2;
  if (key === 'generator' && DOCUMENTATION_GENERATORS.test(value)) return -8;
  return 0;
}
