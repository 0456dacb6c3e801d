/**
 * A run of tokens that two texts have in common: `length` tokens from `a` in the old text and from `b` in the new text.
 */
export interface Run {
  readonly a: number;
  readonly b: number;
  readonly length: number;
}

/** A range of tokens in each text. The end is not included. */
export interface TokenRange {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

/** The ranges before, between and after the runs. */
export function rangesBetween(runs: readonly Run[], { aFrom, aTo, bFrom, bTo }: TokenRange): TokenRange[] {
  const ranges: TokenRange[] = [];
  let [a, b] = [aFrom, bFrom];
  for (const run of runs) {
    ranges.push({ aFrom: a, aTo: run.a, bFrom: b, bTo: run.b });
    [a, b] = [run.a + run.length, run.b + run.length];
  }
  ranges.push({ aFrom: a, aTo, bFrom: b, bTo });
  return ranges;
}

/** Joins runs that touch and removes empty runs. The runs must be in order. */
export function joinRuns(runs: readonly Run[]): Run[] {
  const joined: Run[] = [];
  for (const run of runs) {
    const last = joined.at(-1);
    if (run.length === 0) continue;
    if (last !== undefined && last.a + last.length === run.a && last.b + last.length === run.b) {
      joined[joined.length - 1] = { ...last, length: last.length + run.length };
    } else joined.push(run);
  }
  return joined;
}
