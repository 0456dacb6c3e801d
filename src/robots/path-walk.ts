import type { PieceAutomaton } from './piece-automaton.ts';
import { NOWHERE, PiecePlaces } from './piece-places.ts';

/**
 * The scratch memory for matching one path against the rules of one index. One object serves all files of a thread. Arrays
 * are not cleared between two paths: an entry counts only if it carries the stamp of the path.
 *
 * It builds the tables of `rule-steps.ts` when a rule needs them for the first time.
 */
export class PathWalk {
  readonly places = new PiecePlaces();
  stamp = 0;
  /** By head: the stamp of the path that begins with it. */
  headMarks = new Int32Array(0);
  /** By piece: the stamp of the path that ends with it. */
  tailMarks = new Int32Array(0);
  /** What stands for no place: the one behind the path. */
  nowhere = 0;
  #lengths: Int32Array = new Int32Array(0);
  #parts: Int32Array = new Int32Array(0);
  /** By table: where it begins in `#tables`, 0 if it is not built yet. */
  #tableStarts = new Int32Array(0);
  #tables = new Uint16Array(0);

  begin(automaton: PieceAutomaton, parts: Int32Array, heads: number, path: string): void {
    this.stamp++;
    this.places.read(automaton, path);
    this.nowhere = path.length + 1;
    this.#lengths = automaton.lengths;
    this.#parts = parts;
    if (this.headMarks.length < heads) this.headMarks = new Int32Array(heads);
    if (this.tailMarks.length < automaton.lengths.length) this.tailMarks = new Int32Array(automaton.lengths.length);
    const tables = parts.length / 2;
    if (this.#tableStarts.length < tables) this.#tableStarts = new Int32Array(tables);
    else this.#tableStarts.fill(0, 0, tables);
    const entries = 1 + tables * (path.length + 2);
    if (this.#tables.length < entries) this.#tables = new Uint16Array(entries);
  }

  /**
   * Takes a rule through its pieces, each at its first place behind the one before, and returns the end of the last, or
   * `nowhere`. A step is a piece, or a table with all bits inverted.
   */
  follow(steps: Int32Array, firstStep: number, stepEnd: number, from: number): number {
    let at = from;
    for (let step = firstStep; step < stepEnd && at !== this.nowhere; step++) at = this.#next(steps[step]!, at);
    return at;
  }

  /**
   * Takes four rules through `count` steps at once, from and to `ends`. A step needs the result of the one before, so a rule
   * alone waits for memory most of the time; four rules together take half the time. Returns the number of steps that were
   * taken, which is less than `count` if all four are nowhere.
   */
  followFour(steps: Int32Array, starts: Int32Array, count: number, ends: Int32Array): number {
    const tables = this.#tables;
    const tableStarts = this.#tableStarts;
    const allNowhere = 4 * this.nowhere;
    const start0 = starts[0]!;
    const start1 = starts[1]!;
    const start2 = starts[2]!;
    const start3 = starts[3]!;
    let at0 = ends[0]!;
    let at1 = ends[1]!;
    let at2 = ends[2]!;
    let at3 = ends[3]!;
    let step = 0;
    while (step < count) {
      const code0 = steps[start0 + step]!;
      const code1 = steps[start1 + step]!;
      const code2 = steps[start2 + step]!;
      const code3 = steps[start3 + step]!;
      if ((code0 & code1 & code2 & code3) < 0) {
        const table0 = tableStarts[~code0]! || this.#build(~code0);
        const table1 = tableStarts[~code1]! || this.#build(~code1);
        const table2 = tableStarts[~code2]! || this.#build(~code2);
        const table3 = tableStarts[~code3]! || this.#build(~code3);
        at0 = tables[table0 + at0]!;
        at1 = tables[table1 + at1]!;
        at2 = tables[table2 + at2]!;
        at3 = tables[table3 + at3]!;
      } else {
        at0 = this.#next(code0, at0);
        at1 = this.#next(code1, at1);
        at2 = this.#next(code2, at2);
        at3 = this.#next(code3, at3);
      }
      step++;
      if (at0 + at1 + at2 + at3 === allNowhere) break;
    }
    ends[0] = at0;
    ends[1] = at1;
    ends[2] = at2;
    ends[3] = at3;
    return step;
  }

  #next(code: number, at: number): number {
    if (code < 0) return this.#tables[(this.#tableStarts[~code]! || this.#build(~code)) + at]!;
    const end = this.places.next(code, at + this.#lengths[code]!);
    return end === NOWHERE ? this.nowhere : end;
  }

  #build(table: number): number {
    const size = this.nowhere + 1;
    const start = 1 + table * size;
    const tables = this.#tables;
    const [first, second] = [this.#parts[2 * table]!, this.#parts[2 * table + 1]!];
    if (second === -1) this.#buildPiece(first, start);
    else {
      // A pair is made of earlier tables, and no pair of more than 2^18 pieces is frequent enough to get a table.
      const left = this.#tableStarts[first] || this.#build(first);
      const right = this.#tableStarts[second] || this.#build(second);
      for (let at = 0; at < size; at++) tables[start + at] = tables[right + tables[left + at]!]!;
    }
    this.#tableStarts[table] = start;
    return start;
  }

  #buildPiece(piece: number, start: number): void {
    const length = this.#lengths[piece]!;
    const tables = this.#tables;
    let at = start;
    for (;;) {
      const end = this.places.next(piece, at - start + length);
      if (end === NOWHERE) break;
      const next = start + end - length + 1;
      // A call of fill() takes as long as about 32 entries.
      if (next - at > 32) tables.fill(end, at, next);
      else for (; at < next; at++) tables[at] = end;
      at = next;
    }
    tables.fill(this.nowhere, at, start + this.nowhere + 1);
  }
}
