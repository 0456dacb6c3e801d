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

/** Ascending, in place. Ids are counted through from 1, so mostly there are not many more of them than there are numbers here. */
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

/** Up to so many ids for each number, counting takes a fraction of the time of sorting. */
const DENSE = 8;
