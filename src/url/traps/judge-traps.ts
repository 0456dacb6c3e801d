import type { Reason } from '../../core/reasons.ts';
import { pathEnd, pathStart } from '../host.ts';

/**
 * Recognises endless URL spaces by the URL alone. In: URLs in normal form. Out: null, or the reason of the trap. What
 * always holds: the answer depends only on the URL and the limits, not on earlier URLs.
 *
 * Two traps need stored state: `findSessionId` returns the URL to look up instead, and `pathPattern` returns the name
 * under which the store counts URLs (`store/rules/pattern-budget-rule.ts` has the limit).
 */
export { pathPattern } from './path-pattern.ts';
export { findSessionId, type SessionIdFinding } from './session-id.ts';

export interface TrapLimits {
  /**
   * A URL that keeps growing, because each page adds to its own address, is stopped by its length. Browsers and servers
   * agree on about 2,000 characters.
   */
  readonly maxUrlLength: number;
  /**
   * A path with more than 20 directories (C6) comes from a relative link that adds a level on each page; a person does
   * not file documents that deep.
   */
  readonly maxDirectories: number;
}

export type TrapJudge = (url: string) => Reason | null;

export function compileTraps(limits: TrapLimits): TrapJudge {
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

/**
 * A path that repeats one or more segments three times in a row, or one segment five times anywhere, is a trap. It
 * comes from a relative link that a server answers at every depth (C8: /toys/computers/toys/computers/…).
 */

/**
 * A run counts only if one of its segments is a word. /0/0/0, /1/1/1/1 and /a/a/a are map tiles, dates and hashed
 * folders, which are meaningful. If they are not, the limit on directory depth stops them.
 */
const MIN_RUNS = 3;
const MIN_OCCURRENCES = 5;

/** Further segments matter only for the directory depth. The limit keeps the search below small. */
const MAX_SEGMENTS = 64;

export function judgeRepeatedSegments(url: string): Reason | null {
  const segments = segmentsOf(url);
  return hasManyOf(segments) || hasRuns(segments) ? 'trap-repeated-segments' : null;
}

function segmentsOf(url: string): string[] {
  const start = pathStart(url);
  return url.slice(start + 1, pathEnd(url, start)).split('/', MAX_SEGMENTS);
}

function hasManyOf(segments: readonly string[]): boolean {
  if (segments.length < MIN_OCCURRENCES) return false;
  const occurrences = new Map<string, number>();
  for (const segment of segments) {
    if (!isWord(segment)) continue;
    const count = (occurrences.get(segment) ?? 0) + 1;
    if (count >= MIN_OCCURRENCES) return true;
    occurrences.set(segment, count);
  }
  return false;
}

/** For each run length, counts for how many segments the path equals itself one run earlier. */
function hasRuns(segments: readonly string[]): boolean {
  for (let runLength = 1; runLength * MIN_RUNS <= segments.length; runLength++) {
    let agreeing = 0;
    let sinceWord = Number.POSITIVE_INFINITY;
    for (let at = runLength; at < segments.length; at++) {
      const segment = segments[at]!;
      if (segment !== segments[at - runLength]) {
        agreeing = 0;
        continue;
      }
      agreeing++;
      sinceWord = isWord(segment) ? 0 : sinceWord + 1;
      if (agreeing >= runLength * (MIN_RUNS - 1) && sinceWord < runLength) return true;
    }
  }
  return false;
}

function isWord(segment: string): boolean {
  if (segment.length < 2) return false;
  for (let at = 0; at < segment.length; at++) {
    const code = segment.charCodeAt(at);
    if (code < 0x30 || code > 0x39) return true;
  }
  return false;
}
