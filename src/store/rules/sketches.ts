/**
 * What two sketches say about two pages (E5). A sketch is the smallest fingerprints of a page's text, ascending and distinct;
 * with fewer than `SKETCH_SIZE` it has them all, else all up to its last one.
 *
 * The similarity is the share of common fingerprints among those up to where both sketches are complete. So one of the two
 * is always compared as a whole and the other as far as it reaches: a beginning of it.
 */
export const SKETCH_SIZE = 32;

/** With fewer fingerprints a page has too little text to be called similar to anything. */
export const LEAST_PRINTS = 4;

/** Products of a threshold and a number are off by less: 0.7 × 30 is a little less than 21. */
const ROUNDING = 1e-9;

/** The similarity; 0 as soon as it is clear that it is below `threshold`, which for most pairs is after a few steps. */
export function similarity(a: Uint32Array, b: Uint32Array, threshold: number): number {
  // The longer one is compared as a whole, or both are.
  const mostShared = Math.min(a.length, b.length);
  if (mostShared < threshold * Math.max(a.length, b.length) - ROUNDING) return 0;
  const mostAlone = mostShared / threshold - mostShared + ROUNDING;
  let shared = 0;
  let alone = 0;
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const left = a[i] as number;
    const right = b[j] as number;
    if (left === right) shared++;
    else if (++alone > mostAlone) return 0;
    if (left <= right) i++;
    if (right <= left) j++;
  }
  // What is left of one counts where the other, which has ended, is complete.
  if (a.length < SKETCH_SIZE) alone += b.length - j;
  if (b.length < SKETCH_SIZE) alone += a.length - i;
  const all = shared + alone;
  const share = all === 0 ? 0 : shared / all;
  return share >= threshold - ROUNDING ? share : 0;
}

/** So many fingerprints have to be common to the first ones of two pages before they are compared. */
const MOST_COMMON = 4;

/**
 * Two sets with a similarity of at least `threshold` share `leastCommon` of their first so many elements, in whatever order
 * both are read (the prefix filter; Chaudhuri, Ganti, Kaushik 2006, for one; the same argument holds for several): of a set
 * at most size − ⌈threshold · size⌉ are not in the other. A beginning of a set has a shorter prefix, so it holds for
 * sketches of which one is compared only in part.
 */
export function prefixLength(size: number, threshold: number): number {
  const shared = Math.ceil(threshold * size - ROUNDING);
  return size - shared + Math.min(MOST_COMMON, shared);
}

/** With a page of this size, whatever the size of the other: that is at least `threshold` of it, or they are not similar. */
export function leastCommon(size: number, threshold: number): number {
  return Math.max(1, Math.min(MOST_COMMON, Math.ceil(threshold * threshold * size - ROUNDING)));
}

/** A page, and how similar another is to it. */
export interface NearDuplicate {
  readonly of: number;
  readonly similarity: number;
}

/** A fingerprint that so many leaders have is boilerplate: later ones are not indexed under it. */
export const MOST_LEADERS = 8;

/** The page if it is more similar than the best so far, or as similar and discovered earlier; else the best so far. */
export function moreSimilar(
  sketch: Uint32Array,
  page: number,
  other: Uint32Array | null,
  best: NearDuplicate | null,
  threshold: number,
): NearDuplicate | null {
  const share = other === null ? 0 : similarity(sketch, other, best?.similarity ?? threshold);
  if (share === 0 || (best !== null && share === best.similarity && page > best.of)) return best;
  return { of: page, similarity: share };
}

/** `cutBytes`: the size of a page of which only the beginning was sketched; 0 where its text says all. */
export function isAsLarge(bytes: number, cutBytes: number, threshold: number): boolean {
  return cutBytes === 0 || Math.min(bytes, cutBytes) >= threshold * Math.max(bytes, cutBytes);
}
