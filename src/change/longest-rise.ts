/**
 * Finds the longest subsequence of items whose places rise, in n log n steps. Matches that cross each other cannot all
 * be kept when two versions are aligned, and this keeps as many as possible.
 */
export function longestRise<Item>(items: readonly Item[], placeOf: (item: Item) => number): Item[] {
  const previous = new Int32Array(items.length);
  // The item with the lowest place that ends a subsequence of each length.
  const ends: number[] = [];
  for (let at = 0; at < items.length; at++) {
    const place = placeOf(items[at]!);
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (placeOf(items[ends[middle]!]!) < place) low = middle + 1;
      else high = middle;
    }
    previous[at] = low === 0 ? -1 : ends[low - 1]!;
    ends[low] = at;
  }
  const rise: Item[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at]!) rise.push(items[at]!);
  return rise.reverse();
}
