/**
 * The groups of pages that a URL belongs to: its whole host, the folders above it, and the pages of its shape. Pages of
 * one group share a template. Each group is a number of 32 bits; a collision of two groups does no harm.
 */
import { pathShape } from '../../url/path-shape.ts';

/** The host is one of them, and the shape is another. Deeper folders share the template of the shape. */
export const MAX_GROUPS = 6;
/** The group of all pages of the host. */
export const HOST = 0x811c9dc5;
const PRIME = 0x01000193;
const SLASH = 0x2f;

/** Fills `groups` with the groups of a URL, from the widest to the narrowest. Returns how many there are. */
export function groupsOf(url: string, groups: Uint32Array): number {
  const shape = pathShape(url);
  let count = 0;
  let hash = HOST;
  groups[count++] = hash;
  for (let at = 1; at < shape.length; at++) {
    const code = shape.charCodeAt(at);
    if (code === SLASH && count < MAX_GROUPS - 1) groups[count++] = hash >>> 0;
    hash = Math.imul(hash ^ code, PRIME);
  }
  groups[count++] = hash >>> 0;
  return count;
}
