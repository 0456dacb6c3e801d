/**
 * A path with more than 20 directories (C6) comes from a relative link that adds a level on each page, not from a
 * person who filed something.
 */
import type { Reason } from '../../core/reasons.ts';
import { pathStart } from '../host.ts';

export const DEFAULT_MAX_DIRECTORIES = 20;

/** `/a/b/c.html` and `/a/b/` have two directories. */
export function judgeDirectoryDepth(url: string, maxDirectories: number = DEFAULT_MAX_DIRECTORIES): Reason | null {
  let directories = -1;
  for (let at = pathStart(url); at < url.length; at++) {
    const code = url.charCodeAt(at);
    if (code === 0x2f) directories++;
    else if (code === 0x3f || code === 0x23) break;
  }
  return directories > maxDirectories ? 'trap-directory-depth' : null;
}
