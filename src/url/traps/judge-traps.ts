import type { Reason } from '../../core/reasons.ts';
import { pathEnd } from '../host.ts';
import { DEFAULT_MAX_DIRECTORIES } from './directory-depth.ts';
import { judgeRepeatedSegments } from './repeated-segments.ts';
import { DEFAULT_MAX_URL_LENGTH } from './url-length.ts';

/**
 * Endless URL spaces, told by the URL alone. In come URLs in normal form, out goes null or the trap's reason. Always: the
 * answer depends on the URL and the limits and on nothing seen before.
 *
 * Two traps need a memory, and so belong to whoever has one: `findSessionId` gives the URL to look up instead, and
 * `pathPattern` the name under which URLs are counted.
 */
export { judgeDirectoryDepth } from './directory-depth.ts';
export { pathPattern } from './path-pattern.ts';
export { judgeRepeatedSegments } from './repeated-segments.ts';
export { findSessionId, type SessionIdFinding } from './session-id.ts';
export { judgeUrlLength } from './url-length.ts';

export interface TrapLimits {
  readonly maxUrlLength: number;
  readonly maxDirectories: number;
}

export const DEFAULT_TRAP_LIMITS: TrapLimits = {
  maxUrlLength: DEFAULT_MAX_URL_LENGTH,
  maxDirectories: DEFAULT_MAX_DIRECTORIES,
};

export type TrapJudge = (url: string) => Reason | null;

export function compileTraps(limits: TrapLimits = DEFAULT_TRAP_LIMITS): TrapJudge {
  const { maxUrlLength, maxDirectories } = limits;

  return (url) => {
    if (url.length > maxUrlLength) return 'trap-url-length';
    // One scan over the slashes counts the directories and marks each segment's length and edge letters in a set of 32.
    // Every repetition has a segment three times; where no mark is met three times there is none to look for.
    let slashAt = url.indexOf('/', 8);
    if (slashAt === -1) return null;
    const end = pathEnd(url, slashAt);
    let directories = 0;
    let once = 0;
    let twice = 0;
    let isSuspect = false;
    while (slashAt < end) {
      let next = url.indexOf('/', slashAt + 1);
      if (next === -1 || next > end) next = end;
      else directories++;
      const mark = 1 << ((next - slashAt + url.charCodeAt(slashAt + 1) * 3 + url.charCodeAt(next - 1) * 7) & 31);
      if ((twice & mark) !== 0) isSuspect = true;
      twice |= once & mark;
      once |= mark;
      slashAt = next;
    }
    if (directories > maxDirectories) return 'trap-directory-depth';
    return isSuspect ? judgeRepeatedSegments(url) : null;
  };
}
