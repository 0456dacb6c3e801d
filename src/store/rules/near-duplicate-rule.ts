/**
 * Compares the sketches of two pages (E5). A sketch has the smallest fingerprints of a
 * page's text, ascending and distinct. A sketch with fewer than `SKETCH_SIZE` fingerprints
 * has all of them; a full sketch has all up to its last one.
 *
 * The similarity is the share of common fingerprints, counted up to where both sketches are complete. So one sketch is
 * always compared as a whole, and the other one up to the same point: a beginning of it.
 */
export const SKETCH_SIZE = 32;

/** A page with fewer fingerprints has too little text to be called similar to another page. */
export const LEAST_PRINTS = 4;

/** Products of a threshold and a number have a smaller error than this: 0.7 × 30 is a little less than 21. */
const ROUNDING = 1e-9;

/** The similarity, or 0 as soon as it is clear that it is below `threshold`. For most pairs this takes a few steps. */
export function similarity(a: Uint32Array, b: Uint32Array, threshold: number): number {
  // The longer sketch is compared as a whole, or both are.
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
  // The rest of one sketch counts if the other sketch, which has ended, is complete.
  if (a.length < SKETCH_SIZE) alone += b.length - j;
  if (b.length < SKETCH_SIZE) alone += a.length - i;
  const all = shared + alone;
  const share = all === 0 ? 0 : shared / all;
  return share >= threshold - ROUNDING ? share : 0;
}

/** The first fingerprints of two pages must share so many before the pages are compared. */
const MOST_COMMON = 4;

/**
 * Two sets with a similarity of at least `threshold` share `leastCommon` of their first `prefixLength` elements, in any
 * order that both use. This is the prefix filter (Chaudhuri, Ganti, Kaushik 2006) for one common element, and the same
 * argument holds for several: at most size − ⌈threshold · size⌉ elements of a set are not in the other set. A
 * beginning of a set has a shorter prefix, so the rule also holds when one sketch is compared only in part.
 */
export function prefixLength(size: number, threshold: number): number {
  const shared = Math.ceil(threshold * size - ROUNDING);
  return size - shared + Math.min(MOST_COMMON, shared);
}

/**
 * Holds for a page of this size and any other page: the other page has at least
 * `threshold` times this size, or the two are not similar.
 */
export function leastCommon(size: number, threshold: number): number {
  return Math.max(1, Math.min(MOST_COMMON, Math.ceil(threshold * threshold * size - ROUNDING)));
}

/** The most similar earlier page, and the similarity to it. */
export interface NearDuplicate {
  readonly of: number;
  readonly similarity: number;
}

/** A fingerprint of this many leaders is boilerplate: later leaders are not indexed under it. */
export const MOST_LEADERS = 8;

/**
 * Returns the page if it is more similar than the best so far, or equally
 * similar and discovered earlier; otherwise the best so far.
 */
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

/** `cutBytes` is the size of a page whose sketch covers only its beginning; 0 if the sketch covers the whole text. */
export function isAsLarge(bytes: number, cutBytes: number, threshold: number): boolean {
  return cutBytes === 0 || Math.min(bytes, cutBytes) >= threshold * Math.max(bytes, cutBytes);
}
