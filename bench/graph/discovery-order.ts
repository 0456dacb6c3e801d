/**
 * Numbers the pages of a model web as a crawl does: in the order of discovery, breadth first from page 0. Neighbours on
 * a host then no longer have neighbouring numbers, as in the link lists of real crawls.
 */
import type { PowerLawWeb } from './power-law-web.ts';

/**
 * The same web, with the pages in the order of their discovery. Section numbers stay, but the pages of a section are no
 * longer side by side.
 */
export type DiscoveredWeb = Omit<PowerLawWeb, 'sectionStarts'>;

export function inDiscoveryOrder(web: PowerLawWeb): DiscoveredWeb {
  const { pages } = web;
  const found = new Uint32Array(pages);
  const placeOf = new Uint32Array(pages).fill(pages);
  placeOf[0] = 0;
  let count = 1;
  for (let next = 0; next < count; next++) {
    for (const target of web.links(found[next]!)) {
      if (placeOf[target] !== pages) continue;
      placeOf[target] = count;
      found[count++] = target;
    }
  }
  const offsets = new Uint32Array(pages + 1);
  const targets = new Uint32Array(web.targets.length);
  const sections = new Uint32Array(pages);
  let end = 0;
  for (let place = 0; place < pages; place++) {
    for (const target of web.links(found[place]!)) targets[end++] = placeOf[target]!;
    offsets[place + 1] = end;
    sections[place] = web.sections[found[place]!]!;
  }
  const links = (page: number) => targets.subarray(offsets[page], offsets[page + 1]);
  return { pages, offsets, targets, sections, links };
}
