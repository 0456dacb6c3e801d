/** A place of a page that is another at every visit: plain data, to be stored with the page. */
import { hash } from 'node:crypto';
import type { OutlineNode } from '../../core/page-outline.ts';
import type { RegionKind } from './region-kinds.ts';

export interface VolatileRegion {
  readonly path: string;
  /** '' for a text, or for all that is in an element. */
  readonly attribute: string;
  readonly kind: RegionKind;
  readonly context: string;
  /** Of a rotating slot: hashes of what it has held. */
  readonly alternatives: readonly string[];
}

/** What an element holds, itself included. */
export function slotHash(nodes: readonly OutlineNode[], from: number, end: number): string {
  const parts: string[] = [];
  for (let at = from; at < end; at++) {
    const { kind, level, name, attributes, text } = nodes[at]!;
    parts.push(kind, String(level), name, String(attributes.length), ...attributes.slice(0, 200), text);
  }
  return hash('sha256', parts.join('\0')).slice(0, 32);
}
