/**
 * Finds elements that are advertisements or count visitors, with everything inside them. The name of an element is only
 * a claim: a notice board is called `ads` too. The claim holds if the element is empty, or if everything that it shows
 * comes from hosts that serve only advertisements. Anything else that a reader could read there is a change.
 */
import type { OutlineNode } from '../../../core/page/page-outline.ts';
import { AD_HOSTS, ANALYTICS_HOSTS, hostIn, isHostIn } from '../../../url/ad-hosts.ts';
import { isAnalyticsSnippet } from '../script-noise.ts';
import { isBlock } from '../white-space.ts';
import { adWordsIn } from './ad-words.ts';

/** An advertisement is small. The limit also keeps nested claims from being searched again and again. */
const MAX_NODES = 100;
const MAX_CHARS = 300;

/** Elements that hold the content of a page, whatever class they have. */
const NEVER = names(
  'html head body main article ul ol dl form table tbody tr td th h1 h2 h3 h4 h5 h6 dt dd title input select button label',
);
/** The elements of which an ad slot is built. Any other element in it is content. */
const BUILT_OF = names(
  'div span p ins a b i em strong small br hr center section aside img picture source iframe script noscript style link amp-ad amp-embed amp-img',
);
const LOADED = names('iframe img script link embed object source amp-ad amp-embed amp-img video');
const VOID = names('img link embed source');
/** Elements whose content is not shown. */
const UNREAD = names('script style');
const LINKED_FILE = /\b(?:stylesheet|preload|modulepreload|preconnect|dns-prefetch|prefetch)\b/i;
/** Attributes that describe goods, posts or people to machines. Nobody adds them to an advertisement. */
const DESCRIBED = names('itemprop itemscope itemtype property');
const READ_ATTRIBUTES = names('alt title aria-label');
const SLOT_ATTRIBUTES = names('data-ad-slot data-ad-client data-ad-unit data-google-query-id');
const LABEL = /^(?:advertisements?|ads?|sponsored|anzeige|werbung|publicité|publicidad|pubblicità|advertentie)[.:]?$/i;
/** Prices, dates and times, which matter to a reader. */
const MEANT =
  /[$€£¥₹₽%‰]|\b(?:usd|eur|gbp|chf|sold|price)\b|\d[./:]\d|\b\d{1,2}\.? ?(?:jan|feb|mar|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:19|20)\d\d\b/i;

type Claim = 'none' | 'by name' | 'by attribute';

export class AdFinder {
  readonly #nodes: readonly OutlineNode[];
  /**
   * Results by the index of the script. Each claim around a script asks again, and a script may have 20,000 characters.
   */
  readonly #snippets = new Map<number, boolean>();

  constructor(nodes: readonly OutlineNode[]) {
    this.#nodes = nodes;
  }

  isAd(place: number): boolean {
    const node = this.#nodes[place]!;
    if (isFrom(node, AD_HOSTS)) return this.#isBare(place);
    if (NEVER.has(node.name)) return false;
    if (node.name === 'a') return isAdLink(node) && this.#holdsPictureOnly(place);
    const claim = claimOf(node);
    return claim !== 'none' && !this.#isRefuted(place, claim);
  }

  /** Whether the element is a script, frame or pixel of a host that counts visitors, or a picture of one pixel. */
  isCounted(place: number): boolean {
    const node = this.#nodes[place]!;
    if (node.name === 'img' && isPixel(node)) return true;
    return isFrom(node, ANALYTICS_HOSTS) && this.#isBare(place);
  }

