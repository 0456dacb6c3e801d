/**
 * The value of a K-gram (K letters in a row), by which winnowing picks the smallest. Any order of K-grams will do, as long
 * as it depends on nothing but their letters. Ours puts those first that begin with a rare letter, and orders those
 * of equal rank by a hash of all their letters: the smallest values of a long text can then be found by looking for a
 * few bytes, without hashing the text (sketch.ts).
 *
 * Always: `gramValueAt` and `gramValues` give a K-gram the same value.
 */
import { COUNTS, FOLDED } from './letters.ts';

/**
 * First letters by rank. Chosen so that in each script a few letters in a thousand are of the first ranks, and not more
 * than a few in a hundred: beyond ASCII by the last byte of the letter, for instance é č, щ э ё, ω ύ, ث ى, ב, に き け.
 */
export const RARE_LETTERS: readonly (readonly number[])[] = [
  codesOf('qx'),
  [...codesOf('zj'), 0xab],
  [0x89, 0x8d, 0x91, 0xa9],
  codesOf('k'),
  codesOf('v'),
  codesOf('w'),
];
const COMMON_RANK = RARE_LETTERS.length;
/** Digits come last: dates, counters and prices are what differs between two copies of a page. */
const DIGIT_RANK = COMMON_RANK + 1;
const RANK_BITS = 3;
export const HASH_BITS = 32 - RANK_BITS;
/** The highest bits of the hash come from the first letters alone: most candidates are turned away after reading these. */
const OPENING_LETTERS = 4;
const OPENING_BITS = 6;
const LOW_BITS = HASH_BITS - OPENING_BITS;

/** Of a byte, upper case or lower; a byte that does not count has a rank below all. */
export const RANKS = new Uint8Array(256).fill(DIGIT_RANK + 1);
for (let code = 0; code < 256; code++) if (FOLDED[code] !== 0) RANKS[code] = rankOf(FOLDED[code] as number);

/** Any odd number with its bits well mixed. */
const BASE = 0x2c1b3c6d;
/** What a byte multiplies the hash by: 1 if it does not count, so that no step depends on a guess whether it does. */
const FACTORS = Int32Array.from(FOLDED, (letter) => (letter === 0 ? 1 : BASE));

/**
 * The value of the K-gram that begins at `at`, where a letter must stand; Infinity if fewer than `k` letters are left, or if
 * its first letters show already that the value is not below `limit`.
 */
export function gramValueAt(text: Buffer, at: number, k: number, limit: number): number {
  const folded = FOLDED;
  const factors = FACTORS;
  const counts = COUNTS;
  const end = text.length;
  let next = at;
  let hash = 0;
  let count = 0;
  for (const opening = Math.min(k, OPENING_LETTERS); count < opening; next++) {
    if (next >= end) return Number.POSITIVE_INFINITY;
    const code = text[next] as number;
    hash = (Math.imul(hash, factors[code] as number) + (folded[code] as number)) | 0;
    count = (count + (counts[code] as number)) | 0;
  }
  const high = highBits(RANKS[text[at] as number] as number, hash);
  if (high >= limit) return Number.POSITIVE_INFINITY;
  for (; count < k; next++) {
    if (next >= end) return Number.POSITIVE_INFINITY;
    const code = text[next] as number;
    hash = (Math.imul(hash, factors[code] as number) + (folded[code] as number)) | 0;
    count = (count + (counts[code] as number)) | 0;
  }
  return high + lowBits(hash);
}

/** The values of all K-grams of a text, given its letters: two rolling hashes, of the first letters and of all K. */
export function gramValues(letters: Uint8Array, k: number): Uint32Array {
  const ranks = RANKS;
  const count = Math.max(0, letters.length - k + 1);
  const values = new Uint32Array(count);
  const opening = Math.min(k, OPENING_LETTERS);
  const leavesOpening = basePower(opening - 1);
  const leaves = basePower(k - 1);
  let openingHash = hashOf(letters, opening - 1);
  let hash = hashOf(letters, k - 1);
  for (let at = 0; at < count; at++) {
    const letter = letters[at] as number;
    openingHash = (Math.imul(openingHash, BASE) + (letters[at + opening - 1] as number)) | 0;
    hash = (Math.imul(hash, BASE) + (letters[at + k - 1] as number)) | 0;
    values[at] = highBits(ranks[letter] as number, openingHash) + lowBits(hash);
    openingHash = (openingHash - Math.imul(leavesOpening, letter)) | 0;
    hash = (hash - Math.imul(leaves, letter)) | 0;
  }
  return values;
}

/** Of the first `count` letters. */
function hashOf(letters: Uint8Array, count: number): number {
  let hash = 0;
  for (let at = 0; at < count; at++) hash = (Math.imul(hash, BASE) + (letters[at] ?? 0)) | 0;
  return hash;
}

function basePower(exponent: number): number {
  let power = 1;
  for (let i = 0; i < exponent; i++) power = Math.imul(power, BASE);
  return power;
}

/** The rank, and some bits by the first letters. */
function highBits(rank: number, openingHash: number): number {
  return ((rank << HASH_BITS) | ((mix(openingHash) >>> (32 - OPENING_BITS)) << LOW_BITS)) >>> 0;
}

function lowBits(hash: number): number {
  return mix(hash) >>> (32 - LOW_BITS);
}

/** The rolling hash is weak in its low bits; mixed, every letter reaches every bit. */
function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

function rankOf(letter: number): number {
  if (letter >= 48 && letter <= 57) return DIGIT_RANK;
  const rank = RARE_LETTERS.findIndex((letters) => letters.includes(letter));
  return rank < 0 ? COMMON_RANK : rank;
}

function codesOf(letters: string): number[] {
  return Array.from(letters, (letter) => letter.charCodeAt(0));
}
