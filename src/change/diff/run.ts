/** Tokens that two texts have in common, side by side: `length` of them from `a` in the old and from `b` in the new. */
export interface Run {
  readonly a: number;
  readonly b: number;
  readonly length: number;
}

/** A stretch of both texts, from a token up to, but not including, another. */
export interface TokenRange {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

/** What lies between runs that follow each other. */
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

/** Runs in order, those that touch made one and empty ones left out. */
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
