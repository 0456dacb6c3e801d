/**
 * Finds footnotes by their links: a mark in the text links to a note, and the note links back to the mark. Sphinx,
 * Wikipedia, GitHub, DocBook and all converters of Markdown write footnotes so, with different elements and classes.
 *
 * In: the nodes of a page. Out: which nodes are references and which are notes, with their labels. The links back and
 * the numbers in the notes are taken out of the marks of the page, so that they are not shown.
 */
import type { OutlineNode } from '../../core/page/page-outline.ts';
import { KIND } from './element-kinds.ts';
import { HIDDEN, type PageNodes, SHOWN } from './page-nodes.ts';

export interface Footnotes {
  readonly references: ReadonlyMap<number, string>;
  readonly notes: ReadonlyMap<number, string>;
}

/** The text of a reference: a number, a letter or a sign, possibly in brackets. */
const MARK = /^[[(]?(?:\d{1,4}|[a-z]{1,3}|[ivx]{1,6}|(?:note|nb|fn)\s?\d{1,3}|[*†‡§‖¶^]{1,3})[\])]?$/i;
/** Text that only surrounds a link back. */
const NOTE_SIGNS = /^(?:[\s[\]().,:^↑↩↵⏎]|\ufe0e|\ufe0f){0,12}$/;
const MAX_MARK_NODES = 8;
const MAX_LINKS_IN_NOTE = 60;

export function findFootnotes(page: PageNodes): Footnotes {
  const references = new Map<number, string>();
  const notes = new Map<number, string>();
  const marked = page.fragmentLinks.filter((link) => MARK.test(shortText(page, link)));
  if (marked.length === 0) return { references, notes };
  const nodeOfId = findIds(page);
  const labels = new Set<string>();
  const labelOfTarget = new Map<number, string | null>();
  const allBackLinks = new Set<number>();
  for (const link of marked) {
    const target = targetOf(page, link, nodeOfId);
    const isShown = ((page.marks[link] as number) & SHOWN) !== 0;
    if (target === undefined || !isShown || allBackLinks.has(link)) continue;
    let label = labelOfTarget.get(target);
    if (label === undefined) {
      const note = noteAt(page, target);
      const backLinks = note === null ? [] : backLinksIn(page, note, link, nodeOfId);
      label = note === null || backLinks.length === 0 ? null : newLabel(shortText(page, link), labels);
      labelOfTarget.set(target, label);
      if (note !== null && label !== null) {
        for (const back of backLinks) {
          hide(page, back, note.content);
          allBackLinks.add(back);
        }
        if (note.label >= 0) page.marks[note.label] = HIDDEN;
        notes.set(note.content, label);
      }
    }
    if (label !== null) references.set(outermostMark(page, link), label);
  }
  return { references, notes };
}

function findIds({ tree }: PageNodes): Map<string, number> {
  const nodeOfId = new Map<string, number>();
  for (let at = 0; at < tree.nodes.length; at++) {
    const { attributes, name } = tree.nodes[at] as OutlineNode;
    for (let i = 0; i < attributes.length; i += 2) {
      const isId = attributes[i] === 'id' || (attributes[i] === 'name' && name === 'a');
      const id = attributes[i + 1];
      if (isId && id !== undefined && !nodeOfId.has(id)) nodeOfId.set(id, at);
    }
  }
  return nodeOfId;
}

function targetOf({ tree }: PageNodes, link: number, nodeOfId: ReadonlyMap<string, number>): number | undefined {
  const id = (tree.attribute(link, 'href') ?? '').slice(1);
  const found = nodeOfId.get(id);
  if (found !== undefined || !id.includes('%')) return found;
  try {
    return nodeOfId.get(decodeURIComponent(id));
  } catch {
    return undefined;
  }
}

interface Note {
  /** The element with the text of the note. */
  readonly content: number;
  /** The element with the links back. */
  readonly links: number;
  /** An element that is only the number of the note, or -1. */
  readonly label: number;
}

