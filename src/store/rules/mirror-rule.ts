/** When a host is called a mirror of another, and how many pairs of hosts are watched for it. */

/** From so many paths with the same page on, and nine in ten of those compared. */
const LEAST_SAME = 10;
/** SQL, of the columns of `mirrors`. */
export const IS_MIRROR = `same >= ${LEAST_SAME} AND 10 * same >= 9 * (same + different)`;

/** Endless host names with one web behind them must not fill memory, nor make each page cost more and more. */
export const MOST_PAIRS = 10_000;
export const MOST_PARTNERS = 8;
