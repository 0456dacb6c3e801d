/**
 * Lists that count no more, in a segment that stays: the pages have changed, or are gone. In come a segment and pages; out go
 * the targets of their lists and the segment without them.
 *
 * A list is struck by writing a zero of as many bytes over its page, so that the segment keeps its length and few of its bytes
 * differ: a database then writes a page or two of it, not all. What is mostly struck is written anew without.
 */
import { SegmentReader, STRUCK } from './segment-reader.ts';

const MOST_STRUCK = 0.5;

const reader = new SegmentReader();

/** Changes the bytes that are given, or gives fewer. */
export function strikeLists(
  segment: Uint8Array,
  pages: ReadonlySet<number>,
): { segment: Uint8Array; targets: number[] } {
  const targets: number[] = [];
  let struckBytes = 0;
  reader.open(segment);
  while (reader.nextOf(pages)) {
    for (const target of reader.targets.subarray(0, reader.count)) targets.push(target);
    struckBytes += reader.at - reader.pageStart;
    strike(segment, reader.pageStart);
  }
  const isSparse = struckBytes + reader.struckBytes > MOST_STRUCK * segment.length;
  return { segment: isSparse ? withoutStruck(segment) : segment, targets };
}

/** Only what still counts. */
export function withoutStruck(segment: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = [];
  reader.open(segment);
  while (reader.next()) kept.push(segment.subarray(reader.pageStart, reader.at));
  return Buffer.concat(kept);
}

/** The bytes of a page's list; null where the segment has none. */
export function listOf(segment: Uint8Array, page: number): Uint8Array | null {
  reader.open(segment);
  return reader.nextOf(new Set([page])) ? segment.subarray(reader.listStart, reader.at) : null;
}

function strike(segment: Uint8Array, start: number): void {
  let at = start;
  while (segment[at]! >= 128) segment[at++] = 128;
  segment[at] = STRUCK;
}
