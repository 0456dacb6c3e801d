/**
 * Decides which nodes of a page are shown, and what each of them is. In: the tree of a page, and optionally the nodes
 * that are its main content. Out: for each node a kind (element-kinds.ts) and marks.
 *
 * What always holds: two passes over the nodes, no recursion. A leaf (a text, an image, a formula, a rule) is shown
 * if it is kept and nothing around it is hidden. An element is shown if a leaf in it is shown, whether the element
 * itself is kept or not: an item needs its list, and a cell needs its row.
 */
import type { OutlineNode } from '../../core/page/page-outline.ts';
import type { PageTree } from '../page-tree.ts';
import { KIND, KIND_OF_NAME } from './element-kinds.ts';
import { type Formula, formulaOf } from './formulas.ts';

/** The node, or a leaf in it, is shown. */
export const SHOWN = 1;
/** White space, a line break, or an inline element with nothing else. It separates words, but is not visible. */
export const SPACE = 2;
/** There is a shown table in the element. */
export const HAS_TABLE = 4;
/** There are header cells in the table. Nested tables do not count. */
export const HAS_HEADER_CELL = 8;
/** There are headings, lists, code blocks, quotes or rules in the element. Nested tables do not count. */
export const HAS_BLOCKS = 16;
/** The page itself hides the element. */
export const HIDDEN = 32;

export interface PageNodes {
  readonly tree: PageTree;
  readonly kinds: Uint8Array;
  readonly marks: Uint8Array;
  readonly formulas: ReadonlyMap<number, Formula>;
  /** The links to a fragment of the same page, in document order. */
  readonly fragmentLinks: readonly number[];
  /** The `href` of the first `<base>`, or null. */
  readonly baseHref: string | null;
}

const HIDDEN_STYLE = /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
/** Line numbers, edit links of MediaWiki, and the drawn form of formulas whose source follows in a script. */
const HIDDEN_CLASS =
  /(?:^|\s)(?:linenos|lineno|linenumber|line-numbers-rows|rouge-gutter|mw-editsection|mw-jump-link|MathJax_Preview|MathJax|MathJax_Display|MathJax_SVG|MathJax_SVG_Display|MathJax_CHTML)(?:\s|$)/;
const ANCHOR_SIGNS = new Set(['¶', '#', '§', '🔗', '⚓', '∞', '\uf0c1']);
const MARKS_OF_BLOCKS = new Set<number>([
  KIND.HEADING,
  KIND.LIST,
  KIND.TERMS,
  KIND.QUOTE,
  KIND.PRE,
  KIND.RULE,
  KIND.DETAILS,
]);

export function readNodes(tree: PageTree, kept: Uint8Array | null): PageNodes {
  const { nodes } = tree;
  const reader = new NodeReader(tree, kept);
  for (let at = 0; at < nodes.length; ) at = reader.read(at);
  for (let at = nodes.length - 1; at >= 0; at--) reader.passUp(at);
  return reader;
}

class NodeReader implements PageNodes {
  readonly tree: PageTree;
  readonly kinds: Uint8Array;
  readonly marks: Uint8Array;
  readonly formulas = new Map<number, Formula>();
  readonly fragmentLinks: number[] = [];
  baseHref: string | null = null;
  readonly #kept: Uint8Array | null;
  #lastKept = 0;

  constructor(tree: PageTree, kept: Uint8Array | null) {
    this.tree = tree;
    this.#kept = kept;
    this.kinds = new Uint8Array(tree.nodes.length);
    this.marks = new Uint8Array(tree.nodes.length);
  }

