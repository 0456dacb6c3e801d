/**
 * Finds the main content of a page: the text that a reader comes for, without navigation, banners, advertisements,
 * comments and links to other pages.
 *
 * In: the outline of a page as a tree and, if the host is known, a test for text that is template. Out: for each node
 * whether it is kept, the main text, and each block of the page with its role.
 *
 * What always holds: no rule knows a site. The time is linear in the number of nodes, nothing is recursive, and every
 * page has a result, which may be empty.
 */
import type { PageTree } from '../page-tree.ts';
import { chooseRoot, NO_ROOT } from './choose-root.ts';
import { cleanRoot, dropBeforeTitle } from './clean-root.ts';
import { findControls } from './find-controls.ts';
import { findDescription } from './find-description.ts';
import { findMarkedTexts, findTexts, type PostTexts } from './find-post-texts.ts';
import { areWholeThread, findPosts } from './find-posts.ts';
import { findGroups, formOf, joinItems, type Records } from './find-records.ts';
import { findSalesParts } from './find-sales-parts.ts';
import { findTeasers } from './find-teasers.ts';
import { labelBlocks, type PageBlock } from './label-blocks.ts';
import { writeMainText } from './main-text.ts';
import { measurePage, type PageMeasures } from './measure-page.ts';
import { decideKind, type Found, type PageKind } from './page-kind.ts';
import { findTitle, resolveRoles } from './resolve-roles.ts';
import { ASIDE, BOILERPLATE, CONTENT } from './roles.ts';
import { markTemplate } from './template-lines.ts';

/** Less main text than this is too little, if the page has more. */
const LITTLE_TEXT = 250;
/** A more tolerant attempt is better only if it finds so many times the text. */
const MUCH_MORE = 2;
/** A smaller share of the sentences of the page is nearly nothing. */
const NEARLY_NOTHING = 0.05;
/** If teasers have a larger share of the page's sentences, the page is a listing. */
const MOST_IN_TEASERS = 0.6;

export interface MainContentOptions {
  /** Says whether a line of text is template of the host. Without it, the page is judged alone. */
  readonly isTemplate?: (line: string) => boolean;
}

export interface MainContent {
  readonly kind: PageKind;
  /** 1 for each node that is main content. A kept node outside the root is part of the title heading. */
  readonly kept: Uint8Array;
  /** The element that holds the main content. -1 for the whole page, -2 if there is none. */
  readonly root: number;
  /** The heading with the title of the page, or -1. It is kept, but the text of an article does not repeat it. */
  readonly heading: number;
  /** Paragraphs separated by newlines. */
  readonly text: string;
  /** All blocks of the page in document order. They are made when they are asked for. */
  blocks(): PageBlock[];
}

const NOTHING: ReadonlySet<number> = new Set();

interface Findings extends Found {
  readonly kind: PageKind;
  readonly sums: Float64Array;
  /** The groups of records with pictures and prices. */
  readonly goods: readonly Records[];
}

interface Attempt {
  readonly roles: Uint8Array;
  readonly root: number;
  readonly kept: Uint8Array;
  /** How much text in sentences it keeps, and how much text at all. */
  readonly sentences: number;
  readonly chars: number;
}

export function findMainContent(tree: PageTree, options: MainContentOptions = {}): MainContent {
  const page = measurePage(tree);
  if (options.isTemplate !== undefined) markTemplate(tree, page, options.isTemplate);
  const sums = sumWeights(tree, page.weight);
  const total = totalOf(tree, sums);
  const groups = findGroups(tree, page, sums, total);
  const goods = groups.filter(({ areGoods }) => areGoods);
  const found = { items: joinItems(tree, groups), goods, posts: findPosts(tree, page, sums, groups, total), total };
  const kind = decideKind(tree, page, sums, found);
  const { roles, root, kept } = findKept(tree, page, { ...found, kind, sums });
  const heading = keepTitle(tree, page, roles, root, kept);
  const isRepeated = kind === 'article' && heading >= 0;
  const text = writeMainText(tree, page, kept, isRepeated ? heading : -1, isRepeated ? tree.end(heading) : -1);
  return { kind, kept, root, heading, text, blocks: () => labelBlocks(tree, page, roles, kept) };
}

