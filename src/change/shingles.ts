/**
 * How much of its text a page has kept, by the measure of Fetterly's study of how the web changes: the text's five-word shingles, and
 * of those the smallest under each of 84 orders. A feature is shared where both versions have the same smallest.
 *
 * To compute 84 smallest values of each shingle costs more than all else. But whether a feature is shared depends only on
 * whether the smallest of all shingles of both is one that both have. So the few that only one has come first, and of
 * those in both are read only as many as it takes to find a smaller one: about as many as differ, not as many as there are.
 * `featuresOf` computes them all; a test holds that both ways agree.
 */
import type { WordHashes } from './words.ts';

export const FEATURES = 84;
const WORDS_A_SHINGLE = 5;

export interface SharedText {
  /** How many of all different shingles both have, 0…1. */
  readonly shared: number;
  readonly sharedFeatures: number;
}

/** By what the word before counts more than the word after; and so far that it leaves the shingle. */
const WORD_FACTOR = 0x2545f491;
const LEAVING_FACTOR = Array.from({ length: WORDS_A_SHINGLE }).reduce<number>((all) => Math.imul(all, WORD_FACTOR), 1);

/** The different shingles of a text. One of fewer words is one shingle, one of none has none. */
export function shinglesOf({ values: words, count }: WordHashes): ShingleSet {
  const set = new ShingleSet(Math.max(1, count - WORDS_A_SHINGLE + 1));
  let rolling = 0;
  for (let at = 0; at < count; at++) {
    rolling = (Math.imul(rolling, WORD_FACTOR) + (words[at] as number)) | 0;
    if (at >= WORDS_A_SHINGLE) {
      rolling = (rolling - Math.imul(words[at - WORDS_A_SHINGLE] as number, LEAVING_FACTOR)) | 0;
    }
    if (at >= WORDS_A_SHINGLE - 1 || at === count - 1) set.add(mix(rolling));
  }
  return set;
}

/** Numbers in a table with room to spare: several times as quick as a Set, of which there would be two for each comparison. */
export class ShingleSet {
  readonly #slots: Int32Array;
  readonly #mask: number;
  /** The different shingles, in the order they came. */
  readonly values: Int32Array;
  size = 0;

  constructor(most: number) {
    const slots = 2 ** Math.ceil(Math.log2(most * 2 + 2));
    this.#slots = new Int32Array(slots);
    this.#mask = slots - 1;
    this.values = new Int32Array(most);
  }

  add(shingle: number): void {
    const slot = this.#slotOf(shingle);
    if (this.#slots[slot] !== 0) return;
    this.#slots[slot] = shingle === 0 ? 1 : shingle;
    this.values[this.size++] = shingle === 0 ? 1 : shingle;
  }

  has(shingle: number): boolean {
    return this.#slots[this.#slotOf(shingle)] !== 0;
  }

  /** Where it is, or where it would be. */
  #slotOf(given: number): number {
    // Zero is for empty slots.
    const shingle = given === 0 ? 1 : given;
    let slot = shingle & this.#mask;
    while (this.#slots[slot] !== 0 && this.#slots[slot] !== shingle) slot = (slot + 1) & this.#mask;
    return slot;
  }
}

/** What the orders are made from: odd numbers with their bits well mixed, always the same ones. */
const FACTORS = Int32Array.from({ length: FEATURES }, (_, order) => mix(order * 2 + 1) | 1);
const OFFSETS = Int32Array.from({ length: FEATURES }, (_, order) => mix(~order));

/** The place of a shingle in one of the orders; no two shingles have the same. */
function rankIn(order: number, shingle: number): number {
  const product = Math.imul(shingle ^ (OFFSETS[order] as number), FACTORS[order] as number);
  return Math.imul(product ^ (product >>> 15), 0x2c1b3c6d) >>> 0;
}

/** The smallest rank in each order. Of an empty set: 2³². */
export function featuresOf(shingles: ShingleSet): Float64Array {
  const features = new Float64Array(FEATURES).fill(2 ** 32);
  for (let order = 0; order < FEATURES; order++) {
    features[order] = smallestIn(order, shingles.values, shingles.size, -1);
  }
  return features;
}

export function compareShingles(before: ShingleSet, after: ShingleSet): SharedText {
  if (before.size === 0 && after.size === 0) return { shared: 1, sharedFeatures: FEATURES };
  const both = new Int32Array(before.size);
  const either = new Int32Array(before.size + after.size);
  let inBoth = 0;
  let inOne = 0;
  for (let at = 0; at < before.size; at++) {
    const shingle = before.values[at] as number;
    if (after.has(shingle)) both[inBoth++] = shingle;
    else either[inOne++] = shingle;
  }
  for (let at = 0; at < after.size; at++) {
    const shingle = after.values[at] as number;
    if (!before.has(shingle)) either[inOne++] = shingle;
  }
  let sharedFeatures = 0;
  for (let order = 0; order < FEATURES; order++) {
    const limit = smallestIn(order, either, inOne, -1);
    if (smallestIn(order, both, inBoth, limit) < limit) sharedFeatures++;
  }
  return { shared: inBoth / (inBoth + inOne), sharedFeatures };
}

/** The smallest rank, or the first that is found below `enough`. */
function smallestIn(order: number, shingles: Int32Array, count: number, enough: number): number {
  let smallest = 2 ** 32;
  for (let at = 0; at < count; at++) {
    const rank = rankIn(order, shingles[at] as number);
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
