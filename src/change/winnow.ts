/**
 * Winnowing (E5; Schleimer, Wilkerson, Aiken 2003): the fingerprints of a text.
 *
 * In: UTF-8 text. Out: of the values of all its K-grams, the smallest of each window of W in a row, the rightmost of
 * equals, each once, with its position.
 *
 * Always: two texts that share a run of W + K - 1 letters, wherever it stands and however it is spaced, share a fingerprint;
 * two that share no run of K letters share none (but for two K-grams in half a billion, which have the same hash).
 */
import { gramValues } from './gram-order.ts';
import { blankSpecials, lettersOf } from './letters.ts';

/** Three words or so: shorter runs are common to texts that have nothing to do with each other. */
export const DEFAULT_K = 12;
/** With K = 16, whatever is shared from 31 letters on (five or six words) is noticed. */
export const DEFAULT_W = 12;

export interface Fingerprints {
  readonly values: Uint32Array;
  /** Of the K-gram's first letter, counted in letters. */
  readonly positions: Uint32Array;
}

export function winnow(text: Buffer, k = DEFAULT_K, w = DEFAULT_W): Fingerprints {
  const hashes = gramValues(lettersOf(blankSpecials(text)), k);
  const positions = Uint32Array.from(selectMinima(hashes, w));
  return { values: positions.map((position) => hashes[position] as number), positions };
}

/**
 * Where the selected hashes stand, in order. The published algorithm: as long as the minimum is inside the window only the
 * new hash can replace it. Fewer than `w` hashes are one window, so that a short text has a fingerprint too.
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
  /** Of all fingerprints of the two texts, the share that both have: 1 is a full duplicate, spacing and case aside. */
  readonly resemblance: number;
  /** The share of the first text's fingerprints that the second has: 1 if all of it is quoted there. */
  readonly containment: number;
}

/** Of two texts. A text shorter than K letters has no fingerprints and resembles nothing. */
export function compareTexts(a: Buffer, b: Buffer, k = DEFAULT_K, w = DEFAULT_W): Overlap {
  const inA = new Set(winnow(a, k, w).values);
  const inB = new Set(winnow(b, k, w).values);
  let shared = 0;
  for (const value of inA) if (inB.has(value)) shared++;
  if (shared === 0) return { resemblance: 0, containment: 0 };
  return { resemblance: shared / (inA.size + inB.size - shared), containment: shared / inA.size };
}
