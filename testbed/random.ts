/** Seeded random numbers: the same seed gives the same numbers on every machine, so the web is repeatable. */
export type Random = () => number;

/** Numbers in [0, 1) by the mulberry32 recurrence: small, fast and uniform enough for picking words and links. */
export function seededRandom(...seeds: number[]): Random {
  let state = 0x9e3779b9;
  for (const seed of seeds) {
    state = Math.imul(state ^ seed, 0x85ebca6b);
    state ^= state >>> 13;
  }
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** A whole number in [0, below). */
export function randomBelow(random: Random, below: number): number {
  return Math.floor(random() * below);
}
