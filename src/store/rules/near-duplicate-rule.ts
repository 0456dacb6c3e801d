/**
 * Compares the sketches of two pages (E5). A sketch is made from the own text of a page and has two parts.
 *
 * - The *prints* are the smallest fingerprints of the text, ascending and distinct. If there are fewer than
 *   `SKETCH_SIZE`, they are all fingerprints; otherwise all up to the last one. They are indexed, so that similar pages
 *   are found.
 * - The *sample* confirms what the prints say. It has one byte for each of 64 parts of the text's grams, chosen by
 *   another hash. The share of equal bytes estimates the same similarity, independently of the prints.
 *
 * The similarity is the share of common fingerprints, counted up to where both sketches are complete. So the prints of
 * one sketch are always compared as a whole, and those of the other up to the same point: a beginning of them.
 */
/** The sample stands before the prints, in this many numbers of four bytes. */
export const SAMPLE_NUMBERS = 16;

export const SKETCH_SIZE = 32;

/** A page with fewer fingerprints has too little text to be called similar to another page. */
export const LEAST_PRINTS = 4;

/** Products of a threshold and a number have a smaller error than this: 0.7 × 30 is a little less than 21. */
const ROUNDING = 1e-9;

/**
 * The sample may be below the threshold by this factor. It is an estimate of 64 bytes: two
 * pages at the threshold would fail half of the time.
 */
const CONFIRMED = 0.85;

export function printsOf(sketch: Uint32Array): Uint32Array {
  return sketch.subarray(SAMPLE_NUMBERS);
}

/** The similarity of two sketches, or 0 if it is below `threshold` or if the samples do not confirm it. */
export function similarity(a: Uint32Array, b: Uint32Array, threshold: number): number {
  const share = sharedPrints(printsOf(a), printsOf(b), threshold);
  return share > 0 && sharedSample(a, b) >= threshold * CONFIRMED ? share : 0;
}

/** The share of equal bytes of the samples. A byte that is 0 in both stands for a part without grams. */
export function sharedSample(a: Uint32Array, b: Uint32Array): number {
  let equal = 0;
  let counted = 0;
  for (let at = 0; at < SAMPLE_NUMBERS; at++) {
    const left = a[at] as number;
    const right = b[at] as number;
    for (let shift = 0; shift < 32; shift += 8) {
      const one = (left >>> shift) & 0xff;
      const other = (right >>> shift) & 0xff;
      if (one === 0 && other === 0) continue;
      counted++;
      if (one === other) equal++;
    }
  }
  return counted === 0 ? 0 : equal / counted;
}

/** The share of common prints, or 0 as soon as it is clear that it is below `threshold`. Most pairs take a few steps. */
function sharedPrints(a: Uint32Array, b: Uint32Array, threshold: number): number {
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
