/** Ids that ascend, some of them several times: looked up by halving. */

/** How often a number is among numbers that ascend. */
export function occurrences(sorted: Float64Array, wanted: number): number {
  return firstFrom(sorted, wanted + 1) - firstFrom(sorted, wanted);
}

/** The place of the first that is not less. */
function firstFrom(sorted: Float64Array, least: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