  /** Whether nothing in the element can be read. An element that is not closed contains the rest of the page. */
  #isBare(place: number): boolean {
    if (VOID.has(this.#nodes[place]!.name)) return true;
    for (let at = place + 1; at < this.#nodes.length && isWithin(this.#nodes[at]!, place); at++) {
      const node = this.#nodes[at]!;
      if (at - place > MAX_NODES || this.#textOf(node) !== '' || hasReadAttribute(node)) return false;
      if (node.kind === 'element' && (!BUILT_OF.has(node.name) || (node.name === 'a' && !isAdLink(node)))) return false;
    }
    return true;
  }

  /**
   * Whether the link has no words and a picture. Used for links to ad servers: readers may follow a link with words.
   */
  #holdsPictureOnly(place: number): boolean {
    let hasPicture = false;
    for (let at = place + 1; at < this.#nodes.length && isWithin(this.#nodes[at]!, place); at++) {
      const node = this.#nodes[at]!;
      if (at - place > MAX_NODES || this.#textOf(node) !== '') return false;
      if (node.kind !== 'element') continue;
      if (!BUILT_OF.has(node.name) || (hasReadAttribute(node) && !isFrom(node, AD_HOSTS))) return false;
      hasPicture ||= node.name === 'img' || node.name === 'iframe';
    }
    return hasPicture;
  }

  #isRefuted(place: number, claim: Claim): boolean {
    let chars = 0;
    let adLinks = 0;
    let others = 0;
    for (let at = place; at < this.#nodes.length && (at === place || isWithin(this.#nodes[at]!, place)); at++) {
      const node = this.#nodes[at]!;
      if (at - place > MAX_NODES) return true;
      if (node.kind === 'text') {
        const text = this.#textOf(node);
        if (LABEL.test(text)) continue;
        chars += text.length;
        if (chars > MAX_CHARS || MEANT.test(text)) return true;
        continue;
      }
      if (node.kind !== 'element') continue;
      if (at > place && !BUILT_OF.has(node.name)) return true;
      const read = readAttributesOf(node);
      chars += read.length;
      if (isDescribed(node) || MEANT.test(read)) return true;
      const isForeign = isAdLink(node) || isFrom(node, AD_HOSTS);
      if (isForeign) adLinks++;
      else if (this.#showsOther(at, claim)) others++;
    }
    if (chars === 0) return others > 0;
    return others > 0 || adLinks === 0 || !isBlock(this.#nodes[place]!.name);
  }

  /**
   * Whether the element loads something or links to something that is not on an ad server. The slots of an ad network
   * build their frames in the page, so these frames do not count.
   */
  #showsOther(place: number, claim: Claim): boolean {
    const node = this.#nodes[place]!;
    if (node.name === 'a') return attributeOf(node, 'href') !== '';
    if (!LOADED.has(node.name)) return false;
    if (claim === 'by attribute' && node.name === 'iframe') return false;
    if (sourceOf(node) !== '') return true;
    return node.name === 'script' && this.#nodes[place + 1]?.parent === place && !this.isSnippet(place);
  }

  /** Whether the text of a script is an analytics snippet. */
  isSnippet(script: number): boolean {
    const known = this.#snippets.get(script);
    if (known !== undefined) return known;
    const text = this.#nodes[script + 1];
    const isSnippet = text?.parent === script && isAnalyticsSnippet(text.text);
    this.#snippets.set(script, isSnippet);
    return isSnippet;
  }

  /** The part of a text that a reader sees. */
  #textOf(node: OutlineNode): string {
    if (node.kind !== 'text' || UNREAD.has(this.#nodes[node.parent]?.name ?? '')) return '';
    return node.text.slice(0, MAX_CHARS * 2).trim() || (node.text.length > MAX_CHARS * 2 ? '…' : '');
  }
}

function names(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

/** Nodes outside the tree (level 0) count as part of the elements around them. */
function isWithin(node: OutlineNode, place: number): boolean {
  return node.parent >= place || node.level === 0;
}

function isFrom(node: OutlineNode, hosts: ReadonlySet<string>): boolean {
  if (!LOADED.has(node.name)) return false;
  const host = hostIn(sourceOf(node));
  return host !== '' && isHostIn(hosts, host);
}

/**
 * The URL from which the element is loaded. `data-src`, which a script uses later, counts only if there is no `src`.
 */
function sourceOf(node: OutlineNode): string {
  if (node.name === 'link') return LINKED_FILE.test(attributeOf(node, 'rel')) ? attributeOf(node, 'href') : '';
  return attributeOf(node, 'src') || attributeOf(node, 'data-src');
}

function isAdLink(node: OutlineNode): boolean {
  if (node.name !== 'a') return false;
  const host = hostIn(attributeOf(node, 'href'));
  return host !== '' && isHostIn(AD_HOSTS, host);
}

function readAttributesOf(node: OutlineNode): string {
  let read = '';
  for (let at = 0; at < node.attributes.length; at += 2) {
    if (READ_ATTRIBUTES.has(node.attributes[at]!)) read += node.attributes[at + 1]!.slice(0, MAX_CHARS).trim();
    if (read.length > MAX_CHARS) break;
  }
  return LABEL.test(read) ? '' : read;
}

function hasReadAttribute(node: OutlineNode): boolean {
  return readAttributesOf(node) !== '';
}

function isPixel(node: OutlineNode): boolean {
  const width = attributeOf(node, 'width');
  const height = attributeOf(node, 'height');
  return /^[01](?:px)?$/.test(width) && /^[01](?:px)?$/.test(height) && attributeOf(node, 'alt').trim() === '';
}

function claimOf(node: OutlineNode): Claim {
  if (node.name === 'amp-ad' || node.name === 'amp-embed') return 'by attribute';
  let claim: Claim = 'none';
  const { attributes } = node;
  for (let at = 0; at < attributes.length; at += 2) {
    const name = attributes[at]!;
    if (SLOT_ATTRIBUTES.has(name)) return 'by attribute';
    if (name !== 'class' && name !== 'id') continue;
    if (adWordsIn(attributes[at + 1]!) === 'none') continue;
    claim = node.name === 'ins' && /\badsbygoogle\b/.test(attributes[at + 1]!) ? 'by attribute' : 'by name';
    if (claim === 'by attribute') return claim;
  }
  return claim;
}

function isDescribed(node: OutlineNode): boolean {
  for (let at = 0; at < node.attributes.length; at += 2) if (DESCRIBED.has(node.attributes[at]!)) return true;
  return false;
}

export function attributeOf(node: OutlineNode, name: string): string {
  for (let at = 0; at < node.attributes.length; at += 2)
    if (node.attributes[at] === name) return node.attributes[at + 1]!;
  return '';
}
