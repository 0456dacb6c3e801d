/** How often a count of back-links has doubled. A URL is first ranked as if one page linked to it. */
export function doublings(backlinks: number): number {
  return Math.floor(Math.log2(Math.max(1, backlinks)));
}
