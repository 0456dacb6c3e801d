/** Queries on segments of the link graph: all targets, the links of one page, the pages that link to a URL. */
import { SegmentReader } from './segment-reader.ts';
import { sortIds } from './sorted-ids.ts';

const FIRST_CAPACITY = 65_536;

/** The other end of a link from a page or to a URL, and the attribute code of the link. */
export interface LinkEnd {
  readonly id: number;
  readonly attributes: number;
}

const reader = new SegmentReader();

/** All targets of these segments, in ascending order. */
export function targetsOf(segments: readonly Uint8Array[]): Float64Array {
  let targets = new Float64Array(FIRST_CAPACITY);
  let length = 0;
  for (const segment of segments) {
    reader.open(segment);
    while (reader.next()) {
      if (length + reader.count > targets.length) {
        const larger = new Float64Array(2 * (length + reader.count));
        larger.set(targets);
        targets = larger;
      }
      targets.set(reader.targets.subarray(0, reader.count), length);
      length += reader.count;
    }
  }
  return sortIds(targets.subarray(0, length));
}

/** Adds the pages of a segment that link to a URL. */
export function addLinksTo(segment: Uint8Array, id: number, found: LinkEnd[]): void {
  reader.open(segment);
  while (reader.next()) {
    const at = reader.targets.subarray(0, reader.count).indexOf(id);
    if (at >= 0) found.push({ id: reader.page, attributes: reader.attributes[at] as number });
  }
}

/** Like addLinksTo, for several URLs. `found` has a separate list for each URL. */
export function addLinksToAny(segment: Uint8Array, ids: ReadonlySet<number>, found: Map<number, LinkEnd[]>): void {
  reader.open(segment);
  while (reader.next()) {
    for (let i = 0; i < reader.count; i++) {
      const target = reader.targets[i]!;
      if (!ids.has(target)) continue;
      const ends = found.get(target) ?? [];
      ends.push({ id: reader.page, attributes: reader.attributes[i]! });
      found.set(target, ends);
    }
  }
}

/** The links of a page, or null if the segment has no list for it. */
export function linksOf(segment: Uint8Array, page: number): LinkEnd[] | null {
  reader.open(segment);
  while (reader.next()) {
    if (reader.page !== page) continue;
    return Array.from({ length: reader.count }, (_, i) => ({
      id: reader.targets[i] as number,
      attributes: reader.attributes[i] as number,
    }));
  }
  return null;
}
