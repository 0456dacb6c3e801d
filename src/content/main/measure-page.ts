/**
 * Measures a page: how much text each element has, how much of it is links, and how much looks like sentences.
 *
 * What always holds: two passes over the nodes, one forwards for what elements inherit and one backwards for sums. The
 * arrays have one entry for each node.
 */
import type { PageTree } from '../page-tree.ts';
import {
  BLOCK,
  BOX,
  HEADING,
  ITEM,
  LINK,
  PARAGRAPH,
  PREFORMATTED,
  QUOTE,
  SKIPPED,
  traitsOf,
} from './element-traits.ts';
import { HintReader } from './name-hints.ts';

/** A character of Chinese, Japanese or Korean says as much as about three letters. */
const WIDE_FROM = 0x2e80;
const WIDE_WEIGHT = 3;

/** Shorter blocks are labels. */
const LEAST_SENTENCE = 25;
/** A block without any sentence end counts as sentences from this length on. */
const LEAST_WITHOUT_STOP = 80;
/** A block with a larger share of links is a list of links. */
const MOST_LINKED = 0.45;

/** The text in `<noscript>` has so many characters, and so many times the text of the rest of the page. */
const LEAST_SCRIPTLESS = 500;
const MORE_SCRIPTLESS = 2;
const IN_NOSCRIPT = 1;
const UNSEEN = 2;

export interface PageMeasures {
  /** The traits of the element (element-traits.ts). */
  readonly traits: Uint16Array;
  readonly hints: Uint16Array;
  /** 1 if the node is inside an element whose content is never visible text. */
  readonly skipped: Uint8Array;
  /** The nearest block element of a node: the node itself, or an ancestor. -1 if there is none. */
  readonly owner: Int32Array;
  /** Characters without white space in the subtree, and those in links. */
  readonly chars: Int32Array;
  readonly linkChars: Int32Array;
  /** The same for a block without the blocks inside it. */
  readonly ownChars: Int32Array;
  readonly ownLinkChars: Int32Array;
  /** Sentence ends in the own text of a block. */
  readonly ownStops: Int32Array;
  /** How much of the own text of a block looks like sentences of main content. */
  readonly weight: Float64Array;
  /** 1 for a block whose own text is known as template of the host. */
  readonly isTemplate: Uint8Array;
}

export function measurePage(tree: PageTree): PageMeasures {
  const { nodes } = tree;
  const count = nodes.length;
  const page = {
    traits: new Uint16Array(count),
    hints: new Uint16Array(count),
    skipped: new Uint8Array(count),
    owner: new Int32Array(count),
    chars: new Int32Array(count),
    linkChars: new Int32Array(count),
    ownChars: new Int32Array(count),
    ownLinkChars: new Int32Array(count),
    ownStops: new Int32Array(count),
    weight: new Float64Array(count),
    isTemplate: new Uint8Array(count),
  };
  const { traits, hints, skipped, owner, chars, linkChars, ownChars, ownLinkChars, ownStops } = page;
  const inLink = new Uint8Array(count);
  const inCode = new Uint8Array(count);
  const reader = new HintReader();
  const isScriptless = isFilledByScripts(tree);
  for (let at = 0; at < count; at++) {
    const node = nodes[at] as (typeof nodes)[number];
    const { parent } = node;
    owner[at] = parent < 0 ? -1 : (owner[parent] as number);
    if (parent >= 0) {
      skipped[at] = skipped[parent] as number;
      inLink[at] = inLink[parent] as number;
      inCode[at] = inCode[parent] as number;
    } else if (node.level === 0) skipped[at] = 1;
    if (skipped[at] === 1) continue;
    if (node.kind === 'element') {
      const own = isScriptless && node.name === 'noscript' ? BLOCK | BOX : traitsOf(node.name);
      traits[at] = own;
      if (own & SKIPPED) skipped[at] = 1;
      else if (own & BLOCK) owner[at] = at;
      else if (own & LINK) inLink[at] = 1;
      if (own & PREFORMATTED || node.name === 'code') inCode[at] = 1;
      // Highlighters name the parts of code, for example "comment". Such names are no hints.
      if (!(own & SKIPPED) && inCode[at] === 0) hints[at] = reader.read(node.name, node.attributes);
    } else if (node.kind === 'text') {
      const length = countText(node.text);
      if (length === 0) continue;
      chars[at] = length;
      if (inLink[at] === 1) linkChars[at] = length;
      const block = owner[at] as number;
      if (block < 0) continue;
      ownChars[block] = (ownChars[block] as number) + length;
      ownStops[block] = (ownStops[block] as number) + stops;
      if (inLink[at] === 1) ownLinkChars[block] = (ownLinkChars[block] as number) + length;
    }
  }
  for (let at = count - 1; at >= 0; at--) {
    const { parent } = nodes[at] as (typeof nodes)[number];
    if (parent >= 0) {
      chars[parent] = (chars[parent] as number) + (chars[at] as number);
      linkChars[parent] = (linkChars[parent] as number) + (linkChars[at] as number);
    }
    if ((ownChars[at] as number) > 0) page.weight[at] = weighBlock(page, at);
  }
  return page;
}

/**
 * Says whether scripts fill the page, and its `<noscript>` has the text for readers without scripts: far more text than
 * the rest of the page.
 */
function isFilledByScripts({ nodes }: PageTree): boolean {
  const unseen = new Uint8Array(nodes.length);
  const chars = [0, 0];
  for (let at = 0; at < nodes.length; at++) {
    const { kind, name, parent, text } = nodes[at] as (typeof nodes)[number];
    if (parent >= 0) unseen[at] = unseen[parent] as number;
    if (name === 'noscript') unseen[at] = Math.max(unseen[at] as number, IN_NOSCRIPT);
    else if (kind === 'element' && traitsOf(name) & SKIPPED) unseen[at] = UNSEEN;
    else if (kind === 'text' && unseen[at] !== UNSEEN) chars[unseen[at] as number]! += text.trim().length;
  }
  return chars[IN_NOSCRIPT]! >= LEAST_SCRIPTLESS && chars[IN_NOSCRIPT]! > MORE_SCRIPTLESS * chars[0]!;
}

function weighBlock({ traits, ownChars, ownLinkChars, ownStops }: PageMeasures, at: number): number {
  const length = ownChars[at] as number;
  const bits = traits[at] as number;
  if (bits & HEADING || length < LEAST_SENTENCE) return 0;
  const linked = (ownLinkChars[at] as number) / length;
  if (linked > MOST_LINKED) return 0;
  const stopsHere = ownStops[at] as number;
  if (stopsHere === 0 && length < LEAST_WITHOUT_STOP && !(bits & PREFORMATTED)) return 0;
  const factor = bits & (PARAGRAPH | PREFORMATTED | QUOTE) ? 1 : bits & ITEM ? 0.6 : 0.8;
  return length * (1 - linked) * factor;
}

/** Sentence ends in the text that was counted last. */
let stops = 0;

/** Counts the characters of a text without white space. */
function countText(text: string): number {
  let length = 0;
  stops = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code <= 32 || code === 0xa0) continue;
    if (code < WIDE_FROM) {
      length++;
      // Full stop, question mark, exclamation mark, colon, semicolon and comma.
      if (code === 46 || code === 63 || code === 33 || code === 44 || code === 58 || code === 59) stops++;
    } else {
      length += WIDE_WEIGHT;
      if (code === 0x3002 || code === 0xff0c || code === 0xff01 || code === 0xff1f) stops++;
    }
  }
  return length;
}
