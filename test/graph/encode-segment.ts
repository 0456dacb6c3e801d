import type { LinkList } from '../../src/graph/link-list.ts';
import { SegmentBuilder } from '../../src/graph/segment.ts';

export function encodeSegment(pages: Iterable<{ readonly page: number; readonly links: LinkList }>): Uint8Array {
  const builder = new SegmentBuilder();
  for (const { page, links } of pages) builder.add(page, links);
  return builder.take();
}
