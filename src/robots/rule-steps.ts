/**
 * Turns the pieces that each rule must find one after another into steps. In: the pieces of every rule, as numbers.
 * Out: the same search in fewer steps. A step is a piece, or a table number with all bits inverted.
 *
 * A table tells, for every position of a path, where the next occurrence of a piece (or of several pieces in a row)
 * ends. Building a table takes a few microseconds per path, so only pieces that many rules use get a table.
 */
export interface RuleSteps {
  readonly steps: Int32Array;
  /** The index of the first step of each rule. The steps of a rule end where the steps of the next rule begin. */
  readonly firstSteps: Int32Array;
  /** Two numbers per table: a piece and -1, or two earlier tables. */
  readonly tables: Int32Array;
}

/** From these counts on, a table costs less than it saves (measured). */
const MIN_PIECE_USES = 256;
const MIN_PAIR_USES = 1_024;

/** `pieces` has the pieces of all rules in a row. `firstPieces` has the index of the first piece of each rule. */
export function compileSteps(pieces: Int32Array, firstPieces: Int32Array, pieceCount: number): RuleSteps {
  const uses = new Int32Array(pieceCount);
  for (const piece of pieces) uses[piece]!++;
  const tables: number[] = [];
  const codes = new Int32Array(pieceCount);
  for (let piece = 0; piece < pieceCount; piece++) {
    codes[piece] = piece;
    if (uses[piece]! < MIN_PIECE_USES) continue;
    codes[piece] = ~(tables.length / 2);
    tables.push(piece, -1);
  }
  let row: Row = { steps: pieces.map((piece) => codes[piece]!), firstSteps: firstPieces.slice() };
  while (row.steps.length >= MIN_PAIR_USES) {
    const pairs = frequentPairs(row, tables);
    if (pairs.size === 0) break;
    row = joinPairs(row, pairs);
  }
  return { steps: row.steps.slice(), firstSteps: row.firstSteps, tables: Int32Array.from(tables) };
}

interface Row {
  readonly steps: Int32Array;
  readonly firstSteps: Int32Array;
}

/** Creates a table for each frequent pair of tables. Returns the new codes, by pair. */
function frequentPairs({ steps, firstSteps }: Row, tables: number[]): Map<number, number> {
  const tableCount = tables.length / 2;
  const uses = new Int32Array(tableCount * tableCount);
  for (let rule = 0; rule + 1 < firstSteps.length; rule++) {
    for (let step = firstSteps[rule]!; step + 1 < firstSteps[rule + 1]!; step += 2) {
      const [left, right] = [steps[step]!, steps[step + 1]!];
      if (left < 0 && right < 0) uses[~left * tableCount + ~right]!++;
    }
  }
  const codes = new Map<number, number>();
  for (const [pair, count] of uses.entries()) {
    if (count < MIN_PAIR_USES) continue;
    const [left, right] = [Math.floor(pair / tableCount), pair % tableCount];
    codes.set(pairKey(~left, ~right), ~(tables.length / 2));
    tables.push(left, right);
  }
  return codes;
}

const PAIR_BASE = 2 ** 15;

/** There are far fewer than `PAIR_BASE` tables, because each has at least `MIN_PIECE_USES` uses. */
function pairKey(left: number, right: number): number {
  return ~left * PAIR_BASE + ~right;
}

function joinPairs({ steps, firstSteps }: Row, codes: Map<number, number>): Row {
  const joined = new Int32Array(steps.length);
  const firstJoined = new Int32Array(firstSteps.length);
  let size = 0;
  for (let rule = 0; rule + 1 < firstSteps.length; rule++) {
    const stepEnd = firstSteps[rule + 1]!;
    for (let step = firstSteps[rule]!; step < stepEnd; step++) {
      const [left, right] = [steps[step]!, step + 1 < stepEnd ? steps[step + 1]! : 0];
      const code = left < 0 && right < 0 ? codes.get(pairKey(left, right)) : undefined;
      joined[size++] = code ?? left;
      if (code !== undefined) step++;
    }
    firstJoined[rule + 1] = size;
  }
  return { steps: joined.subarray(0, size), firstSteps: firstJoined };
}
