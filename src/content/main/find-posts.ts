/**
 * Finds the posts of a thread: records, or elements anywhere on the page, with the names of posts. What stands around
 * the text of each post is left to find-post-texts.ts.
 */
import type { PageTree } from '../page-tree.ts';
import { HEADING, LINK, PAGE } from './element-traits.ts';
import { formOf, type Records } from './find-records.ts';
import type { PageMeasures } from './measure-page.ts';
import { HIDDEN } from './name-words.ts';

/** The posts hold this share of the page's sentences. */
const LEAST_IN_POSTS = 0.6;
/** On a page that names its thread, less is enough. */
const LEAST_IN_POSTS_OF_THREAD = 0.4;
/** This share of the posts have the names of posts. */
const LEAST_NAMED = 0.6;
/** A linked heading with less text is the name of an author. With more it is the title of an item of a listing. */
const LEAST_TITLE = 18;
/** Comments beside more sentences than these are those of an article, however many there are. */
const MOST_BESIDE_COMMENTS = 600;
/** How the programs of forums name a post. A board with a `lastpost` is no post. */
const POST_NAME = /(?<!(?:no|last|latest|new)[-_]?)post|message|comment|reply|answer|msg/i;
/** The id of a post is a short name with the number of the post. */
const POST_ID = /^(p|pid|m|mid|c|cid|entry)[-_]?\d{3,}$/i;
/** How they name the thread and the parts around it. So many elements with such names tell a thread. */
const THREAD_NAME = /(?:^|[\s_-])(?:thread|topic|forum|viewtopic|showthread|bbp|discussion)/i;
const LEAST_THREAD_NAMES = 4;
/** What stands beside each post about its author. A list of threads has no such notes, so three tell a thread. */
const AUTHOR_LABEL =
  /^\s*(?:joined|join date|member since|registered|post subject|registriert|dabei seit|inscrit|registrado|registrato|dołączył|регистрация|зарегистрирован)\s*(?:[:：]|$)/i;
const LEAST_LABEL_CHARS = 6;
const MOST_LABEL_CHARS = 60;
const LEAST_AUTHOR_LABELS = 3;
/** How they name the whole page of a thread. */
const PAGE_OF_THREAD =
  /thread[-_]?view|view[-_]?(?:topic|thread)|topic[-_]?(?:show|view)|show[-_]?thread|single-topic/i;
const MAX_NAME_CHARS = 300;
/** Only so many groups of elements with one name are looked at, so that the time stays linear. */
const MOST_NAMES = 20;

/** Says whether the names of the page's elements, or its notes about authors, are those of a thread of a forum. */
export function namesThread({ nodes }: PageTree): boolean {
  let count = 0;
  let labels = 0;
  for (const { kind, name, attributes, text } of nodes) {
    if (kind === 'text') {
      if (text.length > MOST_LABEL_CHARS || text.length < LEAST_LABEL_CHARS || !AUTHOR_LABEL.test(text)) continue;
      if (++labels >= LEAST_AUTHOR_LABELS) return true;
    }
    for (let i = 0; i < attributes.length; i += 2) {
      if (attributes[i] !== 'class' && attributes[i] !== 'id') continue;
      const value = (attributes[i + 1] as string).slice(0, MAX_NAME_CHARS);
      if ((name === 'html' || name === 'body') && PAGE_OF_THREAD.test(value)) return true;
      if (!THREAD_NAME.test(value)) continue;
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
  if (!POST_NAME.test(names)) return POST_ID.exec(tree.attribute(at, 'id') ?? '')?.[1] ?? null;
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
      return { parent, records, chars, sentences, areLinked: true, areTitled: false, areGoods: false };
    });
}

/** The innermost element around all records. */
export function commonParent(tree: PageTree, records: readonly number[]): number {
  let parent = tree.nodes[records[0] as number]?.parent ?? -1;
  const last = records.at(-1) as number;
  while (parent >= 0 && tree.end(parent) <= last) parent = tree.nodes[parent]?.parent ?? -1;
  return parent;
}

/** A short heading may be the name of an author. With a link to a part of a page, it is the subject of a post. */
function hasLinkedHeading(tree: PageTree, { traits, linkChars }: PageMeasures, record: number): boolean {
  for (let at = record; at < tree.end(record); at++) {
    if (!((traits[at] as number) & HEADING)) continue;
    const isTitle = /title/i.test((tree.attribute(at, 'class') ?? '').slice(0, MAX_NAME_CHARS));
    if ((linkChars[at] as number) < (isTitle ? 1 : LEAST_TITLE)) return false;
    for (let inside = at; inside < tree.end(at); inside++) {
      if ((traits[inside] as number) & LINK && tree.attribute(inside, 'href')?.includes('#')) return false;
    }
    return true;
  }
  return false;
}

/** Says whether the posts are the whole thread. Answers, replies and comments belong to a text beside them. */
export function areWholeThread(tree: PageTree, { records }: Records): boolean {
  return /post|message|msg|^(?:p|pid|m|mid)$/i.test(postName(tree, records[0] as number) ?? '');
}
