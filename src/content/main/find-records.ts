/**
 * Finds records: elements side by side that repeat one form, such as the items of a listing or the posts of a thread.
 * Names decide which elements have the same form. The numbers in them do not count (`post-17`).
 *
 * In: the measures of a page. Out: groups of records. Groups inside navigation, footers and other parts that are never
 * content are not read. The time is linear in the number of nodes.
 */
import type { PageTree } from '../page-tree.ts';
import { BOX, HEADING, ITEM, PAGE } from './element-traits.ts';
import type { PageMeasures } from './measure-page.ts';
import { COMMENT, HIDDEN, PRICE, ROLE_BITS, WEAK } from './name-words.ts';
import { findTitle } from './resolve-roles.ts';

const LEAST_RECORDS = 3;
/** Records with less text are entries of a menu. */
const LEAST_CHARS = 12;
/** This share of the elements must contain a link to be records and not sections of a text. */
const LEAST_LINKED = 0.6;
/** A record has at least so many characters on average, unless it has a picture and a price. */
const LEAST_MEAN = 25;
/** An element with more of the page's sentences is not outside, whatever its names say. */
const MOST_OUTSIDE = 0.5;
/** More than so many if the group stands beside a larger one: shorter records are entries of a menu. */
const LEAST_MEAN_BESIDE = 60;
/** A larger share of the text in one element means that the elements are parts of a layout. */
const MOST_IN_ONE = 0.5;
/** Records of a listing have a link with so many characters, and this share of their text in links. */
const LEAST_TITLE = 8;
const LEAST_IN_LINKS = 0.05;
/** A title beside a picture may be so short. */
const LEAST_WITH_PICTURE = 3;
/** So many records with a picture and a price are goods, whatever the names around them say. */
const LEAST_GOODS = 6;
const MOST_WITHOUT = 0.2;

export interface Records {
  /** The parent of the group with the most text. */
  readonly parent: number;
  readonly records: readonly number[];
  readonly chars: number;
  readonly sentences: number;
  /** The records have links. */
  readonly areLinked: boolean;
  /** The records have linked titles, like the items of a listing. Then all groups of such records are joined. */
  readonly areTitled: boolean;
  /** The records have pictures and prices, like the goods of a shop. */
  readonly areGoods: boolean;
}

/** Returns the groups with the most text first. */
export function findGroups(tree: PageTree, page: PageMeasures, sums: Float64Array, total: number): Records[] {
  const signs = { sums, ...findSigns(tree, page) };
  return groupByForm(tree, page, signs, total)
    .filter(({ records, isOutside }) => !isOutside || areMain(tree, page, signs, records))
    .map(({ records }) => measureGroup(tree, page, signs, records))
    .filter((group) => group !== null)
    .sort((a, b) => b.chars - a.chars);
}

/** Joins the groups with titles that are not inside each other, if the largest group has titles. */
function areComments(tree: PageTree, records: readonly number[]): boolean {
  return /comment/i.test(formOf(tree, records[0] as number));
}

/** Says whether only one of the elements has a heading for the whole page: they are the parts of its layout. */
export function isLayout(tree: PageTree, page: PageMeasures, { records }: Records): boolean {
  const title = findTitle(tree, page);
  const holder = records.find((at) => at <= title && title < tree.end(at));
  if (title < 0 || holder === undefined) return false;
  return !records.some((at) => {
    for (let inside = at; at !== holder && inside < tree.end(at); inside++)
      if (tree.nodes[inside]?.name === 'h1') return true;
    return false;
  });
}

export function joinItems(tree: PageTree, groups: readonly Records[]): Records | null {
  const best = groups.find(({ areLinked, records }) => areLinked && !areComments(tree, records));
  if (best === undefined || !best.areTitled) return null;
  const taken = new Uint8Array(tree.nodes.length);
  const joined = {
    parent: best.parent,
    records: [] as number[],
    chars: 0,
    sentences: 0,
    areLinked: true,
    areTitled: true,
    areGoods: best.areGoods,
  };
  for (const group of groups) {
    const isSmall = group !== best && group.chars < LEAST_MEAN_BESIDE * group.records.length;
    if (!group.areTitled || isSmall || areComments(tree, group.records) || group.records.some((at) => taken[at] === 1))
      continue;
    for (const at of group.records) taken.fill(1, at, tree.end(at));
    joined.records.push(...group.records);
    joined.chars += group.chars;
    joined.sentences += group.sentences;
  }
  return joined;
}

/** What is around a record: nothing special, an element with the name of another role, or no content for sure. */
const NAMED = 1;
const UNSEEN = 2;
/** Elements of HTML that say what they are. Classes are chosen more freely. */
const NO_CONTENT = new Set(['nav', 'header', 'footer']);

interface SameForm {
  readonly records: number[];
  readonly isOutside: boolean;
}

