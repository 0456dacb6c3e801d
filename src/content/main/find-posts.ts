/**
 * Finds the posts of a thread and what their authors wrote. Each post repeats the same elements around its text: the
 * name of the author, a date, numbers, buttons. The form of the element that holds nearly all sentences of all posts is
 * the form of their text, so that also a post without a sentence is read.
 */
import type { PageTree } from '../page-tree.ts';
import { HEADING } from './element-traits.ts';
import { areComments, formOf, type Records } from './find-records.ts';
import type { PageMeasures } from './measure-page.ts';

/** The posts hold this share of the page's sentences. */
const LEAST_IN_POSTS = 0.6;
/** This share of the posts have the names of posts. */
const LEAST_NAMED = 0.6;
/** A linked heading with less text is the name of an author. With more it is the title of an item of a listing. */
const LEAST_TITLE = 18;
/** The text of the posts holds this share of their sentences, and this share of the posts have it. */
const LEAST_IN_TEXT = 0.85;
const LEAST_WITH_TEXT = 0.8;
/** Comments beside more sentences than these are those of an article, however many there are. */
const MOST_BESIDE_COMMENTS = 600;
/** How the programs of forums name a post. */
const POST_NAME = /post|message|comment|reply|answer|msg/i;
const MAX_NAME_CHARS = 300;

/** The largest group of records that are posts and hold most sentences of the page, or null. */
export function findPosts(
  tree: PageTree,
  page: PageMeasures,
  groups: readonly Records[],
  total: number,
): Records | null {
  const isPost = (at: number): boolean =>
    POST_NAME.test(`${tree.attribute(at, 'class') ?? ''} ${tree.attribute(at, 'id') ?? ''}`.slice(0, MAX_NAME_CHARS));
  for (const group of groups) {
    const { records, sentences } = group;
    if (sentences < LEAST_IN_POSTS * total) continue;
    if (records.filter(isPost).length < LEAST_NAMED * records.length) continue;
    const titled = records.filter((at) => hasLinkedHeading(tree, page, at)).length;
    if (2 * titled > records.length) continue;
    if (!areComments(tree, records) || total - sentences <= MOST_BESIDE_COMMENTS) return group;
  }
  return null;
}

function hasLinkedHeading(tree: PageTree, { traits, linkChars }: PageMeasures, record: number): boolean {
  for (let at = record; at < tree.end(record); at++) {
    if ((traits[at] as number) & HEADING) return (linkChars[at] as number) >= LEAST_TITLE;
  }
  return false;
}

/** Says whether the posts are the whole thread. Answers, replies and comments belong to a text beside them. */
export function areWholeThread(tree: PageTree, { records }: Records): boolean {
  return /post|message|msg/i.test(formOf(tree, records[0] as number));
}

/** Marks the nodes of the posts that are not their text. Returns null if the posts have no common form of text. */
export function markBesideText(
  tree: PageTree,
  page: PageMeasures,
  sums: Float64Array,
  { records, sentences }: Records,
): Uint8Array | null {
  const forms = new Map<string, { sentences: number; chars: number; records: number; last: number; end: number }>();
  for (const [index, record] of records.entries()) {
    for (let at = record + 1; at < tree.end(record); at++) {
      if (tree.nodes[at]?.kind !== 'element' || tree.attribute(at, 'class') === null) continue;
      const name = formOf(tree, at);
      let form = forms.get(name);
      if (form === undefined) {
        form = { sentences: 0, chars: 0, records: 0, last: -1, end: 0 };
        forms.set(name, form);
      }
      // An element inside another one of its form was counted with it.
      if (at < form.end) continue;
      form.end = tree.end(at);
      form.sentences += sums[at] as number;
      form.chars += page.chars[at] as number;
      if (form.last !== index) form.records++;
      form.last = index;
    }
  }
  let best: [name: string, chars: number] | null = null;
  for (const [name, form] of forms) {
    if (form.sentences < LEAST_IN_TEXT * sentences || form.records < LEAST_WITH_TEXT * records.length) continue;
    if (best === null || form.chars < best[1]) best = [name, form.chars];
  }
  if (best === null) return null;
  const beside = new Uint8Array(tree.nodes.length);
  for (const record of records) {
    beside.fill(1, record, tree.end(record));
    for (let at = record + 1; at < tree.end(record); at++) {
      if (tree.nodes[at]?.kind !== 'element' || formOf(tree, at) !== best[0]) continue;
      beside.fill(0, at, tree.end(at));
      for (let above = tree.nodes[at]?.parent ?? -1; above >= record && beside[above] === 1; ) {
        beside[above] = 0;
        above = tree.nodes[above]?.parent ?? -1;
      }
      at = Math.max(at, tree.end(at) - 1);
    }
  }
  return beside;
}
