/**
 * Compares the sketches of two pages (E5). A sketch is made from the own text of a page and has two parts.
 *
 * - The *prints* are the smallest fingerprints of the text, ascending and distinct. If there are fewer than
 *   `SKETCH_SIZE`, they are all fingerprints; otherwise all up to the last one. They are indexed, so that similar pages
 *   are found.
 * - The *sample* is a second, independent measure. It has one byte for each of 128 parts of the text's grams, divided
 *   by another hash. The share of equal bytes estimates the same similarity as the share of common prints.
 *
 * Two pages are near duplicates if each measure alone comes near to the threshold and both together reach it. Both are
 * estimates, with errors in the order of √(t(1 − t)); the margins below are multiples of that. They were chosen on real
 * sites (docs/duplicates.md).
 */
/** The sample stands before the prints, in this many numbers of four bytes. */
export const SAMPLE_NUMBERS = 32;

export const SKETCH_SIZE = 32;

/** How far each measure alone may be below the threshold, and both together. */
const MARGIN_ALONE = 0.4;
const MARGIN_TOGETHER = 0.2;
const SAMPLE_BYTES = 4 * SAMPLE_NUMBERS;

/** A share of fewer fingerprints says too little. A page with fewer is only similar to a page with the same sketch. */
export const LEAST_PRINTS = 4;

/** Products of a threshold and a number have a smaller error than this: 0.7 × 30 is a little less than 21. */
const ROUNDING = 1e-9;

export function printsOf(sketch: Uint32Array): Uint32Array {
  return sketch.subarray(SAMPLE_NUMBERS);
}

/** The similarity of two sketches, or 0 if they are no near duplicates at this threshold. */
export function similarity(a: Uint32Array, b: Uint32Array, threshold: number): number {
  if (Math.min(a.length, b.length) < SAMPLE_NUMBERS + LEAST_PRINTS) return haveSameText(a, b) ? 1 : 0;
  const least = leastAlone(threshold);
  const prints = sharedPrints(printsOf(a), printsOf(b), least);
  if (prints === 0) return 0;
  const sample = sharedSample(a, b);
  if (sample < least - ROUNDING) return 0;
  const together = (SKETCH_SIZE * prints + SAMPLE_BYTES * sample) / (SKETCH_SIZE + SAMPLE_BYTES);
  return together >= threshold - MARGIN_TOGETHER * Math.sqrt(threshold * (1 - threshold)) - ROUNDING ? together : 0;
}

/** The sample has a byte for nearly each gram of a short text, so equal sketches mean equal texts. */
function haveSameText(a: Uint32Array, b: Uint32Array): boolean {
  return a.length > SAMPLE_NUMBERS && a.length === b.length && a.every((number, at) => number === b[at]);
}

/** The smallest share of common prints that two near duplicates have. The index finds all pages that have it. */
function leastAlone(threshold: number): number {
  return threshold - MARGIN_ALONE * Math.sqrt(threshold * (1 - threshold));
}

/** The share of equal bytes of the samples. A byte that is 0 in both stands for a part without grams. */
function sharedSample(a: Uint32Array, b: Uint32Array): number {
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

/** The share of common prints, or 0 as soon as it is known to be below `threshold`. Most pairs take a few steps. */
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
  const shared = Math.ceil(leastAlone(threshold) * size - ROUNDING);
  return size - shared + Math.min(MOST_COMMON, shared);
}

/**
 * Holds for a page of this size and any other page: the other page has at least
 * `threshold` times this size, or the two are not similar.
 */
export function leastCommon(size: number, threshold: number): number {
  return Math.max(1, Math.min(MOST_COMMON, Math.ceil(leastAlone(threshold) ** 2 * size - ROUNDING)));
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
  const share = other === null ? 0 : similarity(sketch, other, threshold);
  if (share === 0) return best;
  if (best !== null && (share < best.similarity || (share === best.similarity && page > best.of))) return best;
  return { of: page, similarity: share };
}
