/**
 * Selects the attributes that a reader sees or follows, such as link targets, images, alternative texts and the
 * state of form controls, and structured data in attributes. In: an element. Out: name and value pairs.
 */
import type { OutlineNode } from '../../core/page/page-outline.ts';
import { attributeOf } from '../noise/advertising/advertisement.ts';

const EVERYWHERE = null;

/** Attributes that count, with the elements on which they count. */
const SEEN: Readonly<Record<string, readonly string[] | typeof EVERYWHERE>> = {
  href: ['a', 'area', 'image'],
  'xlink:href': ['a', 'image'],
  src: ['img', 'iframe', 'frame', 'embed', 'source', 'video', 'audio', 'input'],
  srcset: ['img', 'source'],
  'data-src': ['img', 'iframe', 'source'],
  'data-srcset': ['img', 'source'],
  'data-lazy-src': ['img', 'iframe'],
  'data-lazy-srcset': ['img', 'source'],
  'data-original': ['img'],
  poster: ['video'],
  data: ['object'],
  action: ['form'],
  formaction: ['button', 'input'],
  alt: EVERYWHERE,
  title: EVERYWHERE,
  placeholder: EVERYWHERE,
  'aria-label': EVERYWHERE,
  label: ['option', 'optgroup', 'track'],
  value: ['input', 'li', 'meter', 'progress'],
  start: ['ol'],
  checked: ['input'],
  selected: ['option'],
  disabled: ['input', 'button', 'select', 'textarea', 'option', 'fieldset'],
  datetime: ['time', 'ins', 'del'],
  'data-cfemail': EVERYWHERE,
};
/** Attributes whose value is an address. */
const ADDRESSES = new Set(
  `href xlink:href src data-src data-lazy-src data-original poster data action formaction`.split(' '),
);

export function isAddress(name: string): boolean {
  return ADDRESSES.has(name);
}

const SEEN_ON = new Map(
  Object.entries(SEEN).map(([name, elements]) => [name, elements === EVERYWHERE ? null : new Set(elements)]),
);

const HEADING = /^h[1-6]$/;

/** Controls without a value that a reader sees. The value of a check box goes only to the server. */
const VALUELESS = new Set(['hidden', 'checkbox', 'radio', 'password', 'image', 'file']);

/**
 * Metadata that counts: what other programs show in place of the page, what search engines and browsers obey. A
 * description for search engines does not count: no reader of the page sees it, and tools add it to whole sites.
 */
const TOLD_META =
  /^(?:refresh|og:(?:title|description|image(?::url|:alt)?|type|price:\w{1,20})|twitter:(?:title|description|image(?::alt)?)|article:(?:published_time|author)|product:[\w:]{1,40})$/i;

/** A list of rules, whose order means nothing. */
const ROBOTS_META = /^(?:robots|googlebot)$/i;

/** Calls `add` with each attribute that counts, in the written order. If one is written twice, the first counts. */
export function addSeenAttributes(node: OutlineNode, add: (name: string, value: string) => void): void {
  const { name: element, attributes } = node;
  if (element === 'meta') addMeta(node, add);
  else if (element === 'link') addLink(node, add);
  else if (element === 'input' && isHiddenInput(node)) return;
  else {
    if (HEADING.test(element)) add('heading', element);
    if (element === 'input' || element === 'select' || element === 'textarea') add('field', attributeOf(node, 'type'));
    for (let at = 0; at < attributes.length; at += 2) {
      const name = attributes[at] as string;
      if (isSeen(node, name) && isFirst(attributes, at)) add(name, attributes[at + 1] as string);
    }
  }
}

/** Whether a reader sees or follows the value of this attribute. */
export function isSeen(node: OutlineNode, name: string): boolean {
  const elements = SEEN_ON.get(name);
  if (elements === undefined) return name === 'content' && isMarkedUp(node);
  if (elements !== null && !elements.has(node.name)) return false;
  return name !== 'value' || node.name !== 'input' || !VALUELESS.has(attributeOf(node, 'type').toLowerCase());
}

export function isHiddenInput(node: OutlineNode): boolean {
  return node.name === 'input' && attributeOf(node, 'type').toLowerCase() === 'hidden';
}

function addMeta(node: OutlineNode, add: (name: string, value: string) => void): void {
  const content = attributeOf(node, 'content');
  if (content === '') return;
  const name = attributeOf(node, 'name') || attributeOf(node, 'property') || attributeOf(node, 'http-equiv');
  if (ROBOTS_META.test(name))
    add(
      name.toLowerCase(),
      content
        .toLowerCase()
        .split(/[\s,]+/)
        .sort()
        .join(),
    );
  else if (TOLD_META.test(name)) add(name.toLowerCase(), content);
  else if (!/^(?:dateModified)?$/.test(attributeOf(node, 'itemprop'))) add('content', content);
}

function addLink(node: OutlineNode, add: (name: string, value: string) => void): void {
  const isTold = /(?:^|\s)canonical(?:\s|$)/i.test(attributeOf(node, 'rel')) || attributeOf(node, 'itemprop') !== '';
  if (isTold) add('href', attributeOf(node, 'href'));
}

/** Structured data in attributes: microdata and RDFa. */
function isMarkedUp(node: OutlineNode): boolean {
  return attributeOf(node, 'itemprop') !== '' || attributeOf(node, 'property') !== '';
}

/** Looks only at a limited number of attributes before this one: a hostile element has 100,000. */
function isFirst(attributes: readonly string[], place: number): boolean {
  if (place > MAX_COMPARED) return true;
  for (let at = 0; at < place; at += 2) if (attributes[at] === attributes[place]) return false;
  return true;
}

const MAX_COMPARED = 64;