function noteAt({ tree, kinds, marks }: PageNodes, target: number): Note | null {
  let at = target;
  while (at >= 0 && isInline(kinds[at] as number)) at = tree.nodes[at]?.parent ?? -1;
  if (at < 0 || ((marks[at] as number) & SHOWN) === 0) return null;
  switch (kinds[at]) {
    case KIND.TERM:
    case KIND.HEADING: {
      // The number is a term or a heading, and the next element is the note.
      let next = tree.end(at);
      if (tree.nodes[next]?.kind === 'text') next++;
      const isNext = tree.nodes[next]?.parent === tree.nodes[at]?.parent && (kinds[next] as number) !== KIND.HEADING;
      return isNext && (marks[next] as number) & SHOWN ? { content: next, links: at, label: at } : null;
    }
    case KIND.ITEM:
    case KIND.DEFINITION:
    case KIND.TABLE:
    case KIND.CELL:
      return { content: at, links: at, label: -1 };
    case KIND.BLOCK:
      return tree.nodes[at]?.name === 'body' ? null : { content: at, links: at, label: -1 };
    default:
      return null;
  }
}

function isInline(kind: number): boolean {
  return kind === KIND.INLINE || kind === KIND.LINK || (kind >= KIND.STRONG && kind <= KIND.CODE);
}

/** The links of the note that lead back to marks in the text, or nothing if none of them leads to this mark. */
function backLinksIn(page: PageNodes, note: Note, mark: number, nodeOfId: ReadonlyMap<string, number>): number[] {
  const { tree, fragmentLinks } = page;
  const end = Math.max(tree.end(note.links), tree.end(note.content));
  if (mark >= note.links && mark < end) return [];
  const found: number[] = [];
  let isMutual = false;
  let i = firstAtLeast(fragmentLinks, note.links);
  for (let links = 0; links < MAX_LINKS_IN_NOTE && (fragmentLinks[i] ?? end) < end; links++, i++) {
    const link = fragmentLinks[i] as number;
    const back = targetOf(page, link, nodeOfId);
    if (back === undefined || (back >= note.links && back < end)) continue;
    if (isNear(page, back, mark)) isMutual = true;
    if (shortText(page, link).length <= 6) found.push(link);
  }
  return isMutual ? found : [];
}

/** True if the node is the mark, is in it, or is a small element around it. */
function isNear({ tree }: PageNodes, node: number, mark: number): boolean {
  if (node >= mark) return node < tree.end(mark);
  return mark < tree.end(node) ? tree.end(node) - node < 2 * MAX_MARK_NODES : mark - node <= 2;
}

function firstAtLeast(sorted: readonly number[], least: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Hides the link back, together with elements that contain only its brackets. */
function hide({ tree, marks, kinds }: PageNodes, link: number, note: number): void {
  let at = link;
  for (let steps = 0; steps < 4; steps++) {
    const parent = tree.nodes[at]?.parent ?? -1;
    if (parent <= note || tree.end(parent) - parent > 4 * MAX_MARK_NODES) break;
    if (kinds[parent] === KIND.ITEM || !NOTE_SIGNS.test(textBesideLinks(tree, parent))) break;
    at = parent;
  }
  marks[at] = HIDDEN;
}

/** `<sup>[<a>1</a>]</sup>` is the reference as a whole. */
function outermostMark(page: PageNodes, link: number): number {
  const parent = page.tree.nodes[link]?.parent ?? -1;
  if (parent < 0 || page.kinds[parent] !== KIND.SUPERSCRIPT) return link;
  return MARK.test(shortText(page, parent)) ? parent : link;
}

function newLabel(mark: string, labels: Set<string>): string {
  const name = mark.replace(/[^\da-z]/gi, '').toLowerCase();
  let label = name === '' ? String(labels.size + 1) : name;
  for (let number = labels.size + 1; labels.has(label); number++)
    label = name === '' ? String(number) : `${name}-${number}`;
  labels.add(label);
  return label;
}

/** The text of a small element, or a text that is no mark. */
function shortText({ tree }: PageNodes, at: number): string {
  return tree.end(at) - at > MAX_MARK_NODES ? '……………………' : textIn(tree, at, 24).trim();
}

function textIn(tree: PageNodes['tree'], at: number, maxChars: number): string {
  const end = tree.end(at);
  let text = '';
  for (let i = at + 1; i < end && text.length <= maxChars; i++) text += tree.nodes[i]?.text ?? '';
  return text;
}

function textBesideLinks(tree: PageNodes['tree'], at: number): string {
  const end = tree.end(at);
  let text = '';
  for (let i = at + 1; i < end; ) {
    const isLink = tree.nodes[i]?.name === 'a';
    if (!isLink) text += tree.nodes[i]?.text ?? '';
    i = isLink ? tree.end(i) : i + 1;
  }
  return text;
}
