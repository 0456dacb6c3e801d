/** Sorts ids and counts them with a binary search. An id may occur several times. */

/** How often a number occurs in an ascending array. */
export function occurrences(sorted: Float64Array, wanted: number): number {
  return firstFrom(sorted, wanted + 1) - firstFrom(sorted, wanted);
}

/** The index of the first number that is not less than `least`. */
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

/**
 * Sorts in place, in ascending order. Ids are numbered from 1 without gaps, so the largest id is usually not much
 * larger than the length of the array.
 */
export function sortIds(ids: Float64Array): Float64Array {
  let last = 0;
  for (let i = 0; i < ids.length; i++) if ((ids[i] as number) > last) last = ids[i] as number;
  if (last > DENSE * ids.length) return ids.sort();
  const counts = new Uint32Array(last + 1);
  for (let i = 0; i < ids.length; i++) (counts[ids[i] as number] as number)++;
  let at = 0;
  for (let id = 0; id <= last; id++) {
    for (let left = counts[id] as number; left > 0; left--) ids[at++] = id;
  }
  return ids;
}

/**
 * If the largest id is at most this many times the length of the array, counting
 * takes a fraction of the time of sorting.
 */
const DENSE = 8;
