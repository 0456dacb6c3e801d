/**
 * The pages of a model web numbered as a crawl numbers them: in the order in which they are found, breadth first from page 0.
 * Neighbours on a host are then no longer neighbours in the numbering, which is what link lists really meet.
 */
import type { PowerLawWeb } from './power-law-web.ts';

/** The same web, each page at the place of its discovery. Section numbers stay, and no longer lie side by side. */
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
