/**
 * A simple PageRank as a reference for the real one: everything in memory, only doubles, and nothing shared with
 * src/graph except the table of weights.
 */
import { LINK_WEIGHTS } from '../../src/graph/link-attributes.ts';
import type { DiscoveredWeb } from './discovery-order.ts';
import { attributeCode } from './linked-pages.ts';

const DAMPING = 0.85;

export interface ReferenceOptions {
  readonly tolerance?: number;
  readonly maxIterations?: number;
  /** This many pages have been fetched, the others are only known. Default: all pages. */
  readonly fetched?: number;
}

export interface Reference {
  /** Ranks by id: page p has id p + 1. */
  readonly ranks: Float64Array;
  readonly iterations: number;
  readonly cpuSecondsPerIteration: number;
}

export function referenceRanks(web: DiscoveredWeb, options: ReferenceOptions = {}): Reference {
  const { tolerance = 1e-12, maxIterations = 1000, fetched = web.pages } = options;
  const weights = new Uint8Array(web.targets.length);
  const weightOfPage = new Float64Array(web.pages);
  for (let page = 0; page < fetched; page++) {
    const start = web.offsets[page]!;
    for (let i = start; i < web.offsets[page + 1]!; i++) {
      weights[i] = LINK_WEIGHTS[attributeCode(web, page, i - start)]!;
      weightOfPage[page]! += weights[i]!;
    }
  }
  const before = process.threadCpuUsage();
  let ranks = new Float64Array(web.pages).fill(1 / web.pages);
  let iterations = 0;
  for (let change = 1; change >= tolerance && iterations < maxIterations; iterations++) {
    const next = iterate(web, ranks, weights, weightOfPage);
    change = 0;
    for (let page = 0; page < web.pages; page++) change += Math.abs(next[page]! - ranks[page]!);
    ranks = next;
  }
  const { user, system } = process.threadCpuUsage(before);
  const byId = new Float64Array(web.pages + 1);
  byId.set(ranks, 1);
  return { ranks: byId, iterations, cpuSecondsPerIteration: (user + system) / 1e6 / iterations };
}

function iterate(
  { pages, offsets, targets }: DiscoveredWeb,
  ranks: Float64Array,
  weights: Uint8Array,
  weightOfPage: Float64Array,
): Float64Array<ArrayBuffer> {
  const next = new Float64Array(pages);
  let unlinked = 0;
  for (let page = 0; page < pages; page++) {
    if (weightOfPage[page] === 0) {
      unlinked += ranks[page]!;
      continue;
    }
    const share = (DAMPING * ranks[page]!) / weightOfPage[page]!;
    for (let i = offsets[page]!; i < offsets[page + 1]!; i++) next[targets[i]!]! += share * weights[i]!;
  }
  for (let page = 0; page < pages; page++) next[page]! += (1 - DAMPING + DAMPING * unlinked) / pages;
  return next;
}
