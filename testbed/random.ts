/**
 * Seeded random numbers: the same seed gives the same numbers on every machine, so that a web is repeatable and a
 * failing case can be run alone.
 */
export type Random = () => number;

/** Numbers in [0, 1), small, fast and uniform enough for picking words and links. */
export function seededRandom(...seeds: number[]): Random {
  let state = 0x9e3779b9;
  for (const seed of seeds) {
    state = Math.imul(state ^ seed, 0x85ebca6b);
    state ^= state >>> 13;
  }
  const next = mulberry32(state);
  return () => next() / 4294967296;
}

/** A whole number in [0, below). */
export function randomBelow(random: Random, below: number): number {
  return Math.floor(random() * below);
}

/** Whole numbers and choices, for generated test cases. */
export class SeededRandom {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = mulberry32(seed);
  }

  /** A number from 0 up to, but not including, `limit`. */
  below(limit: number): number {
    return this.#next() % limit;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }
}

/** Unsigned numbers of 32 bits by the mulberry32 recurrence. */
function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
