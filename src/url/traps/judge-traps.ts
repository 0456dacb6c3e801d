import type { Reason } from '../../core/reasons.ts';
import { pathEnd } from '../host.ts';
import { judgeRepeatedSegments } from './repeated-segments.ts';

/**
 * Recognises endless URL spaces by the URL alone. In: URLs in normal form. Out: null, or the reason of the trap. What
 * always holds: the answer depends only on the URL and the limits, not on earlier URLs.
 *
 * Two traps need stored state, so the caller handles them: `findSessionId` returns the URL to look up instead, and
 * `pathPattern` returns the name under which URLs are counted.
 */
export { pathPattern } from './path-pattern.ts';
export { judgeRepeatedSegments } from './repeated-segments.ts';
export { findSessionId, type SessionIdFinding } from './session-id.ts';

export interface TrapLimits {
  readonly maxUrlLength: number;
  readonly maxDirectories: number;
}

const DEFAULT_TRAP_LIMITS: TrapLimits = {
  // A URL that keeps growing, because each page adds to its own address, is stopped by its length. Browsers and servers
  // agree on about 2,000 characters.
  maxUrlLength: 2_000,
  // A path with more than 20 directories (C6) comes from a relative link that adds a level on each page; a person does
  // not file documents that deep.
  maxDirectories: 20,
};

export type TrapJudge = (url: string) => Reason | null;

export function compileTraps(limits: TrapLimits = DEFAULT_TRAP_LIMITS): TrapJudge {
  const { maxUrlLength, maxDirectories } = limits;

  return (url) => {
    if (url.length > maxUrlLength) return 'trap-url-length';
    // One scan over the slashes counts the directories and maps each segment, by its length and its first and last
    // letter, to one of 32 marks. Every repetition contains a segment three times, so if no mark occurs three times,
    // there is no repetition to look for.
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
