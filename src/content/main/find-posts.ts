/**
 * Finds the posts of a thread and what their authors wrote. Each post repeats the same elements around its text: the
 * name of the author, a date, numbers, buttons. The form of the element that holds nearly all sentences of all posts is
 * the form of their text, so that also a post without a sentence is read.
 */
import type { PageTree } from '../page-tree.ts';
import { HEADING, LINK, PAGE } from './element-traits.ts';
import { formOf, type Records } from './find-records.ts';
import type { PageMeasures } from './measure-page.ts';
import { HIDDEN, POSTER } from './name-hints.ts';

/** The posts hold this share of the page's sentences. */
const LEAST_IN_POSTS = 0.6;
/** On a page that names its thread, less is enough. */
const LEAST_IN_POSTS_OF_THREAD = 0.4;
/** This share of the posts have the names of posts. */
const LEAST_NAMED = 0.6;
/** A linked heading with less text is the name of an author. With more it is the title of an item of a listing. */
const LEAST_TITLE = 18;
/** The text of the posts holds this share of their sentences, and this share of the posts have it. */
const LEAST_IN_TEXT = 0.85;
const LEAST_WITH_TEXT = 0.8;
/** The text of a post is usually one element. */
const MOST_IN_POST = 1.2;
/** A signature has at most this share of the sentences of a post. */
const MOST_BESIDE_TEXT = 0.7;
/** Comments beside more sentences than these are those of an article, however many there are. */
const MOST_BESIDE_COMMENTS = 600;
/** How the programs of forums name a post. */
const POST_NAME = /post|message|comment|reply|answer|msg/i;
/** How they name the thread and the parts around it. So many elements with such names tell a thread. */
const THREAD_NAME = /(?:^|[\s_-])(?:thread|topic|forum|viewtopic|showthread|bbp|discussion)/i;
const LEAST_THREAD_NAMES = 4;
const MAX_NAME_CHARS = 300;
/** Only so many groups of elements with one name are looked at, so that the time stays linear. */
const MOST_NAMES = 20;

/** Says whether the names of the page's elements are those of a thread of a forum. */
export function namesThread({ nodes }: PageTree): boolean {
  let count = 0;
  for (const { attributes } of nodes) {
    for (let i = 0; i < attributes.length; i += 2) {
      if (attributes[i] !== 'class' && attributes[i] !== 'id') continue;
      if (!THREAD_NAME.test((attributes[i + 1] as string).slice(0, MAX_NAME_CHARS))) continue;
      if (++count >= LEAST_THREAD_NAMES) return true;
      break;
    }
  }
  return false;
}

/** The largest group of records that are posts and hold most sentences of the page, or null. */
export function findPosts(
  tree: PageTree,
  page: PageMeasures,
  sums: Float64Array,
  groups: readonly Records[],
  total: number,
): Records | null {
  const isThread = namesThread(tree);
  const least = (isThread ? LEAST_IN_POSTS_OF_THREAD : LEAST_IN_POSTS) * total;
  const isPost = (at: number): boolean => postName(tree, at) !== null;
  const named = isThread ? groupByName(tree, page, sums) : [];
  let best: Records | null = null;
  for (const group of [...groups, ...named]) {
    const { records, sentences } = group;
    if (sentences < least || sentences <= (best?.sentences ?? 0)) continue;
    if (records.filter(isPost).length < LEAST_NAMED * records.length) continue;
    const titled = records.filter((at) => hasLinkedHeading(tree, page, at)).length;
    if (2 * titled > records.length) continue;
    if (!areComments(tree, records) || total - sentences <= MOST_BESIDE_COMMENTS) best = group;
  }
  return best;
}

export function areComments(tree: PageTree, records: readonly number[]): boolean {
  return /comment/i.test(formOf(tree, records[0] as number));
}

/** The first of the names of an element that is the name of a post, without numbers, or null. */
function postName(tree: PageTree, at: number): string | null {
  const names = `${tree.attribute(at, 'class') ?? ''} ${tree.attribute(at, 'id') ?? ''}`.slice(0, MAX_NAME_CHARS);
  if (!POST_NAME.test(names)) return null;
  return (
    names
      .split(/\s+/)
      .find((name) => POST_NAME.test(name))
      ?.replace(/\d+/g, '') ?? null
  );
}

/** Groups elements by the name of a post, wherever they are: replies may stand in lists inside of other replies. */
function groupByName(tree: PageTree, page: PageMeasures, sums: Float64Array): Records[] {
  const groups = new Map<string, { records: number[]; end: number; chars: number; sentences: number }>();
  const { nodes } = tree;
  for (let at = 0; at < nodes.length; at++) {
    if (nodes[at]?.kind !== 'element' || page.skipped[at] === 1 || (page.chars[at] as number) === 0) continue;
    if ((page.traits[at] as number) & PAGE || (page.hints[at] as number) & HIDDEN) continue;
    const name = postName(tree, at);
    if (name === null) continue;
    const key = `${nodes[at]?.name} ${name}`;
    let group = groups.get(key);
    if (group === undefined) {
      group = { records: [], end: 0, chars: 0, sentences: 0 };
      groups.set(key, group);
    }
    if (at < group.end) continue;
    group.end = tree.end(at);
    group.records.push(at);
    group.chars += page.chars[at] as number;
    group.sentences += sums[at] as number;
  }
  return [...groups.values()]
    .filter(({ records }) => records.length > 1)
    .sort((a, b) => b.sentences - a.sentences)
    .slice(0, MOST_NAMES)
    .map(({ records, chars, sentences }) => {
      const parent = commonParent(tree, records);
      return { parent, records, chars, sentences, areLinked: true, areTitled: false };
    });
}

