/**
 * Reduces an outline to what a reader sees or follows: the visible text in the written order, with link targets,
 * images, alternative texts, form controls and structured data at their places.
 *
 * In: an outline, best without its noise. Out: one string, and where its lines end. Two versions with equal strings
 * have the same content, whatever their markup is: where the text is in blocks and where it is in inline elements, how
 * deep the elements are nested, and how spaces, soft hyphens and addresses of the own host are written makes no
 * difference.
 *
 * What always holds: the time is linear, and nothing throws. If it is not known whether a reader sees something, such
 * as an element that a style sheet may hide or the bytes beyond the limit of an outline, it is in the view.
 */
import type { OutlineNode, PageOutline } from '../../core/page/page-outline.ts';
import { attributeOf } from '../noise/advertising/advertisement.ts';
import { isBlock } from '../noise/white-space.ts';
import { addressMeaning } from './address-meaning.ts';
import { InPageTargets } from './in-page-targets.ts';
import { OwnAddress } from './own-address.ts';
import { addSeenAttributes, isAddress } from './seen-attributes.ts';
import { dataMeaning } from './structured-text.ts';

/** Encloses the name and value of an attribute. In texts and values, this character is replaced. */
const MARK = '\u0001';
const MARKS = /\u0001/g;
const TOKENS = /\u0001[^\u0001]*\u0001/g;
/** Elements that are not blocks, but stand apart from the text around them. */
const APART = new Set('button select textarea iframe object video audio canvas'.split(' '));
/** Elements whose text no reader sees. Browsers show the text of an iframe only if they know no frames. */
const UNREAD = new Set('script style iframe noframes'.split(' '));
/** A no-break space and its narrow forms differ from a space only at the end of a line. */
const SPACES = /[ \t\n\f\r\u00a0\u2007\u202f]+/g;
/** A soft hyphen only says where a word may be broken. */
const SOFT_HYPHENS = /\u00ad/g;
const EXACT = new Set('pre textarea listing xmp plaintext'.split(' '));

const IS_EXACT = 1;
/** Browsers with scripts do not load the images and frames of a noscript element: most of them count visitors. */
const IS_NOSCRIPT = 2;

export class ReaderView {
  /** Everything in the written order. */
  text = '';
  /** The place in `text` at which each line ends. A line is the content of a block, or a part of it. */
  readonly ends: number[] = [];
  #hasSpace = false;
  readonly #targets: InPageTargets;
  readonly #own: OwnAddress | null;

  constructor({ nodes, url }: PageOutline) {
    this.#targets = new InPageTargets(nodes);
    this.#own = url === undefined ? null : OwnAddress.of(url, statedBase(nodes));
    const blocks = new Int32Array(nodes.length);
    const bits = new Uint8Array(nodes.length);
    let block = -1;
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at] as OutlineNode;
      if (node.kind === 'comment') continue;
      if (node.level === 0) {
        // The hash of bytes that are not outlined. The other nodes on this level are stray end tags.
        if (node.kind === 'text') this.#addRest(node.text);
        continue;
      }
      const { parent } = node;
      const own = node.kind === 'element' && (isBlock(node.name) || APART.has(node.name));
      const place = own ? at : parent < 0 ? -1 : (blocks[parent] as number);
      blocks[at] = place;
      if (own || place !== block) this.#endLine();
      block = place;
      bits[at] = (parent < 0 ? 0 : (bits[parent] as number)) | bitsOf(node);
      if (node.kind === 'text') this.#addText(node, nodes, bits[at] as number);
      else if (((bits[at] as number) & IS_NOSCRIPT) === 0) addSeenAttributes(node, this.#add);
    }
    this.#endLine();
  }

  /** The lines, each with its attributes. */
  lines(): string[] {
    return this.ends.map((end, at) => this.text.slice(at === 0 ? 0 : this.ends[at - 1], end).trimStart());
  }

  #addText(node: OutlineNode, nodes: readonly OutlineNode[], bits: number): void {
    const parent = node.parent < 0 ? null : (nodes[node.parent] as OutlineNode);
    if (parent?.name === 'script') {
      const meaning = dataMeaning(attributeOf(parent, 'type'), node.text);
      if (meaning !== '') this.#add('data', meaning);
    } else if (parent === null || !UNREAD.has(parent.name)) this.#addShown(node.text, (bits & IS_EXACT) !== 0);
  }

  #addShown(text: string, isExact: boolean): void {
    const whole = text.replace(SOFT_HYPHENS, '').replace(MARKS, ' ');
    const shown = whole.replace(isExact ? /\r\n?/g : SPACES, isExact ? '\n' : ' ');
    const from = !isExact && shown.startsWith(' ') ? 1 : 0;
    const to = !isExact && shown.endsWith(' ') ? shown.length - 1 : shown.length;
    if (from === 1) this.#hasSpace = true;
    if (from >= to) return;
    if (this.#hasSpace && this.text !== '') this.text += ' ';
    this.text += shown.slice(from, to);
    this.#hasSpace = to < shown.length;
  }

  /** Adds a value of an attribute. Spaces around it are kept for the text that follows. */
  readonly #add = (name: string, value: string): void => {
    const shown = value
      .replace(SOFT_HYPHENS, '')
      .replace(MARKS, ' ')
      .replace(/[ \t\n\f\r]+/g, ' ')
      .trim();
    const meaning = isAddress(name) ? addressMeaning(shown, this.#targets, this.#own) : shown;
    if (meaning !== null) this.text += `${MARK}${name}=${meaning}${MARK}`;
  };

  #addRest(hash: string): void {
    this.#endLine();
    this.#add('rest', hash);
    this.#endLine();
  }

  #endLine(): void {
    this.#hasSpace = true;
    if (this.text.length > (this.ends.at(-1) ?? 0)) this.ends.push(this.text.length);
  }
}

function bitsOf({ kind, name }: OutlineNode): number {
  if (kind !== 'element') return 0;
  return EXACT.has(name) ? IS_EXACT : name === 'noscript' ? IS_NOSCRIPT : 0;
}

/** The first base counts. */
function statedBase(nodes: readonly OutlineNode[]): string | null {
  const base = nodes.find(({ name, attributes }) => name === 'base' && attributes.includes('href'));
  return base === undefined ? null : attributeOf(base, 'href');
}

/** The text of a line without its attributes. */
export function textOfLine(line: string): string {
  return line.replace(TOKENS, '');
}
