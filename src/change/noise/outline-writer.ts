/**
 * Writes the outline without noise. A text is held back until the next node is known: the nodes between two texts may
 * have been removed, and whether white space at the end of a text is visible depends on the next tag.
 */
import type { OutlineNode, PageOutline } from '../../core/page/page-outline.ts';
import { attributeOf } from './advertising/advertisement.ts';
import type { NoiseLog } from './noise-log.ts';
import { isMomentValue } from './relative-time.ts';
import { cleanScript, isScriptWithTokens } from './script-noise.ts';
import { isLoneCount, standsAlone } from './sentence-context.ts';
import { cleanText, isYearOf, mayBeNoise } from './text-noise.ts';
import { BLOCKS, collapseSpace, EXACT_NAMES, isBlock, isExactStyle, UNSEEN_NAMES } from './white-space.ts';

const LEFT_OUT = -2;
const NO_ATTRIBUTES: readonly string[] = Object.freeze([]);

// Bits that describe a node. Some are inherited from the elements around it.
const EXACT = 1;
const KEPT = 2;
const FOOTER = 4;
const MOMENT = 8;
const BLOCK = 16;
const SCRIPT = 32;
const CONTENT = 64;
const UNSEEN = 128;
const INHERITED = EXACT | KEPT | FOOTER | MOMENT | CONTENT;

/** Elements in which every number matters. */
const KEPT_NAMES: ReadonlySet<string> = new Set(
  'h1 h2 h3 h4 h5 h6 title td th caption option legend textarea dt dd code pre samp kbd blockquote q figcaption data meter output label summary'.split(
    ' ',
  ),
);
/** Roles that mean the same as KEPT_NAMES. */
export const KEPT_ROLE = /^\s*(?:row|cell|gridcell|columnheader|rowheader|heading|option|treeitem)\b/i;
const FOOTER_HINT = /foot|contentinfo/i;
const FOOTER_NAME =
  /(?:^|\s)(?:(?:site|page|main|global|app|blog|the)[-_]?footer|footer(?:[-_][a-z]{1,20})?|contentinfo)(?:$|\s)/i;

/** The bits that follow from the name of an element. */
const NAME_BITS = new Map<string, number>();
for (const [names, bit] of [
  [BLOCKS, BLOCK],
  [UNSEEN_NAMES, UNSEEN],
  [EXACT_NAMES, EXACT],
  [KEPT_NAMES, KEPT],
  [new Set(['footer']), FOOTER],
  [new Set(['article', 'main']), CONTENT],
] as const) {
  for (const name of names) NAME_BITS.set(name, (NAME_BITS.get(name) ?? 0) | bit);
}

export class OutlineWriter {
  readonly #from: readonly OutlineNode[];
  readonly #log: NoiseLog;
  readonly #sentAtMs: number | undefined;
  readonly #to: OutlineNode[] = [];
  /** Maps the index of a node in the old outline to its index in the new outline. */
  readonly #places: Int32Array;
  /** By node of the new outline: its bits, and whether the next content in it is at the edge of a block. */
  readonly #bits: Uint8Array;
  readonly #isAtEdge: Uint8Array;
  #isRootAtEdge = true;
  #text = '';
  #textPlace = -1;

  constructor({ nodes: from, sentAtMs }: PageOutline, log: NoiseLog) {
    this.#from = from;
    this.#sentAtMs = sentAtMs;
    this.#log = log;
    this.#places = new Int32Array(from.length);
    this.#bits = new Uint8Array(from.length);
    this.#isAtEdge = new Uint8Array(from.length);
  }

  isLeftOut(parent: number): boolean {
    return parent >= 0 && this.#places[parent] === LEFT_OUT;
  }

  leaveOut(place: number): void {
    this.#places[place] = LEFT_OUT;
  }

  addText(place: number): void {
    const node = this.#from[place]!;
    if (node.level === 0) {
      this.addOther(place);
      return;
    }
    if (this.#textPlace >= 0) {
      if (this.#from[this.#textPlace]!.parent === node.parent) {
        this.#text += node.text;
        return;
      }
      this.#flush(null);
    }
    this.#text = node.text;
    this.#textPlace = place;
  }

