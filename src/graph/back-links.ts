/** How many pages link to each URL: one walk over the graph, four bytes a URL, and exact. */
import { GraphWalk } from './graph-walk.ts';

/** By id. A page's link to itself is counted, as it stands in its list; targets that became known later are left out. */
export function countBackLinks(segments: Iterable<Uint8Array>, urls: number): Uint32Array {
  const counts = new Uint32Array(urls + 1);
  const walk = new GraphWalk(segments, urls);
  while (walk.next()) {
    const { count, targets } = walk.reader;
    // Ascending, so what is beyond is at the end. Writing there would do nothing, but slows the loop down.
    for (let i = 0; i < count && targets[i]! <= urls; i++) counts[targets[i]!]!++;
  }
  return counts;
}
