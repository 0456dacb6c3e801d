/**
 * Finds what the authors of a thread wrote. Each post repeats the same elements around its text: the name of the
 * author, a date, numbers, buttons. The form of the element that holds nearly all sentences of all posts is the form of
 * their text, so that also a post without a sentence is read. If microdata marks the texts, their forms are known.
 */
import type { PageTree } from '../page-tree.ts';
import { commonParent } from './find-posts.ts';
import { formOf, type Records } from './find-records.ts';
import type { PageMeasures } from './measure-page.ts';
import { POSTER } from './name-words.ts';

/** The text of the posts holds this share of their sentences, and this share of the posts have it. */
const LEAST_IN_TEXT = 0.85;
const LEAST_WITH_TEXT = 0.8;
/** The text of a post is usually one element. */
const MOST_IN_POST = 1.2;
/** A signature has at most this share of the sentences of a post. */
const MOST_BESIDE_TEXT = 0.7;
/** The texts that microdata marks hold this share of the sentences of the page. */
const LEAST_MARKED = 0.4;
/** Marked texts have few forms. */
const MOST_FORMS = 4;
const MOST_LEVELS_TO_ITEM = 20;
const MOST_LEVELS_TO_FORM = 4;
const POST_TYPE = /\/(?:Question|Answer|Comment|DiscussionForumPosting|SocialMediaPosting)$/;

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
  /** 1 for the nodes of the texts of posts. */
  readonly inside: Uint8Array;
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
): { texts: PostTexts; thread: number } | null {
  const form = findTextForm(tree, page, sums, posts);
  if (form === null) return null;
  const forms = new Set([form]);
  if (thread < 0) return { texts: textsOf(tree, forms, posts.records, posts.records), thread };
  const around = form.endsWith(' ') ? -1 : threadAround(tree, page, forms, posts.records[0] as number);
  const whole = around >= 0 && around < thread && tree.end(around) >= tree.end(thread) ? around : thread;
  return { texts: textsOf(tree, forms, [whole], posts.records), thread: whole };
}

/** The texts that microdata marks as those of a question, an answer or a post, and those of the same form. */
export function findMarkedTexts(
  tree: PageTree,
  page: PageMeasures,
  sums: Float64Array,
  total: number,
): { texts: PostTexts; thread: number } | null {
  const marked: number[] = [];
  let sentences = 0;
  for (let at = 0; at < tree.nodes.length; at++) {
    if (!isMarked(tree, at)) continue;
    marked.push(at);
    sentences += sums[at] as number;
    at = Math.max(at, tree.end(at) - 1);
  }
  if (marked.length === 0 || sentences < LEAST_MARKED * total) return null;
  const forms = new Set(marked.map((at) => formOf(tree, namedAround(tree, page, at))));
  const thread = threadAround(tree, page, forms, marked[0] as number);
  if (forms.size > MOST_FORMS || thread < 0 || [...forms].some((form) => form.endsWith(' '))) return null;
  return { texts: textsOf(tree, forms, [thread], marked), thread };
}

/** The innermost element around all visible texts of such forms: the first post of a thread often stands apart. */
function threadAround(tree: PageTree, page: PageMeasures, forms: ReadonlySet<string>, first: number): number {
  const texts: number[] = [];
  for (let at = 0; at < tree.nodes.length; at++) {
    if (tree.nodes[at]?.kind !== 'element' || page.skipped[at] === 1 || (page.chars[at] as number) === 0) continue;
    // An element around the whole thread may have the same form.
    if (at < first && tree.end(at) > first) continue;
    if (forms.has(formOf(tree, at))) texts.push(at);
  }
  return texts.length === 0 ? -1 : commonParent(tree, texts);
}

/** The innermost element with a class or an id that has the same text and no more. */
function namedAround({ nodes }: PageTree, { chars }: PageMeasures, text: number): number {
  for (let at = text, level = 0; at >= 0 && level < MOST_LEVELS_TO_FORM; level++) {
    if (chars[at] !== chars[text]) break;
    if (nodes[at]?.attributes.includes('class') || nodes[at]?.attributes.includes('id')) return at;
    at = nodes[at]?.parent ?? -1;
  }
  return text;
}

function isMarked(tree: PageTree, at: number): boolean {
  const { nodes } = tree;
  if (!nodes[at]?.attributes.includes('itemprop')) return false;
  const property = tree.attribute(at, 'itemprop');
  if (property !== 'text' && property !== 'articleBody') return false;
  let item = at;
  for (let level = 0; item >= 0 && level < MOST_LEVELS_TO_ITEM; level++) {
    if (nodes[item]?.attributes.includes('itemtype')) return POST_TYPE.test(tree.attribute(item, 'itemtype') ?? '');
    item = nodes[item]?.parent ?? -1;
  }
  return false;
}

/** Everything inside of the regions is beside the texts, except the elements with one of the forms. */
function textsOf(
  tree: PageTree,
  forms: ReadonlySet<string>,
  regions: readonly number[],
  records: readonly number[],
): PostTexts {
  const beside = new Uint8Array(tree.nodes.length);
  const inside = new Uint8Array(tree.nodes.length);
  const around = new Set<number>();
  for (const from of regions) beside.fill(1, from, tree.end(from));
  // A copy of a text outside of the posts may be hidden, so only names inside of posts are ignored.
  const inPost = new Uint8Array(tree.nodes.length);
  for (const record of records) inPost.fill(1, record, tree.end(record));
  for (const record of records) {
    for (let above = record; above >= 0 && !around.has(above); above = tree.nodes[above]?.parent ?? -1)
      around.add(above);
  }
  for (let at = 0; at < beside.length; at++) {
    if (beside[at] === 0 || tree.nodes[at]?.kind !== 'element' || !forms.has(formOf(tree, at))) continue;
    beside.fill(0, at, tree.end(at));
    inside.fill(1, at + 1, tree.end(at));
    for (let above = tree.nodes[at]?.parent ?? -1; above >= 0 && beside[above] === 1; ) {
      beside[above] = 0;
      if (inPost[above] === 1) around.add(above);
      above = tree.nodes[above]?.parent ?? -1;
    }
    at = Math.max(at, tree.end(at) - 1);
  }
  return { beside, inside, around };
}

/** An element without a class has a form if its id has a number, as each post has one of its own. */
function hasForm(tree: PageTree, at: number): boolean {
  return tree.attribute(at, 'class') !== null || /\d/.test(tree.attribute(at, 'id') ?? '');
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
      if (tree.nodes[at]?.kind !== 'element' || !hasForm(tree, at)) continue;
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
