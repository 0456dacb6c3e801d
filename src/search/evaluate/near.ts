/** NEAR: words or phrases in one field, in any order, within a window. */
import { type FoundPositions, fieldOf } from './word-positions.ts';

export interface Places extends FoundPositions {
  /** The number of positions that a match takes, minus one. */
  readonly length: number;
}

/**
 * Whether one place of each operand can be chosen so that the last begins at most `distance` words after the first
 * ends. Each place in turn is taken as the first, so the time grows with the number of places.
 */
export function nearOn(operands: readonly Places[], distance: number): boolean {
  if (operands.some(({ count }) => count === 0)) return false;
  const next = operands.map(() => 0);
  for (;;) {
    let first = -1;
    let start = Number.MAX_SAFE_INTEGER;
    for (let i = 0; i < operands.length; i++) {
      const { starts, count } = operands[i]!;
      const place = starts[next[i] as number] as number;
      // An operand without another place ends the search: it cannot be in a later window.
      if (next[i] === count) return false;
      if (place < start) [first, start] = [i, place];
    }
    const { length } = operands[first]!;
    const isNear = operands.every(({ starts }, i) => {
      const place = starts[next[i] as number] as number;
      return place <= start + length + distance && fieldOf(place) === fieldOf(start);
    });
    if (isNear) return true;
    next[first] = (next[first] as number) + 1;
  }
}
