/**
 * Elements that are advertisements or count visitors, with all that is in them. The name of an element is a claim; what it holds
 * can refute it: a page's heading, a table, a form or much text is content, whatever it is called.
 */
import type { OutlineNode } from '../../core/page-outline.ts';
import { AD_HOSTS } from './ad-hosts.ts';
import { type AdWords, adWordsIn } from './ad-words.ts';
import { ANALYTICS_HOSTS } from './analytics-hosts.ts';
import { hostIn, isHostIn } from './known-hosts.ts';

/** An advertisement is small. Also keeps nested claims from being looked into again and again. */
const MAX_NODES = 300;
const MAX_WEAK_CHARS = 400;
const MAX_STRONG_CHARS = 1_500;
/** So many with words in them under one name are a list of small ads, not slots. */
const MIN_LISTED = 3;

/** They hold a page, whatever class they have. */
const NEVER: ReadonlySet<string> = new Set([
  'html',
  'head',
  'body',
  'main',
  'ul',
  'ol',
  'form',
  'table',
  'tbody',
  'tr',
  'td',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'dt',
  'dd',
  'title',
  'input',
  'select',
  'button',
  'label',
]);
const CONTENT: ReadonlySet<string> = new Set([
  'h1',
  'main',
  'table',
  'form',
  'select',
  'textarea',
  'article',
  'time',
  'address',
  'dl',
]);
/** What a small ad has and a slot has not. */
const ENTRIES: ReadonlySet<string> = new Set(['h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li']);
/** Markup that describes goods, posts or people to machines: nobody does that to an advertisement. */
const DESCRIBED: ReadonlySet<string> = new Set(['itemprop', 'itemscope', 'itemtype', 'property']);
const SLOT_ATTRIBUTES: ReadonlySet<string> = new Set([
  'data-ad-slot',
  'data-ad-client',
  'data-ad-unit',
  'data-google-query-id',
]);
const LOADED: ReadonlySet<string> = new Set([
  'iframe',
  'img',
  'script',
  'link',
  'embed',
  'object',
  'source',
  'amp-ad',
  'amp-img',
  'video',
]);

type Claim = AdWords | 'by id';

export class AdFinder {
  readonly #nodes: readonly OutlineNode[];
  #listed: Map<string, number> | null = null;

  constructor(nodes: readonly OutlineNode[]) {
    this.#nodes = nodes;
  }

  isAd(place: number): boolean {
    const node = this.#nodes[place]!;
    if (isFrom(node, AD_HOSTS)) return true;
    if (node.name === 'amp-ad' || node.name === 'amp-embed') return true;
    if (NEVER.has(node.name)) return false;
    if (node.name === 'a') return isAdLink(node) && this.#holdsPictureOnly(place);
    const claim = claimOf(node);
    return claim !== 'none' && !this.#isRefuted(place, claim);
  }