  addElement(place: number, attributes: readonly string[]): void {
    const node = this.#from[place]!;
    if (this.#textPlace >= 0) this.#flush(node);
    const parent = this.#parentOf(node);
    const bits = (parent < 0 ? 0 : this.#bits[parent]! & INHERITED) | ownBits(node);
    // The footer of an article belongs to the article, and so does the year in it.
    this.#bits[this.#to.length] = bits & CONTENT ? bits & ~FOOTER : bits;
    this.#push(place, node, parent, attributes, '');
  }

  /** Adds a node unchanged: the doctype, a comment if comments count, or a node outside the tree. */
  addOther(place: number): void {
    const node = this.#from[place]!;
    if (this.#textPlace >= 0) this.#flush(null);
    this.#bits[this.#to.length] = UNSEEN;
    this.#push(place, node, this.#parentOf(node), node.attributes, node.text);
  }

  end(): readonly OutlineNode[] {
    if (this.#textPlace >= 0) this.#flush(null);
    return this.#to;
  }

  #parentOf(node: OutlineNode): number {
    return node.parent < 0 ? -1 : this.#places[node.parent]!;
  }

  #push(place: number, node: OutlineNode, parent: number, attributes: readonly string[], text: string): void {
    const at = this.#to.length;
    this.#places[place] = at;
    const own = this.#bits[at]!;
    this.#isAtEdge[at] = own & BLOCK;
    if ((own & UNSEEN) === 0) {
      if (parent >= 0) this.#isAtEdge[parent] = own & BLOCK;
      else this.#isRootAtEdge = (own & BLOCK) !== 0;
    }
    const isSame = parent === node.parent && attributes === node.attributes && text === node.text;
    const { kind, level, name } = node;
    this.#to.push(isSame ? node : { kind, level, parent, name, attributes, text });
  }

  /** `next` is the element that follows, or null for any other node. */
  #flush(next: OutlineNode | null): void {
    const place = this.#textPlace;
    const node = this.#from[place]!;
    const parent = this.#parentOf(node);
    const bits = parent < 0 ? BLOCK : this.#bits[parent]!;
    let text = this.#text;
    this.#textPlace = -1;
    if ((bits & EXACT) === 0) {
      const shown = this.#shown(text, node, parent, bits, next);
      if (shown !== text && this.#log.takes('white-space', text)) text = shown;
      if (text === '') return;
    } else if (bits & SCRIPT) text = cleanScript(text, this.#log);
    if ((bits & (EXACT | SCRIPT)) === 0) text = this.#cleaned(text, place, bits);
    this.#bits[this.#to.length] = 0;
    this.#push(place, node, parent, NO_ATTRIBUTES, text);
  }

  #shown(text: string, node: OutlineNode, parent: number, bits: number, next: OutlineNode | null): string {
    const isEdgeBefore = parent < 0 ? this.#isRootAtEdge : this.#isAtEdge[parent] !== 0;
    const isInside = next !== null && next.parent === node.parent;
    const isEdgeAfter = isInside ? isBlock(next.name) : (bits & BLOCK) !== 0;
    return collapseSpace(text, isEdgeBefore, isEdgeAfter);
  }

  #cleaned(text: string, place: number, bits: number): string {
    const isFooter = (bits & FOOTER) !== 0;
    const isMoment = (bits & MOMENT) !== 0;
    if (!isMoment && !mayBeNoise(text, isFooter)) return text;
    const isKept = (bits & KEPT) !== 0;
    if (!isKept && isLoneCount(this.#from, place) && this.#log.takes('counter', text)) return '#';
    if (isFooter && !isKept && this.#isYear(text) && this.#log.takes('copyright-year', text)) return '(year)';
    const standsHere = () => standsAlone(this.#from, place);
    const where = { isKept, isFooter, isMoment, standsAlone: standsHere, sentAtMs: this.#sentAtMs };
    return cleanText(text, where, this.#log);
  }

  /** "©" and the year may be in separate elements. */
  #isYear(text: string): boolean {
    for (let at = this.#to.length - 1; at >= 0 && at >= this.#to.length - 4; at--) {
      const before = this.#to[at]!;
      if (before.kind === 'text') return isYearOf(before.text, text);
    }
    return false;
  }
}

function ownBits(node: OutlineNode): number {
  const { name, attributes } = node;
  let bits = NAME_BITS.get(name) ?? 0;
  for (let at = 0; at < attributes.length; at += 2) {
    const value = attributes[at + 1]!;
    switch (attributes[at]!) {
      case 'id':
      case 'class':
      case 'role':
        if (attributes[at] === 'role' && KEPT_ROLE.test(value)) bits |= KEPT;
        if (FOOTER_HINT.test(value) && FOOTER_NAME.test(value) && name !== 'body') bits |= FOOTER;
        break;
      case 'style':
        if (isExactStyle(value)) bits |= EXACT;
        break;
      case 'datetime':
        if (name === 'time' && isMomentValue(value)) bits |= MOMENT;
        break;
      case 'type':
        if (name === 'input' && value.toLowerCase() === 'hidden') bits |= UNSEEN;
        break;
    }
  }
  if (name === 'script' && isScriptWithTokens(attributeOf(node, 'type'))) bits |= SCRIPT;
  return bits;
}
