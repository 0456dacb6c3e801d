/** A region of a page that changes at every visit: plain data, stored with the page. */
import { hash } from 'node:crypto';
import type { OutlineNode } from '../../../core/page-outline.ts';
import type { RegionKind } from './region-kinds.ts';

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