/** The innermost element around all records. */
function commonParent(tree: PageTree, records: readonly number[]): number {
  let parent = tree.nodes[records[0] as number]?.parent ?? -1;
  const last = records.at(-1) as number;
  while (parent >= 0 && tree.end(parent) <= last) parent = tree.nodes[parent]?.parent ?? -1;
  return parent;
}

/** A heading with a link to a part of a page is the subject of a post. */
function hasLinkedHeading(tree: PageTree, { traits, linkChars }: PageMeasures, record: number): boolean {
  for (let at = record; at < tree.end(record); at++) {
    if (!((traits[at] as number) & HEADING)) continue;
    if ((linkChars[at] as number) < LEAST_TITLE) return false;
    for (let inside = at; inside < tree.end(at); inside++) {
      if ((traits[inside] as number) & LINK && tree.attribute(inside, 'href')?.includes('#')) return false;
    }
    return true;
  }
  return false;
}

/** Says whether the posts are the whole thread. Answers, replies and comments belong to a text beside them. */
export function areWholeThread(tree: PageTree, { records }: Records): boolean {
  return /post|message|msg/i.test(postName(tree, records[0] as number) ?? '');
}

/** The form of the text of the posts. */
interface TextForm {
  sentences: number;
  chars: number;
  /** How many posts have it, and how often it occurs in all of them. */
  records: number;
  count: number;
  last: number;
  end: number;
}

export interface PostTexts {
  /** 1 for the nodes of the thread that are not the text of a post. */
  readonly beside: Uint8Array;
  /** The elements around the text of each post. Their names say nothing about the text. */
  readonly around: ReadonlySet<number>;
}

/**
 * Finds the text of each post of a thread, or null if the posts have no common form of text. Without a thread, only the
 * posts themselves are read. In a thread, a post that stands apart is known by the form of its text.
 */
export function findTexts(
  tree: PageTree,
  page: PageMeasures,
  sums: Float64Array,
  posts: Records,
  thread: number,
): PostTexts | null {
  const text = findTextForm(tree, page, sums, posts);
  if (text === null) return null;
  const beside = new Uint8Array(tree.nodes.length);
  const around = new Set<number>();
  for (const from of thread >= 0 ? [thread] : posts.records) beside.fill(1, from, tree.end(from));
  // A copy of a text outside of the posts may be hidden, so only names inside of posts are ignored.
  const inPost = new Uint8Array(tree.nodes.length);
  for (const record of posts.records) inPost.fill(1, record, tree.end(record));
  for (const record of posts.records) {
    for (let above = record; above >= 0 && !around.has(above); above = tree.nodes[above]?.parent ?? -1)
      around.add(above);
  }
  for (let at = 0; at < beside.length; at++) {
    if (beside[at] === 0 || tree.nodes[at]?.kind !== 'element' || formOf(tree, at) !== text) continue;
    beside.fill(0, at, tree.end(at));
    for (let above = tree.nodes[at]?.parent ?? -1; above >= 0 && beside[above] === 1; ) {
      beside[above] = 0;
      if (inPost[above] === 1) around.add(above);
      above = tree.nodes[above]?.parent ?? -1;
    }
    at = Math.max(at, tree.end(at) - 1);
  }
  return { beside, around };
}

/**
 * The form of the smallest elements with nearly all sentences of the posts. A form that each post has once is
 * preferred.
 */
function findTextForm(
  tree: PageTree,
  page: PageMeasures,
  sums: Float64Array,
  { records, sentences }: Records,
): string | null {
  const forms = new Map<string, TextForm>();
  let beside = 0;
  for (const [index, record] of records.entries()) {
    for (let at = record; at < tree.end(record); at++) {
      const isSmall = (sums[at] as number) <= MOST_BESIDE_TEXT * (sums[record] as number);
      if (at > record && isSmall && (page.hints[at] as number) & POSTER) {
        // Signatures may be longer than posts.
        beside += sums[at] as number;
        at = Math.max(at, tree.end(at) - 1);
        continue;
      }
      if (tree.nodes[at]?.kind !== 'element' || tree.attribute(at, 'class') === null) continue;
      const name = formOf(tree, at);
      let form = forms.get(name);
      if (form === undefined) {
        form = { sentences: 0, chars: 0, records: 0, count: 0, last: -1, end: 0 };
        forms.set(name, form);
      }
      // An element inside another one of its form was counted with it.
      if (at < form.end) continue;
      form.end = tree.end(at);
      form.sentences += sums[at] as number;
      form.chars += page.chars[at] as number;
      form.count++;
      if (form.last !== index) form.records++;
      form.last = index;
    }
  }
  const least = LEAST_IN_TEXT * (sentences - beside);
  const found = [...forms].filter(
    ([, form]) => form.sentences >= least && form.records >= LEAST_WITH_TEXT * records.length,
  );
  const once = found.filter(([, form]) => form.count <= MOST_IN_POST * form.records);
  const smallest = (once.length > 0 ? once : found).sort(([, a], [, b]) => a.chars - b.chars)[0];
  return smallest?.[0] ?? null;
}
