/**
 * What a reader sees of a page, read in an independent way: with the parser of the HTML standard (parse5), and without
 * any code of Orbweaver. In: the bytes of a file. Out: one text; two files with equal texts have the same content.
 *
 * Visible text without regard to markup and spaces, the title, link targets, images, frames, alternative texts, form
 * controls, and structured data. It has no rules for noise: every other date or number is other content.
 */
import { type DefaultTreeAdapterTypes, parse } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

const UNSEEN = new Set(['script', 'style', 'template', 'noscript', 'iframe', 'noframes']);
const SEEN_ATTRIBUTES = new Set('href src srcset alt title placeholder poster action data label cite start'.split(' '));
const INLINE = new Set(
  'a abbr b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

export function readerContent(bytes: Buffer): string {
  const parts: string[] = [];
  walk(parse(bytes.toString('utf8')), parts);
  return parts
    .join('')
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}

function walk(node: Node, parts: string[]): void {
  if (node.nodeName === '#text') {
    parts.push((node as DefaultTreeAdapterTypes.TextNode).value.replace(/\s+/g, ' '));
    return;
  }
  if ('tagName' in node) {
    const element = node as Element;
    const isStructured = element.tagName === 'script' && attributeOf(element, 'type') === 'application/ld+json';
    if (element.tagName === 'meta' || element.tagName === 'link') addMetadata(element, parts);
    else addAttributes(element, parts);
    if (UNSEEN.has(element.tagName) && !isStructured) return;
  }
  const isBlock = 'tagName' in node && !INLINE.has((node as Element).tagName);
  if (isBlock) parts.push('\n');
  if ('childNodes' in node) for (const child of node.childNodes) walk(child, parts);
  if (isBlock) parts.push('\n');
}

/** A link within the page counts by the text that it leads to, which is compared anyway. */
function addAttributes(element: Element, parts: string[]): void {
  for (const { name, value } of element.attrs) {
    if (!SEEN_ATTRIBUTES.has(name) || value.startsWith('#') || element.tagName === 'script') continue;
    parts.push(` [${name}=${value.replace(/\s+/g, ' ').trim()}] `);
  }
  const isHidden = element.tagName === 'input' && attributeOf(element, 'type') === 'hidden';
  if (element.tagName === 'input' && !isHidden) parts.push(` [value=${attributeOf(element, 'value')}] `);
}

function addMetadata(element: Element, parts: string[]): void {
  const property = attributeOf(element, 'property');
  const name = attributeOf(element, 'name').toLowerCase();
  const isMeant = /^(og|twitter|article|product):/.test(property) || /^(twitter:|robots$)/.test(name);
  if (element.tagName === 'meta' && isMeant) parts.push(`\n[${property}${name}=${attributeOf(element, 'content')}]\n`);
  if (attributeOf(element, 'rel') === 'canonical') parts.push(`\n[canonical=${attributeOf(element, 'href')}]\n`);
}

function attributeOf({ attrs }: Element, name: string): string {
  return attrs.find((attribute) => attribute.name === name)?.value ?? '';
}
