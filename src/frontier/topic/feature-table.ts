/** From a word's hash to its number among the topic's features: asked for every word of every page and link, and mostly in vain. */
import type { Topic } from './topic.ts';

/** So sparse that a word of no topic nearly always meets a free slot at once. */
const SLOTS_A_FEATURE = 8;

export const NO_FEATURE = -1;

export class FeatureTable {
  readonly #mask: number;
  readonly #keys: Int32Array;
  /** The feature, plus one; 0 is free. */
  readonly #features: Uint16Array;

  constructor({ hashes }: Topic) {
    const slots = 2 ** Math.ceil(Math.log2(hashes.length * SLOTS_A_FEATURE));
    this.#mask = slots - 1;
    this.#keys = new Int32Array(slots);
    this.#features = new Uint16Array(slots);
    for (const [feature, hash] of hashes.entries()) {
      let slot = hash & this.#mask;
      while (this.#features[slot] !== 0) slot = (slot + 1) & this.#mask;
      this.#keys[slot] = hash;
      this.#features[slot] = feature + 1;
    }
  }

  find(hash: number): number {
    let slot = hash & this.#mask;
    for (let feature = this.#features[slot]!; feature !== 0; feature = this.#features[slot]!) {
      if (this.#keys[slot] === hash) return feature - 1;
      slot = (slot + 1) & this.#mask;
    }
    return NO_FEATURE;
  }
}