  /** A link without words whose picture leads to an ad server. A link in words has a target someone may follow. */
  #holdsPictureOnly(place: number): boolean {
    let hasPicture = false;
    for (let at = place + 1; at < this.#nodes.length && isWithin(this.#nodes[at]!, place); at++) {
      const node = this.#nodes[at]!;
      if (at - place > MAX_NODES || (node.kind === 'text' && node.text.trim() !== '')) return false;
      hasPicture ||= node.name === 'img' || node.name === 'iframe';
    }
    return hasPicture;
  }

  #isRefuted(place: number, claim: Claim): boolean {
    const isStrong = claim === 'strong';
    let chars = 0;
    let hasLoaded = false;
    for (let at = place + 1; at < this.#nodes.length && isWithin(this.#nodes[at]!, place); at++) {
      const node = this.#nodes[at]!;
      if (at - place > MAX_NODES) return true;
      if (node.kind === 'text') {
        const holder = this.#nodes[node.parent]?.name;
        if (holder !== 'script' && holder !== 'style') chars += node.text.trim().length;
        if (chars > (isStrong ? MAX_STRONG_CHARS : MAX_WEAK_CHARS)) return true;
      } else if (node.kind === 'element') {
        if (CONTENT.has(node.name) || isDescribed(node)) return true;
        if (!isStrong && ENTRIES.has(node.name)) return true;
        hasLoaded ||= LOADED.has(node.name) || node.name === 'a';
      }
    }
    if (isDescribed(this.#nodes[place]!)) return true;
    if (isStrong || chars === 0) return false;
    return (claim === 'by id' && !hasLoaded) || this.#listedAs(place) >= MIN_LISTED;
  }

  /** How many elements with words in them have the same claim in the same words. */
  #listedAs(place: number): number {
    if (this.#listed === null) {
      this.#listed = new Map();
      for (let at = 0; at < this.#nodes.length; at++) {
        const node = this.#nodes[at]!;
        if (node.kind !== 'element' || !isListable(claimOf(node)) || !this.#hasWords(at)) continue;
        const key = listKey(node);
        this.#listed.set(key, (this.#listed.get(key) ?? 0) + 1);
      }
    }
    return this.#listed.get(listKey(this.#nodes[place]!)) ?? 0;
  }

  #hasWords(place: number): boolean {
    const end = Math.min(this.#nodes.length, place + MAX_NODES);
    for (let at = place + 1; at < end && isWithin(this.#nodes[at]!, place); at++) {
      const node = this.#nodes[at]!;
      const holder = this.#nodes[node.parent]?.name;
      if (node.kind === 'text' && holder !== 'script' && holder !== 'style' && node.text.trim() !== '') return true;
    }
    return false;
  }
}

/** What belongs to no tree stands among its neighbours. */
function isWithin(node: OutlineNode, place: number): boolean {
  return node.parent >= place || node.level === 0;
}

/** A script, frame or pixel of a host that counts visitors, or a picture of one pixel. */
export function isCounted(node: OutlineNode): boolean {
  return isFrom(node, ANALYTICS_HOSTS) || (node.name === 'img' && isPixel(node));
}

function isFrom(node: OutlineNode, hosts: ReadonlySet<string>): boolean {
  if (!LOADED.has(node.name)) return false;
  for (let at = 0; at < node.attributes.length; at += 2) {
    const name = node.attributes[at]!;
    if (name !== 'src' && name !== 'data-src' && !(name === 'href' && node.name === 'link')) continue;
    const host = hostIn(node.attributes[at + 1]!);
    if (host !== '' && isHostIn(hosts, host)) return true;
  }
  return false;
}

function isAdLink(node: OutlineNode): boolean {
  const host = hostIn(attributeOf(node, 'href'));
  return host !== '' && isHostIn(AD_HOSTS, host);
}

function isPixel(node: OutlineNode): boolean {
  const width = attributeOf(node, 'width');
  const height = attributeOf(node, 'height');
  return /^[01](?:px)?$/.test(width) && /^[01](?:px)?$/.test(height) && attributeOf(node, 'alt').trim() === '';
}

/** An id is weaker than a class: it also names the chapter on advertisements that a link leads to. */
function claimOf(node: OutlineNode): Claim {
  let claim: Claim = 'none';
  const { attributes } = node;
  for (let at = 0; at < attributes.length; at += 2) {
    const name = attributes[at]!;
    if (name === 'class') {
      const words = adWordsIn(attributes[at + 1]!);
      if (words === 'strong') return words;
      if (words === 'weak') claim = words;
    } else if (name === 'id') {
      if (claim === 'none' && adWordsIn(attributes[at + 1]!) !== 'none') claim = 'by id';
    } else if (SLOT_ATTRIBUTES.has(name)) return 'strong';
  }
  return claim;
}

function isDescribed(node: OutlineNode): boolean {
  for (let at = 0; at < node.attributes.length; at += 2) if (DESCRIBED.has(node.attributes[at]!)) return true;
  return false;
}

function isListable(claim: Claim): boolean {
  return claim === 'weak' || claim === 'by id';
}

function listKey(node: OutlineNode): string {
  return `${node.name} ${attributeOf(node, 'class') || `#${attributeOf(node, 'id')}`}`;
}

export function attributeOf(node: OutlineNode, name: string): string {
  for (let at = 0; at < node.attributes.length; at += 2)
    if (node.attributes[at] === name) return node.attributes[at + 1]!;
  return '';
}
