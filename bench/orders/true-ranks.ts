/** A simple PageRank of a whole model web, in which all links have the same weight. */
import type { ModelWeb } from './crawl-model.ts';

const DAMPING = 0.85;
const TOLERANCE = 1e-10;

export function trueRanks(web: ModelWeb): Float64Array {
  const { pages } = web;
  let ranks = new Float64Array(pages).fill(1 / pages);
  for (;;) {
    const next = new Float64Array(pages);
    let unlinked = 0;
    for (let page = 0; page < pages; page++) {
      const links = web.links(page);
      if (links.length === 0) unlinked += ranks[page]!;
      for (let i = 0; i < links.length; i++) next[links[i]!]! += (DAMPING * ranks[page]!) / links.length;
    }
    let change = 0;
    for (let page = 0; page < pages; page++) {
      next[page]! += (1 - DAMPING + DAMPING * unlinked) / pages;
      change += Math.abs(next[page]! - ranks[page]!);
    }
    ranks = next;
    if (change < TOLERANCE) return ranks;
  }
}
