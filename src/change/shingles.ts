/**
 * Measures how much of its text a page has kept, as in Fetterly's study of how the web changes. A shingle is a run of
 * five words. There are 84 orders of shingles, and a feature is the smallest shingle of a text in one order. A feature
 * is shared if both versions have the same smallest shingle.
 *
 * Ranking every shingle in 84 orders would cost more than everything else. But a feature is shared exactly if the
 * smallest of all shingles of both versions is one that both have. So the shingles are split into those of one version
 * and those of both. All of the smaller set are ranked; of the larger set, only as many are ranked as needed to find a
 * smaller rank, about as many again. `featuresOf` computes all features. A test checks that both ways agree.
 */
import { randomBytes } from 'node:crypto';
import type { WordHashes } from './words.ts';

export const FEATURES = 84;
const WORDS_A_SHINGLE = 5;

export interface SharedText {
  /** The share of all distinct shingles that both versions have, 0…1. */
  readonly shared: number;
  readonly sharedFeatures: number;
}

/** The factor of the rolling hash for each word further back, and the factor of the word that leaves the shingle. */
const WORD_FACTOR = 0x2545f491;
const LEAVING_FACTOR = Array.from({ length: WORDS_A_SHINGLE }).reduce<number>((all) => Math.imul(all, WORD_FACTOR), 1);

/**
 * The distinct shingles of a text. A text with fewer words than a shingle
 * is one shingle. A text without words has none.
 */
export function shinglesOf(words: WordHashes): ShingleSet {
  const set = new ShingleSet(Math.max(1, words.count - WORDS_A_SHINGLE + 1));
  addShingles(set, words, true);
  return set;
}

/** If there are fewer words than in a shingle, they count as one shingle only if they are a whole text (`isText`). */
function addShingles(set: ShingleSet, { values: words, count }: WordHashes, isText: boolean): void {
  let rolling = 0;
  for (let at = 0; at < count; at++) {
    rolling = (Math.imul(rolling, WORD_FACTOR) + (words[at] as number)) | 0;
    if (at >= WORDS_A_SHINGLE) {
      rolling = (rolling - Math.imul(words[at - WORDS_A_SHINGLE] as number, LEAVING_FACTOR)) | 0;
    }
    if (at >= WORDS_A_SHINGLE - 1 || (isText && at === count - 1)) set.add(mix(rolling));
  }
}

/**
 * Differs in each process: an attacker who knows it could write a text whose shingles all
 * fall into the same slot. No result depends on it.
 */
const SLOT_FACTOR = randomBytes(4).readInt32LE() | 1;

/** A hash table of numbers. It is several times faster than a Set, and each comparison needs two. */
class ShingleSet {
  readonly #slots: Int32Array;
  readonly #shift: number;
  /** The distinct shingles in the order of insertion. */
  readonly values: Int32Array;
  size = 0;

  constructor(most: number) {
    const bits = Math.ceil(Math.log2(most * 2 + 2));
    this.#slots = new Int32Array(2 ** bits);
    this.#shift = 32 - bits;
    this.values = new Int32Array(most);
  }

  add(shingle: number): void {
    const slot = this.#slotOf(shingle);
    if (this.#slots[slot] !== 0) return;
    this.#slots[slot] = shingle === 0 ? 1 : shingle;
    this.values[this.size++] = shingle === 0 ? 1 : shingle;
  }

  /** The distinct shingles without the unused end of the array. */
  get own(): Int32Array {
    return this.values.subarray(0, this.size);
  }

  has(shingle: number): boolean {
    return this.#slots[this.#slotOf(shingle)] !== 0;
  }

  /**
   * Fills `both` with the shingles that the other set has too, and `lone`
   * with the others. Returns the length of `both`.
   */
  split(other: ShingleSet, both: Int32Array, lone: Int32Array): number {
    const slots = other.#slots;
    const mask = slots.length - 1;
    const shift = other.#shift;
    const { values, size } = this;
    let inBoth = 0;
    for (let at = 0; at < size; at++) {
      const shingle = values[at] as number;
      let slot = Math.imul(shingle, SLOT_FACTOR) >>> shift;
      let found = slots[slot] as number;
      while (found !== 0 && found !== shingle) {
        slot = (slot + 1) & mask;
        found = slots[slot] as number;
      }
      if (found === 0) lone[at - inBoth] = shingle;
      else both[inBoth++] = shingle;
    }
    return inBoth;
  }

  /** The slot that holds the shingle, or the empty slot where it would be stored. */
  #slotOf(given: number): number {
    // Zero marks empty slots.
    const shingle = given === 0 ? 1 : given;
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = Math.imul(shingle, SLOT_FACTOR) >>> this.#shift;
    while (slots[slot] !== 0 && slots[slot] !== shingle) slot = (slot + 1) & mask;
    return slot;
  }
}

