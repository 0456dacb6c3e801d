/** When a host is called a mirror of another, and how many pairs of hosts are counted. */

/** A mirror needs at least this many paths with the same page, and nine in ten of the compared paths. */
const LEAST_SAME = 10;
/** SQL condition on the columns of `mirrors`. */
export const IS_MIRROR = `same >= ${LEAST_SAME} AND 10 * same >= 9 * (same + different)`;

/**
 * Endless host names with one web site behind them must not fill
 * the memory, and must not make each page more expensive.
 */
export const MOST_PAIRS = 10_000;
export const MOST_PARTNERS = 8;
