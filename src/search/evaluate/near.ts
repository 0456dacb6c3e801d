/** NEAR: words or phrases in one field, in any order, within a window. */
import { type FoundPositions, fieldOf, hasAny } from './word-positions.ts';

/**
 * Whether one match of each operand can be chosen so that the last begins at most `distance` words after the first
 * ends. Each match in turn is taken as the one that ends first. The time grows with the number of matches.
 */
export function nearOn(operands: readonly FoundPositions[], distance: number): boolean {
  let areWords = true;
  for (const operand of operands) {
    if (!hasAny(operand)) return false;
    // Words end where they begin. Phrases need more work.
    areWords &&= operand.starts === operand.ends;
  }
  if (areWords) return wordsNear(operands, distance);
  const windows = operands.map((operand) => new Window(operand));
  const ends = operands.flatMap(({ ends: all, from, to }) => [...all.subarray(from, to)]);
  for (const end of ends.sort((a, b) => a - b)) {
    if (windows.every((window) => window.hasFrom(end, end + distance))) return true;
  }
  return false;
}

/** Moves the first of the words forward until all of them are in one window. Nothing is allocated for a match. */
function wordsNear(operands: readonly FoundPositions[], distance: number): boolean {
  const next = operands.map(({ from }) => from);
  for (;;) {
    let first = 0;
    let least = Number.POSITIVE_INFINITY;
    let most = 0;
    for (let i = 0; i < operands.length; i++) {
      const place = operands[i]!.starts[next[i] as number] as number;
      if (place < least) {
        least = place;
        first = i;
      }
      if (place > most) most = place;
    }
    if (most - least <= distance && fieldOf(least) === fieldOf(most)) return true;
    const after = (next[first] as number) + 1;
    if (after === operands[first]!.to) return false;
    next[first] = after;
  }
}

/** The matches of one operand, in the order of their ends. */
class Window {
  readonly #ends: Int32Array;
  /** The smallest start of this match and all later ones in the same field. */
  readonly #starts: Int32Array;
  #next = 0;

  constructor({ starts, ends, from, to }: FoundPositions) {
    const count = to - from;
    // Only words that can be read in several ways have matches of several lengths.
    const order = Uint32Array.from({ length: count }, (_, i) => from + i).sort((a, b) => ends[a]! - ends[b]!);
    this.#ends = Int32Array.from(order, (i) => ends[i] as number);
    this.#starts = Int32Array.from(order, (i) => starts[i] as number);
    for (let i = count - 2; i >= 0; i--) {
      const [own, later] = [this.#starts[i] as number, this.#starts[i + 1] as number];
      if (later < own && fieldOf(later) === fieldOf(own)) this.#starts[i] = later;
    }
  }

  /** Whether a match ends at `end` or later, and begins at `last` or before, in the field of `end`. */
  hasFrom(end: number, last: number): boolean {
    while (this.#next < this.#ends.length && (this.#ends[this.#next] as number) < end) this.#next++;
    const start = this.#starts[this.#next];
    return start !== undefined && start <= last && fieldOf(start) === fieldOf(end);
  }
}
