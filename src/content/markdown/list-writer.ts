/**
 * The lists and definition lists of a page. GitHub's Markdown has no definition lists: a term is written as an item in
 * bold type, and its definitions are the content of the item.
 */
import { KIND } from '../elements/element-kinds.ts';
import { HIDDEN, type PageNodes, SHOWN } from '../elements/page-nodes.ts';
import type { BlockWriter, List } from './block-writer.ts';
import { FORMAT, type InlineText } from './inline-text.ts';

interface OpenList {
  readonly node: number;
  readonly list: List;
  /** A list that is a child of a list, and not of an item, continues the item before it. */
  readonly isInLastItem: boolean;
  /** An item of a definition list stays open until the next term. */
  hasOpenItem: boolean;
  /** The terms of a definition list that were written since the last definition. */
  terms: number;
}

export class ListWriter {
  readonly #page: PageNodes;
  readonly #blocks: BlockWriter;
  readonly #open: OpenList[] = [];
  /** The items that are containers. Items outside of lists, or too deep, are only blocks. */
  readonly #items = new Set<number>();

  constructor(page: PageNodes, blocks: BlockWriter) {
    this.#page = page;
    this.#blocks = blocks;
  }

  enter(at: number, kind: number, inline: InlineText): void {
    if (kind === KIND.LIST || kind === KIND.TERMS) this.#enterList(at, kind);
    else if (kind === KIND.ITEM) this.#enterItem(at);
    else if (kind === KIND.TERM) this.#enterTerm(inline);
    else if (kind === KIND.DEFINITION) this.#enterDefinition();
  }

  leave(at: number, kind: number, inline: InlineText): void {
    if (kind === KIND.LIST || kind === KIND.TERMS) this.#leaveList();
    else if (kind === KIND.ITEM && this.#items.delete(at)) this.#blocks.close();
    else if (kind === KIND.TERM) inline.close();
  }

  #enterList(at: number, kind: number): void {
    const outer = this.#open.at(-1);
    const isInLastItem =
      outer !== undefined &&
      kind === KIND.LIST &&
      this.#page.tree.nodes[at]?.parent === outer.node &&
      outer.list.items > 0 &&
      this.#blocks.canNest;
    if (isInLastItem) this.#blocks.reopenItem(outer.list);
    const isOrdered = this.#page.tree.nodes[at]?.name === 'ol';
    const isReversed = isOrdered && this.#page.tree.attribute(at, 'reversed') !== null;
    const start = numberOf(this.#page.tree.attribute(at, 'start')) ?? (isReversed ? this.#countItems(at) : 1);
    const list = this.#blocks.newList(isOrdered, start, isReversed ? -1 : 1);
    this.#open.push({ node: at, list, isInLastItem, hasOpenItem: false, terms: 0 });
  }

  #leaveList(): void {
    const left = this.#open.pop();
    if (left === undefined) return;
    if (left.hasOpenItem) this.#blocks.close();
    this.#blocks.endList(left.list);
    if (left.isInLastItem) this.#blocks.close();
  }

  #enterItem(at: number): void {
    const open = this.#open.at(-1);
    if (open === undefined || !this.#blocks.canNest || this.#page.kinds[open.node] !== KIND.LIST) return;
    const { list } = open;
    list.number = numberOf(this.#page.tree.attribute(at, 'value')) ?? list.number;
    this.#blocks.openItem(list, list.number);
    list.number += list.step;
    this.#items.add(at);
  }

  #enterTerm(inline: InlineText): void {
    const open = this.#open.at(-1);
    if (open !== undefined && this.#page.kinds[open.node] === KIND.TERMS) {
      if (open.terms === 0) {
        if (open.hasOpenItem) this.#blocks.close();
        open.hasOpenItem = this.#blocks.canNest;
        if (open.hasOpenItem) this.#blocks.openItem(open.list, 1);
      }
      open.terms++;
    }
    inline.open(FORMAT.STRONG, '');
  }

  #enterDefinition(): void {
    const open = this.#open.at(-1);
    if (open === undefined || this.#page.kinds[open.node] !== KIND.TERMS) return;
    open.terms = 0;
    if (open.hasOpenItem || !this.#blocks.canNest) return;
    open.hasOpenItem = true;
    this.#blocks.openItem(open.list, 1);
  }

  #countItems(list: number): number {
    const { tree, kinds, marks } = this.#page;
    return tree
      .children(list)
      .filter((child) => kinds[child] === KIND.ITEM && ((marks[child] as number) & (SHOWN | HIDDEN)) === SHOWN).length;
  }
}

function numberOf(text: string | null): number | null {
  const number = text === null ? Number.NaN : Number.parseInt(text, 10);
  return Number.isNaN(number) ? null : number;
}
