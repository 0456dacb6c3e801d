/**
 * A path that repeats one or more segments three times in a row, or one segment five times anywhere, is a trap. It
 * comes from a relative link that a server answers at every depth (C8: /toys/computers/toys/computers/…).
 */
import type { Reason } from '../../core/reasons.ts';
import { pathEnd, pathStart } from '../host.ts';

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