  /** Reads the node and returns the index of the next node to read: the content of a hidden element is left out. */
  read(at: number): number {
    const node = this.tree.nodes[at] as OutlineNode;
    if (node.level === 0 || node.kind === 'comment') return at + 1;
    if (node.kind === 'text') {
      if (this.#isKept(at)) this.marks[at] = /\S/.test(node.text) ? SHOWN : SPACE;
      return at + 1;
    }
    let kind = KIND_OF_NAME.get(node.name) ?? KIND.INLINE;
    if (kind === KIND.NEVER && node.name === 'base') this.baseHref ??= this.tree.attribute(at, 'href');
    if (kind === KIND.BLOCK && this.tree.attribute(at, 'role') === 'heading') kind = KIND.HEADING;
    // On a page that scripts fill, the main content is in a noscript element.
    if (kind === KIND.NOSCRIPT && this.#nextKept(at) < this.tree.end(at)) kind = KIND.BLOCK;
    this.kinds[at] = kind;
    const after = this.tree.end(at);
    if (this.#isHidden(at, kind, node.attributes)) {
      this.marks[at] = HIDDEN;
      // The base of the page is in its head, which is never shown.
      return node.name === 'head' ? at + 1 : after;
    }
    const formula = formulaOf(this.tree, at, kind);
    if (formula !== null) {
      this.formulas.set(at, formula);
      this.kinds[at] = KIND.FORMULA;
      if (this.#isKept(at)) this.marks[at] = SHOWN;
      return after;
    }
    if (kind === KIND.SCRIPT) return after;
    if (kind === KIND.IMAGE ? isPicture(this.tree, at) : kind === KIND.RULE) {
      if (this.#isKept(at)) this.marks[at] = SHOWN;
    } else if (kind === KIND.BREAK || kind === KIND.INPUT) this.marks[at] = SPACE;
    return at + 1;
  }

  /** Tells the parent of a shown node what it contains. */
  passUp(at: number): void {
    const marks = this.marks[at] as number;
    const { parent } = this.tree.nodes[at] as OutlineNode;
    if (parent < 0 || (this.marks[parent] as number) & HIDDEN) return;
    const kind = this.kinds[at] as number;
    if ((marks & SHOWN) === 0) {
      // The space between two words is often in an element of its own.
      if (marks & SPACE && kind !== KIND.INPUT && isInline(this.kinds[parent] as number)) {
        this.marks[parent] = (this.marks[parent] as number) | SPACE;
      }
      return;
    }
    let passed = marks & (SHOWN | HAS_TABLE | HAS_HEADER_CELL | HAS_BLOCKS);
    if (kind === KIND.TABLE) passed = SHOWN | HAS_TABLE;
    else if (kind === KIND.CELL && this.tree.nodes[at]?.name === 'th') passed |= HAS_HEADER_CELL;
    else if (MARKS_OF_BLOCKS.has(kind)) passed |= HAS_BLOCKS;
    this.marks[parent] = (this.marks[parent] as number) | passed;
  }

  #isKept(at: number): boolean {
    return this.#kept === null || this.#kept[at] === 1;
  }

  /** The first kept node from a node on. The nodes are asked for in order, so the time is linear. */
  #nextKept(from: number): number {
    const count = this.tree.nodes.length;
    if (this.#kept === null) return count;
    let at = Math.max(this.#lastKept, from);
    while (at < count && this.#kept[at] === 0) at++;
    this.#lastKept = at;
    return at;
  }

  #isHidden(at: number, kind: number, attributes: readonly string[]): boolean {
    if (kind === KIND.NEVER) return true;
    if (kind === KIND.NOSCRIPT) return !this.#showsNoscript(at);
    if (kind === KIND.BUTTON && !this.#isInHeading(at)) return true;
    const { name } = this.tree.nodes[at] as OutlineNode;
    let isHidden = (kind === KIND.BLOCK && name === 'dialog') || (name === 'pre' && isNumberColumn(this.tree, at));
    for (let i = 0; i < attributes.length; i += 2) {
      const value = attributes[i + 1] ?? '';
      switch (attributes[i]) {
        case 'hidden':
          if (value !== 'until-found') isHidden = true;
          break;
        case 'open':
          if (kind === KIND.BLOCK) return false;
          break;
        case 'aria-hidden':
          if (value === 'true') isHidden = true;
          break;
        case 'style':
          if (HIDDEN_STYLE.test(value)) isHidden = true;
          break;
        case 'class':
          // Wikipedia hides the source of a formula and shows a picture of it.
          if (value.includes('mwe-math-mathml')) return false;
          if (HIDDEN_CLASS.test(value) && this.tree.nodes[at]?.name !== 'mjx-container') isHidden = true;
          break;
        case 'href':
          if (kind === KIND.LINK && value.startsWith('#')) {
            if (this.#isAnchorSign(at)) return true;
            this.fragmentLinks.push(at);
          }
      }
    }
    return isHidden;
  }

  /** True for the sign beside a heading that links to the heading itself. */
  #isAnchorSign(at: number): boolean {
    const end = this.tree.end(at);
    if (end > at + 4) return false;
    let text = '';
    for (let i = at + 1; i < end; i++) text += this.tree.nodes[i]?.text ?? '';
    return text.length < 8 && ANCHOR_SIGNS.has(text.trim());
  }

  #isInHeading(at: number): boolean {
    const parent = this.tree.nodes[at]?.parent ?? -1;
    const outer = parent < 0 ? -1 : (this.tree.nodes[parent]?.parent ?? -1);
    return [parent, outer].some((node) => node >= 0 && this.kinds[node] === KIND.HEADING);
  }

  /** An image that is loaded late often has a copy in `<noscript>`. It is shown if there is no image before it. */
  #showsNoscript(at: number): boolean {
    const before = this.tree.nodes[at - 1];
    if (before === undefined || before.name === 'img') return false;
    const space = before.kind === 'text' && !/\S/.test(before.text);
    if (space && this.tree.nodes[at - 2]?.name === 'img') return false;
    const end = Math.min(this.tree.end(at), at + 6);
    for (let i = at + 1; i < end; i++) if (this.tree.nodes[i]?.name === 'img') return true;
    return false;
  }
}

function isInline(kind: number): boolean {
  return kind === KIND.INLINE || (kind >= KIND.STRONG && kind <= KIND.LINK);
}

/** True for the numbers of the lines of a listing, if they stand in a cell of their own before the code. */
function isNumberColumn(tree: PageTree, pre: number): boolean {
  const cell = (tree.nodes[pre] as OutlineNode).parent;
  if (tree.nodes[cell]?.name !== 'td') return false;
  let next = tree.end(cell);
  if (tree.nodes[next]?.kind === 'text') next++;
  if (tree.nodes[next]?.name !== 'td' || tree.nodes[next + 1]?.name !== 'pre') return false;
  let text = '';
  for (let at = pre + 1, end = tree.end(pre); at < end; at++) {
    const node = tree.nodes[at] as OutlineNode;
    if (node.kind === 'text') text += node.text;
    else if (!/^(?:a|br|code|span)$/.test(node.name)) return false;
  }
  const numbers = text.trim().split(/\s+/);
  return numbers.length > 1 && numbers.every((number, at) => number === String(Number(numbers[0]) + at));
}

/** False for images without a source and for pixels that count visitors. */
function isPicture(tree: PageTree, at: number): boolean {
  if (tree.attribute(at, 'width') === '1' || tree.attribute(at, 'height') === '1') return false;
  return ['src', 'srcset', 'data-src', 'alt'].some((name) => tree.attribute(at, name));
}
