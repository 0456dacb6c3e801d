/**
 * Reduces an outline to what a browser lays out: elements, their attributes and texts, and style sheets. Left out is
 * what neither readers nor the layout have: scripts and their state, metadata, hidden fields, tokens and comments.
 *
 * In: an outline, best without its noise. Out: one string; the time is linear.
 */
import type { OutlineNode, PageOutline } from '../../core/page/page-outline.ts';
import { attributeOf } from '../noise/advertising/advertisement.ts';
import { isHiddenInput } from './seen-attributes.ts';

/** Elements without any effect on the layout. Style sheets are the only links that have an effect. */
const UNSHOWN = new Set('script meta link base param track'.split(' '));
const STYLE_LINK = /(?:^|\s)stylesheet(?:\s|$)/i;
/** State and code of scripts, hashes of files, and names that only scripts and servers use. */
const UNSHOWN_ATTRIBUTE =
  /^(?:data-|on[a-z]|js[a-z]|[@:_]|(?:v|x|ng|hx|wire)[-:]|(?:nonce|integrity|crossorigin|referrerpolicy|fetchpriority|loading|decoding|async|defer|ping|name)$)/;

export function markupOf({ nodes }: PageOutline): string {
  const parts: string[] = [];
  for (const node of nodes) {
    const { kind, level, parent, name, text } = node;
    if (kind === 'element') {
      if (isShown(node)) parts.push(`${level}<${name}${attributesOf(node)}`);
    } else if (kind === 'comment') {
      // On level 0 it is the doctype, which decides how a browser lays out the page.
      if (level === 0) parts.push(`!${text}`);
    } else if (parent < 0 || (nodes[parent] as OutlineNode).name !== 'script') parts.push(`${level};${text}`);
  }
  return parts.join('\u0001');
}

function isShown(node: OutlineNode): boolean {
  if (isHiddenInput(node)) return false;
  if (node.name === 'link') return STYLE_LINK.test(attributeOf(node, 'rel'));
  return !UNSHOWN.has(node.name);
}

function attributesOf({ attributes }: OutlineNode): string {
  let all = '';
  for (let at = 0; at < attributes.length; at += 2) {
    const name = attributes[at] as string;
    if (!UNSHOWN_ATTRIBUTE.test(name)) all += ` ${name}=${(attributes[at + 1] as string).length}:${attributes[at + 1]}`;
  }
  return all;
}
