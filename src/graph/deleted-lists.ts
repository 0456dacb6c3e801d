/**
 * Removes lists that are no longer valid from a stored segment, because the pages have changed or are gone. In: a
 * segment and pages. Out: the targets of their lists, and the segment without the lists.
 *
 * A list is struck: its page id is overwritten with a zero of the same number of bytes. The segment keeps its length,
 * and few of its bytes change, so a database writes one or two disk pages and not the whole segment. If more than half
 * of a segment is struck, it is rewritten without the struck lists.
 */
import { SegmentReader, STRUCK } from './segment-reader.ts';

const MOST_STRUCK = 0.5;

const reader = new SegmentReader();

/** Changes the given bytes in place, or returns a shorter segment. */
export function markListsDeleted(
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
  return { segment: isSparse ? withoutDeleted(segment) : segment, targets };
}

/** The segment without its struck lists. */
export function withoutDeleted(segment: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = [];
  reader.open(segment);
  while (reader.next()) kept.push(segment.subarray(reader.pageStart, reader.at));
  return Buffer.concat(kept);
}

/** The bytes of a page's list, or null if the segment has none. */
export function listOf(segment: Uint8Array, page: number): Uint8Array | null {
  reader.open(segment);
  return reader.nextOf(new Set([page])) ? segment.subarray(reader.listStart, reader.at) : null;
}

/** The bytes of all lists of a segment, by page. */
export function listsOf(segment: Uint8Array): Map<number, Uint8Array> {
  const lists = new Map<number, Uint8Array>();
  reader.open(segment);
  while (reader.pass()) lists.set(reader.page, segment.subarray(reader.listStart, reader.at));
  return lists;
}

function strike(segment: Uint8Array, start: number): void {
  let at = start;
  while (segment[at]! >= 128) segment[at++] = 128;
  segment[at] = STRUCK;
}
