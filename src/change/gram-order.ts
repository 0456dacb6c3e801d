/**
 * The value of a K-gram (K letters in a row). Winnowing picks the smallest values. Any order of K-grams works if it
 * depends only on their letters. Our order puts K-grams that begin with a rare letter first and orders K-grams of equal
 * rank by a hash of all their letters. So the smallest values of a long text can be found by searching for a few bytes,
 * without hashing the whole text (sketch.ts).
 *
 * What always holds: `gramValueAt` and `gramValues` give a K-gram the same value.
 */
import { COUNTS, FOLDED } from './counted-bytes.ts';

/**
 * Rare first letters by rank. They are chosen so that in each script between a few letters in a thousand and
 * a few in a hundred belong to the first ranks. Beyond ASCII the last byte of a letter counts, for instance
 * é č, щ э ё, ω ύ, ث ى, ב, に き け.
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
/** Digits come last, because dates, counters and prices differ between two copies of a page. */
const DIGIT_RANK = COMMON_RANK + 1;
const RANK_BITS = 3;
export const HASH_BITS = 32 - RANK_BITS;
/** The highest bits of the hash come from the first letters alone. Most candidates are rejected after reading these. */
const OPENING_LETTERS = 4;
const OPENING_BITS = 6;
const LOW_BITS = HASH_BITS - OPENING_BITS;

/** The rank of each byte, for upper and lower case. A byte that does not count sorts after all ranks. */
export const RANKS = new Uint8Array(256).fill(DIGIT_RANK + 1);
for (let code = 0; code < 256; code++) if (FOLDED[code] !== 0) RANKS[code] = rankOf(FOLDED[code] as number);

/** Any odd number with well-mixed bits. */
const BASE = 0x2c1b3c6d;
/** The factor by which a byte multiplies the hash: 1 for a byte that does not count. This avoids a branch per byte. */
const FACTORS = Int32Array.from(FOLDED, (letter) => (letter === 0 ? 1 : BASE));

/**
 * The value of the K-gram that begins at `at`, which must be a letter. Infinity if fewer than `k` letters are left, or
 * if the first letters already show that the value is not below `limit`.
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

/**
 * The values of all K-grams of a text, given its letters. It uses two rolling
 * hashes: one of the first letters, one of all K.
 */
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

/** The hash of the first `count` letters. */
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

/** The rank, and some bits from the first letters. */
function highBits(rank: number, openingHash: number): number {
  return ((rank << HASH_BITS) | ((mix(openingHash) >>> (32 - OPENING_BITS)) << LOW_BITS)) >>> 0;
}

function lowBits(hash: number): number {
  return mix(hash) >>> (32 - LOW_BITS);
}

/** The rolling hash is weak in its low bits. After mixing, every letter influences every bit. */
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
