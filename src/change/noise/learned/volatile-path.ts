/**
 * The path of a node, by which the node is found again in the next version: the names from the root
 * down, each with its number among siblings of the same name. Also the context of a node, so that no
 * other node is mistaken for it when the page is rebuilt.
 */
import { hash } from 'node:crypto';
import type { OutlineNode } from '../../../core/page/page-outline.ts';
import type { RegionKind } from './region-kinds.ts';

/** Deeper nodes have no path, so nothing is learned about them. */
const MAX_LEVEL = 64;
const MAX_CONTEXT_CHARS = 160;
/** Elements with longer names have no path either, because every path below would repeat the name. */
const MAX_NAME_CHARS = 40;
const MAX_PATH_CHARS = 1_000;
/** The length of a text or an attribute that is processed. The context keeps less. */
const MAX_LOOKED_AT_CHARS = 200;

/** The path of every element, or '' if it has none. */
export function elementPaths(nodes: readonly OutlineNode[]): string[] {
  const paths: string[] = [];
  const counts = new Map<string, number>();
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at]!;
    const above = node.parent < 0 ? '/' : paths[node.parent]!;
    const isPlaced = node.kind === 'element' && node.level >= 1 && node.level <= MAX_LEVEL && above !== '';
    if (!isPlaced || node.name.length > MAX_NAME_CHARS || above.length > MAX_PATH_CHARS) {
      paths.push('');
      continue;
    }
    const kind = `${node.parent} ${node.name}`;
    const number = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, number);
    paths.push(`${above}${node.name}:${number}/`);
  }
  return paths;
}

/** The index after the subtree of an element. The search stops after `enough` nodes. */
export function subtreeEnd(nodes: readonly OutlineNode[], place: number, enough = nodes.length): number {
  const last = Math.min(nodes.length, place + enough);
  let end = place + 1;
  while (end < last && (nodes[end]!.parent >= place || nodes[end]!.level === 0)) end++;
  return end;
}

/** The element's tag with id and class, and the words around it on its line, with their numbers replaced. */
export function contextOf(nodes: readonly OutlineNode[], element: number): string {
  const node = nodes[element]!;
  const words: string[] = [];
  let chars = 0;
  const from = Math.max(0, node.parent);
  for (let at = from + 1; at < nodes.length && chars < MAX_CONTEXT_CHARS && at - from < 40; at++) {
    const near = nodes[at]!;
    if (near.level > 0 && near.parent < from) break;
    if (near.kind !== 'text' || near.parent === element) continue;
    const text = near.text.slice(0, MAX_LOOKED_AT_CHARS).trim().replace(/\d+/g, '0');
    words.push(text);
    chars += text.length;
  }
  return `${signOf(node)} ${words.join(' ').slice(0, MAX_CONTEXT_CHARS)}`;
}

export function signOf(node: OutlineNode): string {
  let id = '';
  let classes = '';
  for (let at = 0; at < node.attributes.length; at += 2) {
    if (node.attributes[at] === 'id') id = `#${node.attributes[at + 1]!.slice(0, MAX_LOOKED_AT_CHARS)}`;
    else if (node.attributes[at] === 'class') classes = `.${node.attributes[at + 1]!.slice(0, MAX_LOOKED_AT_CHARS)}`;
  }
  return node.name + id + classes;
}

/** A region of a page that changes at every visit: plain data, stored with the page. */
export interface VolatileRegion {
  readonly path: string;
  /** The name of the attribute, or '' for a text or for all content of an element. */
  readonly attribute: string;
  readonly kind: RegionKind;
  readonly context: string;
  /** For a rotating slot: the hashes of the contents that it has shown. Empty for other kinds. */
  readonly alternatives: readonly string[];
}

/** The hash of an element and its content. */
export function slotHash(nodes: readonly OutlineNode[], from: number, end: number): string {
  const parts: string[] = [];
  for (let at = from; at < end; at++) {
    const { kind, level, name, attributes, text } = nodes[at]!;
    parts.push(kind, String(level), name, String(attributes.length), ...attributes.slice(0, 200), text);
  }
  return hash('sha256', parts.join('\0')).slice(0, 32);
}
