/** The base of a model web: sections with power-law sizes, and the links that make every page reachable. */
import { type Random, randomBelow } from '../../testbed/random.ts';

/**
 * The sizes of sites follow a power law, too. With this exponent most sites are small and most pages
 * are on large sites.
 */
const SECTION_SIZE_EXPONENT = 1.7;
const LEAST_SECTION_PAGES = 10;
/** Maximum share of all pages in one section. */
const LARGEST_SECTION_SHARE = 0.05;

/** The child pages of each page, cut by offsets. */
export interface Tree {
  readonly offsets: Uint32Array;
  readonly pages: Uint32Array;
}

/** Returns the first page of each section, followed by the total number of pages. */
export function cutSections(pages: number, random: Random): Uint32Array {
  const most = Math.max(LEAST_SECTION_PAGES, Math.floor(pages * LARGEST_SECTION_SHARE));
  const starts: number[] = [];
  for (let start = 0; start < pages; ) {
    starts.push(start);
    const size = LEAST_SECTION_PAGES * (1 - random()) ** (-1 / (SECTION_SIZE_EXPONENT - 1));
    start += Math.min(most, Math.floor(size));
  }
  return Uint32Array.of(...starts, pages);
}

/**
 * Attaches each page except page 0 to an earlier page: of its section, or of any section when it is
 * the section's first page.
 */
export function attachPages(pages: number, sections: Uint32Array, sectionStarts: Uint32Array, random: Random): Tree {
  const parents = new Uint32Array(pages);
  const offsets = new Uint32Array(pages + 1);
  for (let page = 1; page < pages; page++) {
    const start = sectionStarts[sections[page]!]!;
    const parent = page === start ? randomBelow(random, page) : start + randomBelow(random, page - start);
    parents[page] = parent;
    offsets[parent + 1]!++;
  }
  for (let page = 0; page < pages; page++) offsets[page + 1]! += offsets[page]!;
  const next = offsets.slice();
  const hanging = new Uint32Array(Math.max(0, pages - 1));
  for (let page = 1; page < pages; page++) hanging[next[parents[page]!]!++] = page;
  return { offsets, pages: hanging };
}
