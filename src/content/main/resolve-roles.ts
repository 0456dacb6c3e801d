/**
 * Decides the role of each node from the hints of its ancestors and of itself.
 *
 * A hint on an element that holds much of the page's sentences is a mistake (`<div class="has-sidebar">`) and is
 * ignored, except for navigation and footers. Elements around the title, or around text that is named as the article,
 * need less to be a mistake.
 */
import type { PageTree } from '../page-tree.ts';
import { BLOCK, PAGE, QUOTE } from './element-traits.ts';
import type { PostTexts } from './find-post-texts.ts';
import type { Records } from './find-records.ts';
import type { PageMeasures } from './measure-page.ts';
import {
  ARTICLE_BODY,
  BYLINE,
  COMMENT,
  COMMERCE,
  CONSENT,
  HIDDEN,
  HIDDEN_BY_NAME,
  POSTER,
  PRICE,
  ROLE_BITS,
  WEAK,
} from './name-words.ts';
import { ADVERTISEMENT, ASIDE, BOILERPLATE, CONTENT, FOOTER, NAVIGATION } from './roles.ts';

/** A hint on an element with a larger share of the page's sentences is ignored. */
const MOST_HINTED = 0.7;
const MOST_HINTED_NEAR_TITLE = 0.3;
const MOST_HIDDEN = 0.6;
/** A note about the author of a post has at most this share of the sentences of a forum. */
const MOST_OF_POSTER = 0.05;
/** A part of a shop about delivery or payment has at most this share of the sentences of a product page. */
const MOST_COMMERCE = 0.4;
/** A weak hint is ignored on an element with more sentences than this, unless it is full of links. */
const MOST_WEAK = 180;
/** From this share of links on, an element is full of links. */
const FULL_OF_LINKS = 0.5;

/** On the page of a product, an element with more text outside of links is more than a list of links. */
const MOST_PLAIN = 400;

/** An element with so many times the text of all items is more than a part beside them. */
const MOST_BESIDE_ITEMS = 3;
const PANEL = /tab|panel|accordion|collaps/i;
const MAX_NAME_CHARS = 300;

export interface RoleRules {
  /** Names of sidebars, advertisements and the like are ignored. Navigation, headers, footers and dialogs are not. */
  readonly ignoresNames: boolean;
  /** Comments are content, as in a forum. */
  readonly keepsComments: boolean;
  /** Weak hints count only on elements that are full of links. */
  readonly ignoresWeak: boolean;
  /** Sentences of the whole page. */
  readonly total: number;
  /** Notes about the authors of posts are not content. */
  readonly isForum: boolean;
  /** Delivery, payment and the like are not content. */
  readonly isProduct: boolean;
  /** The elements around the description of a product. Their names say nothing. */
  readonly described: ReadonlySet<number>;
  /** The texts of the posts of a thread, or null. */
  readonly texts: PostTexts | null;
  /** The items of a listing. Weak hints on them and on the elements around them are ignored. */
  readonly items: Records | null;
}