/** The elements of each parent that have the same form, outside the parts that are never content. */
function groupByForm(tree: PageTree, page: PageMeasures, signs: Signs, total: number): SameForm[] {
  const { nodes } = tree;
  const outside = new Uint8Array(nodes.length);
  const groups = new Map<string, SameForm>();
  const title = findTitle(tree, page);
  const { sums, pictures, prices, whole } = signs;
  for (let at = 0; at < nodes.length; at++) {
    const { parent, kind, name } = nodes[at] as (typeof nodes)[number];
    if (parent >= 0) outside[at] = outside[parent] as number;
    if (outside[at] === UNSEEN || kind !== 'element' || page.skipped[at] === 1) continue;
    const hint = page.hints[at] as number;
    const traits = page.traits[at] as number;
    const isLarge = at <= title && title < tree.end(at) && (page.chars[at] as number) > MOST_OUTSIDE * whole;
    const isSmall = (sums[at] as number) <= MOST_OUTSIDE * total && !isLarge;
    const isStrong = (hint & ROLE_BITS) !== 0 && (hint & (WEAK | COMMENT)) === 0 && isSmall;
    if (!(traits & PAGE)) {
      if (hint & HIDDEN || (NO_CONTENT.has(name) && (isStrong || outside[at] === NAMED))) outside[at] = UNSEEN;
      else if (isStrong) {
        const has = (next: Int32Array): boolean => (next[at] as number) < tree.end(at);
        const mayBeMain = has(prices) || (page.chars[at] as number) > MOST_OUTSIDE * whole;
        outside[at] = has(pictures) && mayBeMain ? NAMED : UNSEEN;
      }
      if (outside[at] === UNSEEN) continue;
    }
    const mayBeRecord = traits & (BOX | ITEM) || name === 'tr' || name === 'table' || name === 'a';
    if (parent < 0 || !mayBeRecord || (page.chars[at] as number) < LEAST_CHARS) continue;
    const key = `${parent} ${outside[at]} ${formOf(tree, at)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { records: [at], isOutside: outside[at] === NAMED });
    else group.records.push(at);
  }
  return [...groups.values()].filter(({ records }) => records.length >= LEAST_RECORDS);
}

/** Says whether many records have pictures, and prices or most of the text of the page. Then no name hides them. */
function areMain(tree: PageTree, page: PageMeasures, signs: Signs, records: readonly number[]): boolean {
  if (records.length < LEAST_GOODS || !haveNearly(tree, signs.pictures, records)) return false;
  const chars = records.reduce((sum, at) => sum + (page.chars[at] as number), 0);
  return haveNearly(tree, signs.prices, records) || chars > MOST_OUTSIDE * signs.whole;
}

/** Says whether nearly all records have one of the next nodes inside. */
function haveNearly(tree: PageTree, next: Int32Array, records: readonly number[]): boolean {
  const count = records.filter((at) => (next[at] as number) < tree.end(at)).length;
  return count >= (1 - MOST_WITHOUT) * records.length;
}

/** What tells a title. For each node, the first heading, picture and price from there on. */
interface Signs {
  readonly sums: Float64Array;
  readonly headings: Int32Array;
  readonly pictures: Int32Array;
  readonly prices: Int32Array;
  /** The characters of the whole page. */
  readonly whole: number;
}

function findSigns({ nodes }: PageTree, { traits, hints, chars }: PageMeasures): Omit<Signs, 'sums'> {
  const count = nodes.length;
  const make = (): Int32Array => new Int32Array(count + 1).fill(count);
  const [headings, pictures, prices] = [make(), make(), make()];
  for (let at = count - 1; at >= 0; at--) {
    headings[at] = (traits[at] as number) & HEADING ? at : (headings[at + 1] as number);
    pictures[at] = nodes[at]?.name === 'img' ? at : (pictures[at + 1] as number);
    prices[at] = (hints[at] as number) & PRICE ? at : (prices[at + 1] as number);
  }
  const whole = nodes.reduce((sum, { parent }, at) => (parent === -1 ? sum + (chars[at] as number) : sum), 0);
  return { headings, pictures, prices, whole };
}

function measureGroup(tree: PageTree, page: PageMeasures, signs: Signs, records: number[]): Records | null {
  let chars = 0;
  let sentences = 0;
  let linked = 0;
  let titled = 0;
  let largest = 0;
  for (const at of records) {
    const length = page.chars[at] as number;
    const inLinks = page.linkChars[at] as number;
    chars += length;
    sentences += signs.sums[at] as number;
    if (inLinks > 0) linked++;
    // A title may be short if it is a heading or if it stands beside a picture.
    const heading = signs.headings[at] as number;
    const isShort = heading < tree.end(at) ? (page.linkChars[heading] as number) > 0 : false;
    const isPictured = inLinks >= LEAST_WITH_PICTURE && (signs.pictures[at] as number) < tree.end(at);
    if ((inLinks >= LEAST_TITLE && inLinks >= LEAST_IN_LINKS * length) || isShort || isPictured) titled++;
    largest = Math.max(largest, length);
  }
  const areGoods = haveNearly(tree, signs.pictures, records) && haveNearly(tree, signs.prices, records);
  if (chars < LEAST_MEAN * records.length && !areGoods) return null;
  if (largest > MOST_IN_ONE * chars) return null;
  const parent = tree.nodes[records[0] as number]?.parent as number;
  const [areLinked, areTitled] = [linked, titled].map((count) => count >= LEAST_LINKED * records.length) as [
    boolean,
    boolean,
  ];
  return { parent, records, chars, sentences, areLinked, areTitled, areGoods };
}

/**
 * The name of an element with the first of its class names, without numbers. Its id stands in for a missing class: the
 * columns of a layout often have different ids and no class.
 */
export function formOf(tree: PageTree, at: number): string {
  const names = (tree.attribute(at, 'class') ?? tree.attribute(at, 'id') ?? '').trim();
  const space = names.search(/\s/);
  const first = space < 0 ? names : names.slice(0, space);
  return `${tree.nodes[at]?.name} ${first.slice(0, 60).replace(/\d+/g, '')}`;
}
