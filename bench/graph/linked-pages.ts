/**
 * The model web as the link graph stores it: ids from 1 in the order of the pages, plausible link attributes, and
 * link lists in segments.
 */
import { encodeAttributes, OTHER_HOST, POSITIONS, SAME_HOST, VISIBILITIES } from '../../src/graph/link-attributes.ts';
import { encodeLinkList, linkValue } from '../../src/graph/link-list.ts';
import { SegmentBuilder } from '../../src/graph/segment.ts';
import type { DiscoveredWeb } from './discovery-order.ts';

/** As large as a store may make a segment: some thousand pages. */
const SEGMENT_BYTES = 256 * 1024;
/** The visibility of ten links: plain, bold or italic, both. */
const VISIBILITY_OF_TEN = [0, 0, 0, 0, 0, 0, 0, 1, 1, 2] as const;

/**
 * The attributes of a page's n-th link. They follow from its position and from a hash of the numbers, so
 * no array stores them.
 */
export function attributeCode(web: DiscoveredWeb, page: number, nth: number): number {
  const start = web.offsets[page]!;
  const links = web.offsets[page + 1]! - start;
  const target = web.targets[start + nth]!;
  const mixed = Math.imul(page ^ Math.imul(target, 0x85ebca6b), 0x9e3779b1) >>> 8;
  return encodeAttributes({
    visibility: VISIBILITIES[VISIBILITY_OF_TEN[mixed % 10]!]!,
    position: POSITIONS[2 - Math.floor((3 * nth) / links)]!,
    distance: web.sections[page] === web.sections[target] ? SAME_HOST : OTHER_HOST,
  });
}

export interface StoredGraph {
  readonly segments: readonly Uint8Array[];
  readonly links: number;
  readonly bytes: number;
}

/** Stores the links of the pages before `pages`. */
export function storeGraph(web: DiscoveredWeb, pages = web.pages): StoredGraph {
  const segments: Uint8Array[] = [];
  const builder = new SegmentBuilder();
  let links = 0;
  for (let page = 0; page < pages; page++) {
    const values = web.links(page);
    const list = encodeLinkList(
      Float64Array.from(values, (to, nth) => linkValue(to + 1, attributeCode(web, page, nth))),
    );
    builder.add(page + 1, list);
    links += list.count;
    if (builder.byteLength >= SEGMENT_BYTES) segments.push(builder.take());
  }
  if (builder.byteLength > 0) segments.push(builder.take());
  return { segments, links, bytes: segments.reduce((sum, segment) => sum + segment.length, 0) };
}
