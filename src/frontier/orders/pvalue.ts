import type { Order, OrderSettings } from '../order.ts';

/**
 * pvalue = a·FwdLK − b·BkLK, the largest first, in three lists of equal length that are served 4 : 2 : 1 (P4, P5).
 * Pages with many links come early; pages that many others link to can wait. While the copy is young, a weighs more; b
 * grows with the copy. With n pages, a = forward · m / (m + n) and b = back · n / (m + n). They are equal at the
 * maturity m if both factors are equal.
 *
 * No URL starves: one fetch in seven goes to the last list, and within a list the time of discovery counts too.
 */
const FOUND_PER_LINK = 10_000;

export function pvalue(settings: OrderSettings): Order {
  return {
    name: 'pvalue',
    follows: 'backlinks',
    drifts: true,
    lists: [4, 2, 1],
    rank: ({ forwardLinks, backlinks, pages, foundAt }) =>
      foundAt / FOUND_PER_LINK - pvalueOf(forwardLinks, backlinks, agedWeights(pages, settings)),
  };
}

export interface PvalueWeights {
  readonly forward: number;
  readonly back: number;
}

export function agedWeights(pages: number, settings: OrderSettings): PvalueWeights {
  const age = pages / (settings.pvalueMaturity + pages);
  return { forward: settings.pvalueForward * (1 - age), back: settings.pvalueBack * age };
}

export function pvalueOf(forwardLinks: number, backlinks: number, { forward, back }: PvalueWeights): number {
  return forward * forwardLinks - back * backlinks;
}
