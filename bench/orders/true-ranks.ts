/**
 * A simple PageRank of a whole web. If the web has no attributes of links, all links have the same weight.
 */
import { LINK_WEIGHTS, PLAINEST_CODE } from '../../src/graph/link-attributes.ts';
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
      const codes = web.codes?.(page);
      const weightOf = (i: number): number => LINK_WEIGHTS[codes?.[i] ?? PLAINEST_CODE]!;
      let weights = 0;
      for (let i = 0; i < links.length; i++) weights += weightOf(i);
      if (weights === 0) unlinked += ranks[page]!;
      for (let i = 0; i < links.length; i++) next[links[i]!]! += (DAMPING * ranks[page]! * weightOf(i)) / weights;
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