/** Tries again without the names of what is beside the content if they leave nearly nothing. */
function findKept(tree: PageTree, page: PageMeasures, found: Findings): Attempt {
  const usual = tryRules(tree, page, found, false);
  const isEnough = usual.sentences > NEARLY_NOTHING * found.total;
  // The items of a listing may have no sentences at all.
  if (isEnough || found.total < LITTLE_TEXT || found.kind === 'listing') return usual;
  const tolerant = tryRules(tree, page, found, true);
  return tolerant.sentences >= LITTLE_TEXT ? tolerant : usual;
}

/** Tries strict rules first, and more tolerant ones if the strict rules leave too little. */
function tryRules(tree: PageTree, page: PageMeasures, found: Findings, ignoresNames: boolean): Attempt {
  const { kind, sums, total } = found;
  const isFull = kind === 'listing' || (kind === 'other' && areMost(found.items, total));
  const items = isFull ? found.items : null;
  // The items of a listing repeat labels such as "Price", and the same goods stand on several pages of the host.
  for (const at of items?.records ?? []) page.isTemplate.fill(0, at, tree.end(at));
  const usual = {
    ignoresNames,
    isArticle: false,
    keepsComments: true,
    teasers: [],
    items,
    texts: null,
    thread: -1,
    isForum: false,
    sales: kind === 'product' ? findSalesParts(tree, page, sums, total) : null,
    described: kind === 'product' ? findDescription(tree, page) : NOTHING,
    controls: kind === 'product' || items !== null ? findControls(tree, page, sums, total, items?.records ?? []) : null,
  };
  const rules = { ...usual, isProduct: kind === 'product' };
  if (kind === 'forum') {
    const marked = findMarkedTexts(tree, page, sums, total);
    if (marked !== null) return attempt(tree, page, sums, { ...rules, ...marked, isForum: true });
    if (found.posts === null) return attempt(tree, page, sums, { ...rules, isForum: true });
    const thread = areWholeThread(tree, found.posts) ? found.posts.parent : -1;
    const texts = findTexts(tree, page, sums, found.posts, thread) ?? { texts: null, thread };
    return attempt(tree, page, sums, { ...rules, ...texts, isForum: true });
  }
  if (kind === 'listing') return attempt(tree, page, sums, rules);
  const isArticle = kind === 'article';
  const others = kind === 'product' ? findOthers(tree, page, found) : [];
  const teasers = others.length > 0 ? others : findTeasers(tree, page);
  const strict = { ...rules, isArticle, keepsComments: kind === 'product', teasers: items === null ? teasers : [] };
  const first = attempt(tree, page, sums, strict);
  const isEnough = first.sentences >= LITTLE_TEXT && (isArticle || first.sentences * MUCH_MORE >= total);
  if (isEnough) return first;
  const second = attempt(tree, page, sums, rules);
  const isBetter =
    second.sentences > MUCH_MORE * first.sentences ||
    (first.sentences < LITTLE_TEXT && second.chars > MUCH_MORE * first.chars && !isArticle);
  return isBetter ? second : first;
}

/** The records that show other products. Elements without a class are parts of the layout of an old page. */
function findOthers(tree: PageTree, page: PageMeasures, { items, goods }: Findings): number[] {
  const title = findTitle(tree, page);
  const records = [...(items?.records ?? []), ...goods.flatMap((group) => group.records)];
  return records.filter((at) => !(at <= title && title < tree.end(at)) && !formOf(tree, at).endsWith(' '));
}

/** Says whether a page has more text in the items of a list than in sentences beside them. */
function areMost(records: Records | null, total: number): boolean {
  return records !== null && records.chars > total - records.sentences;
}