const LOWEST = -0x80000000;
const HIGHEST = 0x7fffffff;

/** The constants that define the orders: odd numbers with well-mixed bits, always the same. */
const FACTORS = Int32Array.from({ length: FEATURES }, (_, order) => mix(order * 2 + 1) | 1);
const OFFSETS = Int32Array.from({ length: FEATURES }, (_, order) => mix(~order));

/** The smallest rank in each order, or the highest number if there are no shingles. */
export function featuresOf({ values, size }: ShingleSet): Int32Array {
  return Int32Array.from({ length: FEATURES }, (_, order) => smallestIn(order, values, size, LOWEST));
}

export function compareShingles(before: ShingleSet, after: ShingleSet): SharedText {
  if (before.size === 0 && after.size === 0) return { shared: 1, sharedFeatures: FEATURES };
  const both = new Int32Array(Math.max(before.size, after.size));
  const lone = new Int32Array(before.size + after.size);
  const inBoth = before.split(after, both, lone);
  const gone = before.size - inBoth;
  after.split(before, both, lone.subarray(gone));
  return shareOf(both, inBoth, lone, gone + after.size - inBoth);
}

/**
 * Compares two texts that differ only in some words in the middle. Only shingles that reach into the middle can be in
 * one text alone. Null if a text is too short for more than one shingle.
 */
export function compareAround(
  start: WordHashes,
  before: WordHashes,
  after: WordHashes,
  end: WordHashes,
): SharedText | null {
  if (start.count + end.count + Math.min(before.count, after.count) < WORDS_A_SHINGLE) return null;
  const common = new ShingleSet(start.count + end.count + 1);
  addShingles(common, start, false);
  addShingles(common, end, false);
  const was = reachingInto(start, before, end);
  const is = reachingInto(start, after, end);
  const both = new Int32Array(common.size + is.size);
  both.set(common.own);
  const lone = new Int32Array(was.size + is.size);
  let inBoth = common.size;
  let inOne = 0;
  for (const shingle of was.own) if (!common.has(shingle) && !is.has(shingle)) lone[inOne++] = shingle;
  for (const shingle of is.own) {
    if (common.has(shingle)) continue;
    if (was.has(shingle)) both[inBoth++] = shingle;
    else lone[inOne++] = shingle;
  }
  return shareOf(both, inBoth, lone, inOne);
}

/** The shingles that contain words of the middle, or words of both sides. */
function reachingInto(start: WordHashes, middle: WordHashes, end: WordHashes): ShingleSet {
  const before = start.values.subarray(Math.max(0, start.count - WORDS_A_SHINGLE + 1), start.count);
  const after = end.values.subarray(0, Math.min(end.count, WORDS_A_SHINGLE - 1));
  const count = before.length + middle.count + after.length;
  const values = new Int32Array(count);
  values.set(before);
  values.set(middle.values.subarray(0, middle.count), before.length);
  values.set(after, before.length + middle.count);
  const set = new ShingleSet(count + 1);
  addShingles(set, { values, count }, false);
  return set;
}

function shareOf(both: Int32Array, inBoth: number, lone: Int32Array, inOne: number): SharedText {
  // All of the smaller set are ranked. The other set is ranked until one rank is lower.
  let sharedFeatures = 0;
  for (let order = 0; order < FEATURES; order++) {
    if (inOne < inBoth) {
      const limit = smallestIn(order, lone, inOne, LOWEST);
      if (smallestIn(order, both, inBoth, limit) < limit) sharedFeatures++;
    } else {
      const limit = smallestIn(order, both, inBoth, LOWEST);
      if (smallestIn(order, lone, inOne, limit) > limit) sharedFeatures++;
    }
  }
  return { shared: inBoth / (inBoth + inOne), sharedFeatures };
}

/**
 * The smallest rank in an order, or the first rank below `enough`. Ranks are signed integers, which compare faster than
 * unsigned ones. Each step of the ranking is reversible, so no two shingles have the same rank.
 */
function smallestIn(order: number, shingles: Int32Array, count: number, enough: number): number {
  const offset = OFFSETS[order] as number;
  const factor = FACTORS[order] as number;
  let smallest = HIGHEST;
  for (let at = 0; at < count; at++) {
    const product = Math.imul((shingles[at] as number) ^ offset, factor);
    const rank = Math.imul(product ^ (product >>> 15), 0x2c1b3c6d);
    if (rank < smallest) {
      smallest = rank;
      if (rank < enough) break;
    }
  }
  return smallest;
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return mixed ^ (mixed >>> 16);
}
