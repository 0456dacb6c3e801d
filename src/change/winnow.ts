/**
 * Winnowing (E5; Schleimer, Wilkerson, Aiken 2003): computes the fingerprints of a text.
 *
 * In: UTF-8 text. Out: the smallest K-gram value of each window of W values in a row (the rightmost
 * of equal values), each once, with its position.
 *
 * What always holds: two texts that share a run of W + K - 1 letters share a fingerprint, whatever the position and the
 * spacing of the run. Two texts that share no run of K letters share no fingerprint, except for two K-grams in half a
 * billion, which have the same hash.
 */

import { blankSpecials, lettersOf } from './counted-bytes.ts';
import { gramValues } from './gram-order.ts';

/** About three words. Shorter runs also occur in texts that have nothing to do with each other. */
export const DEFAULT_K = 12;
/** With K = 12, every shared run of 23 letters (W + K - 1, about four words) is noticed. */
export const DEFAULT_W = 12;

export interface Fingerprints {
  readonly values: Uint32Array;
  /** The position of the first letter of each K-gram, counted in letters. */
  readonly positions: Uint32Array;
}

export function winnow(text: Buffer, k = DEFAULT_K, w = DEFAULT_W): Fingerprints {
  const hashes = gramValues(lettersOf(blankSpecials(text)), k);
  const positions = Uint32Array.from(selectMinima(hashes, w));
  return { values: positions.map((position) => hashes[position] as number), positions };
}

/**
 * The indexes of the selected hashes, in order. This is the published algorithm: while the
 * minimum is inside the window, only the new hash can replace it. Fewer than `w` hashes form one
 * window, so that a short text has a fingerprint too.
 */
export function selectMinima(hashes: ArrayLike<number>, w: number): number[] {
  const selected: number[] = [];
  const width = Math.min(w, hashes.length);
  let least = -1;
  for (let last = width - 1; last < hashes.length && width > 0; last++) {
    const first = last - width + 1;
    const before = least;
    if (least < first) least = rightmostMinimum(hashes, first, last);
    else if ((hashes[last] as number) <= (hashes[least] as number)) least = last;
    if (least !== before) selected.push(least);
  }
  return selected;
}

function rightmostMinimum(hashes: ArrayLike<number>, first: number, last: number): number {
  let least = last;
  for (let at = last - 1; at >= first; at--) if ((hashes[at] as number) < (hashes[least] as number)) least = at;
  return least;
}

export interface Overlap {
  /**
   * The share of all fingerprints of both texts that both have. 1 means a full duplicate, apart from spacing and case.
   */
  readonly resemblance: number;
  /**
   * The share of the first text's fingerprints that the second text has. 1
   * means that the second quotes all of the first.
   */
  readonly containment: number;
}

/** Compares two texts. A text shorter than K letters has no fingerprints and resembles nothing. */
export function compareTexts(a: Buffer, b: Buffer, k = DEFAULT_K, w = DEFAULT_W): Overlap {
  const inA = new Set(winnow(a, k, w).values);
  const inB = new Set(winnow(b, k, w).values);
  let shared = 0;
  for (const value of inA) if (inB.has(value)) shared++;
  if (shared === 0) return { resemblance: 0, containment: 0 };
  return { resemblance: shared / (inA.size + inB.size - shared), containment: shared / inA.size };
}