interface AttemptRules {
  readonly ignoresNames: boolean;
  readonly isArticle: boolean;
  readonly keepsComments: boolean;
  readonly teasers: readonly number[];
  readonly isForum: boolean;
  readonly isProduct: boolean;
  /** The texts of the posts of a thread, or null. */
  readonly texts: PostTexts | null;
  /** The element that holds all posts of a thread, or -1. */
  readonly thread: number;
  /** The items of a listing, or null. */
  readonly items: Records | null;
  /** The parts of the page of a product that are about buying, or null. */
  readonly sales: Uint8Array | null;
  /** The elements around the description of a product. */
  readonly described: ReadonlySet<number>;
  /** The forms, filters and page numbers, or null. */
  readonly controls: Uint8Array | null;
}

function attempt(tree: PageTree, page: PageMeasures, sums: Float64Array, rules: AttemptRules): Attempt {
  const { isArticle } = rules;
  const total = totalOf(tree, sums);
  const roles = resolveRoles(tree, page, sums, { ...rules, ignoresWeak: !isArticle, total });
  let inTeasers = 0;
  for (const box of rules.teasers) inTeasers += sums[box] as number;
  if (inTeasers <= MOST_IN_TEASERS * total) for (const box of rules.teasers) markSubtree(tree, roles, box, ASIDE);
  if (rules.texts !== null) {
    for (let at = 0; at < roles.length; at++)
      if (rules.texts.beside[at] === 1 && roles[at] === CONTENT) roles[at] = BOILERPLATE;
  }
  for (const parts of [rules.sales, rules.controls]) {
    if (parts === null) continue;
    for (let at = 0; at < roles.length; at++) if (parts[at] === 1 && roles[at] === CONTENT) roles[at] = BOILERPLATE;
  }
  const root = rules.thread >= 0 ? rules.thread : chooseRoot(tree, page, roles, rules);
  const kept = root === NO_ROOT ? new Uint8Array(roles.length) : cleanRoot(tree, page, roles, root, isArticle);
  if (rules.isProduct) dropBeforeTitle(tree, page, kept);
  let sentences = 0;
  let chars = 0;
  for (let at = 0; at < kept.length; at++) {
    if (kept[at] === 0) continue;
    sentences += page.weight[at] as number;
    chars += page.ownChars[at] as number;
  }
  return { roles, root, kept, sentences, chars };
}

/** Keeps the title heading, which often stands before the root. Returns its index, or -1. */
function keepTitle(tree: PageTree, page: PageMeasures, roles: Uint8Array, root: number, kept: Uint8Array): number {
  const heading = findTitle(tree, page);
  if (heading < 0 || root === NO_ROOT || (root >= 0 && heading >= tree.end(root))) return -1;
  if (kept[heading] === 1) return heading;
  // Inside the root it was dropped for a reason, except as a line that is one link.
  if (page.skipped[heading] === 1) return -1;
  const end = tree.end(heading);
  for (let at = heading; at < end; at++) {
    if (page.skipped[at] === 0 && tree.nodes[at]?.level !== 0 && roles[at] === roles[heading]) kept[at] = 1;
  }
  return heading;
}

function markSubtree(tree: PageTree, roles: Uint8Array, node: number, role: number): void {
  for (let at = node; at < tree.end(node); at++) if (roles[at] === CONTENT) roles[at] = role;
}

/** The weight of the sentences in each subtree. */
function sumWeights({ nodes }: PageTree, weight: Float64Array): Float64Array {
  const sums = Float64Array.from(weight);
  for (let at = nodes.length - 1; at >= 0; at--) {
    const { parent } = nodes[at] as (typeof nodes)[number];
    if (parent >= 0) sums[parent] = (sums[parent] as number) + (sums[at] as number);
  }
  return sums;
}

function totalOf({ nodes }: PageTree, sums: Float64Array): number {
  let total = 0;
  for (let at = 0; at < nodes.length; at++) if (nodes[at]?.parent === -1) total += sums[at] as number;
  return total;
}
