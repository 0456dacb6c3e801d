import type { Order, OrderSettings } from '../order.ts';

/**
 * pvalue = a·FwdLK − b·BkLK, the largest first, in three lists of equal length that are served 4 : 2 : 1 (P4, P5): pages that
 * lead on come early, pages that many others lead to can wait. While the copy is young a weighs more; b grows with it:
 * with n pages, a = forward · m / (m + n) and b = back · n / (m + n), equal at the maturity m when both factors are.
 *
 * Starves nobody: one fetch in seven goes to the last third, and inside a list the time of discovery counts as well.
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