/** Returns the role of each node. `sums` has the weight of the sentences of each subtree. */
export function resolveRoles(tree: PageTree, page: PageMeasures, sums: Float64Array, rules: RoleRules): Uint8Array {
  const { nodes } = tree;
  const roles = new Uint8Array(nodes.length);
  const title = findTitle(tree, page);
  const trusted = findNamedBody(tree, page, true);
  const prices = findNext(page.hints, PRICE);
  const quotes = findNext(page.traits, QUOTE);
  const items = new Set(rules.items?.records ?? []);
  for (let at = rules.items?.parent ?? -1; at >= 0; at = nodes[at]?.parent ?? -1) items.add(at);
  const inItem = new Uint8Array(nodes.length);
  if (rules.items !== null) {
    for (const at of rules.items.records) inItem.fill(1, at, tree.end(at));
  }
  const nextItem = findNext(inItem, 1);
  const named = rules.items?.records.filter((at) => ((page.hints[at] as number) & ROLE_BITS) === ADVERTISEMENT) ?? [];
  const advertisements = new Set(2 * named.length < (rules.items?.records.length ?? 0) ? named : []);
  for (let at = 0; at < nodes.length; at++) {
    const { parent } = nodes[at] as (typeof nodes)[number];
    if (parent >= 0 && roles[parent] !== CONTENT) {
      roles[at] = roles[parent] as number;
      continue;
    }
    const hint = page.hints[at] as number;
    if (hint === 0 || (page.traits[at] as number) & PAGE) continue;
    const holdsTitle = at <= title && title < tree.end(at);
    const share = (sums[at] as number) / Math.max(1, rules.total);
    if (rules.described.has(at)) continue;
    const isHidden = hint & (HIDDEN | HIDDEN_BY_NAME) && inItem[at] === 0;
    if (isHidden && share <= MOST_HIDDEN && !(rules.isProduct && isPanel(tree, at))) {
      roles[at] = BOILERPLATE;
      continue;
    }
    if (rules.texts?.around.has(at)) continue;
    if (hint & (POSTER | BYLINE) && rules.isForum && share <= MOST_OF_POSTER) {
      roles[at] = BOILERPLATE;
      continue;
    }
    if (
      hint & COMMERCE &&
      rules.isProduct &&
      share <= MOST_COMMERCE &&
      !holdsTitle &&
      (prices[at] as number) >= tree.end(at)
    ) {
      roles[at] = BOILERPLATE;
      continue;
    }
    // An item of a listing counts with all that it shows, unless it is an advertisement among the other items.
    if (inItem[at] === 1 && !advertisements.has(at)) continue;
    const role = hint & ROLE_BITS;
    if (role === CONTENT || (hint & COMMENT && rules.keepsComments)) continue;
    if (rules.ignoresNames && role >= ASIDE && !(hint & CONSENT)) continue;
    // A post may quote another one in an element for what is beside a text.
    if (role === ASIDE && rules.texts?.inside[at] === 1 && (quotes[at] as number) < tree.end(at)) continue;
    // All items stand elsewhere, so that also an element with most of the sentences is beside them.
    const isBesideItems =
      rules.items !== null &&
      !items.has(at) &&
      (nextItem[at] as number) >= tree.end(at) &&
      (page.chars[at] as number) <= MOST_BESIDE_ITEMS * rules.items.chars;
    const isNearTitle = trusted[at] === 1 || holdsTitle;
    const most = isNearTitle
      ? MOST_HINTED_NEAR_TITLE
      : role === FOOTER || role === NAVIGATION || hint & CONSENT || isBesideItems
        ? 1
        : MOST_HINTED;
    if (share > most) continue;
    // The names of the elements around the items say nothing about them.
    if (items.has(at) && (hint & WEAK || !advertisements.has(at))) continue;
    if (hint & WEAK && !hasSupport(page, at, sums[at] as number, rules)) continue;
    roles[at] = role;
  }
  return roles;
}

/** Says whether an element is one of several panels, of which a page shows one at a time. */
function isPanel(tree: PageTree, at: number): boolean {
  if (tree.attribute(at, 'role') === 'tabpanel') return true;
  return PANEL.test(`${tree.attribute(at, 'class') ?? ''} ${tree.attribute(at, 'id') ?? ''}`.slice(0, MAX_NAME_CHARS));
}

/** Says whether the text of an element supports a weak hint. */
function hasSupport(page: PageMeasures, at: number, sentences: number, { ignoresWeak, isProduct }: RoleRules): boolean {
  const isLinks = (page.linkChars[at] as number) >= FULL_OF_LINKS * (page.chars[at] as number);
  const plain = (page.chars[at] as number) - (page.linkChars[at] as number);
  if (isLinks && (page.traits[at] as number) & BLOCK && (!isProduct || plain <= MOST_PLAIN)) return true;
  return !ignoresWeak && sentences <= MOST_WEAK;
}

/** The first element with such a bit at or after each node. */
function findNext(bits: Uint8Array | Uint16Array, bit: number): Int32Array {
  const next = new Int32Array(bits.length + 1).fill(bits.length);
  for (let at = bits.length - 1; at >= 0; at--) {
    next[at] = (bits[at] as number) & bit ? at : (next[at + 1] as number);
  }
  return next;
}

/** The first `<h1>` with text, or -1. */
export function findTitle({ nodes }: PageTree, { chars }: PageMeasures): number {
  for (let at = 0; at < nodes.length; at++) if (nodes[at]?.name === 'h1' && (chars[at] as number) > 0) return at;
  return -1;
}

/**
 * Marks the elements that are named as the text of the article (`itemprop=articleBody`, `class=entry-content`), with
 * all that is inside them and, if wanted, with the elements around them.
 */
export function findNamedBody({ nodes }: PageTree, page: PageMeasures, wantsAround: boolean): Uint8Array {
  const named = new Uint8Array(nodes.length);
  for (let at = 0; at < nodes.length; at++) {
    const { parent } = nodes[at] as (typeof nodes)[number];
    if ((page.hints[at] as number) & ARTICLE_BODY && !((page.traits[at] as number) & PAGE)) named[at] = 1;
    else if (parent >= 0) named[at] = named[parent] as number;
  }
  if (!wantsAround) return named;
  for (let at = nodes.length - 1; at >= 0; at--) {
    const { parent } = nodes[at] as (typeof nodes)[number];
    if (named[at] === 1 && parent >= 0) named[parent] = 1;
  }
  return named;
}
