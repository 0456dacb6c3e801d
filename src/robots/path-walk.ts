import type { PieceAutomaton } from './piece-automaton.ts';
import { PiecePlaces } from './piece-places.ts';

const STEPS_BETWEEN_LOOKS = 8;

/**
 * The scratch memory for matching one path against the rules of one index. One object serves all files of a thread.
 * Marks are not cleared between two paths: a mark counts only if it equals the stamp of the current path.
 */
export class PathWalk {
  readonly places = new PiecePlaces();
  stamp = 0;
  /** By head: the stamp of the last path that begins with this head. */
  headMarks = new Int32Array(0);
  /** By piece: the stamp of the last path that ends with this piece. */
  tailMarks = new Int32Array(0);
  /** The position after the end of the path, which means "not found". A rule that reaches it stays there. */
  nowhere = 0;
  #lengths: Int32Array = new Int32Array(0);
  /** All tables in a row, with `#size` entries each. */
  #tables = new Uint16Array(0);
  #size = 0;

  begin(automaton: PieceAutomaton, parts: Int32Array, heads: number, path: string): void {
    this.stamp++;
    this.places.read(automaton, path);
    this.nowhere = path.length + 1;
    this.#lengths = automaton.lengths;
    if (this.headMarks.length < heads) this.headMarks = new Int32Array(heads);
    if (this.tailMarks.length < automaton.lengths.length) this.tailMarks = new Int32Array(automaton.lengths.length);
    if (parts.length > 0) this.#buildTables(parts);
  }

  /**
   * Takes a rule through its pieces, each at its first position after the piece before. Returns the end of the last
   * piece, or `nowhere`. A step is a piece, or a table number with all bits inverted.
   */
  follow(steps: Int32Array, firstStep: number, stepEnd: number, from: number): number {
    let at = from;
    for (let step = firstStep; step < stepEnd && at !== this.nowhere; step++) at = this.#next(steps[step]!, at);
    return at;
  }

  /**
   * Takes six rules through `count` steps at once. `ends` holds their positions before and after. A step needs the
   * result of the step before, so a single rule waits for memory most of the time; six rules together take a third of
   * the time. Returns the number of steps taken, which is less than `count` if all six rules are nowhere.
   */
  followSix(steps: Int32Array, starts: Int32Array, count: number, ends: Int32Array): number {
    const tables = this.#tables;
    const size = this.#size;
    const places = this.places;
    const allNowhere = 6 * this.nowhere;
    const start0 = starts[0]!;
    const start1 = starts[1]!;
    const start2 = starts[2]!;
    const start3 = starts[3]!;
    const start4 = starts[4]!;
    const start5 = starts[5]!;
    let at0 = ends[0]!;
    let at1 = ends[1]!;
    let at2 = ends[2]!;
    let at3 = ends[3]!;
    let at4 = ends[4]!;
    let at5 = ends[5]!;
    let step = 0;
    // Looking for `nowhere` after each step would take as long as the step.
    while (step < count && at0 + at1 + at2 + at3 + at4 + at5 !== allNowhere) {
      const stepEnd = Math.min(step + STEPS_BETWEEN_LOOKS, count);
      for (; step < stepEnd; step++) {
        const code0 = steps[start0 + step]!;
        const code1 = steps[start1 + step]!;
        const code2 = steps[start2 + step]!;
        const code3 = steps[start3 + step]!;
        const code4 = steps[start4 + step]!;
        const code5 = steps[start5 + step]!;
        if ((code0 & code1 & code2 & code3 & code4 & code5) >= 0) break;
        at0 = tables[~code0 * size + at0]!;
        at1 = tables[~code1 * size + at1]!;
        at2 = tables[~code2 * size + at2]!;
        at3 = tables[~code3 * size + at3]!;
        at4 = tables[~code4 * size + at4]!;
        at5 = tables[~code5 * size + at5]!;
      }
      // The loop above, with steps that are tables only, is short enough to stay in the registers of the CPU.
      for (; step < stepEnd; step++) {
        const code0 = steps[start0 + step]!;
        const code1 = steps[start1 + step]!;
        const code2 = steps[start2 + step]!;
        const code3 = steps[start3 + step]!;
        const code4 = steps[start4 + step]!;
        const code5 = steps[start5 + step]!;
        at0 = code0 < 0 ? tables[~code0 * size + at0]! : places.next(code0, at0);
        at1 = code1 < 0 ? tables[~code1 * size + at1]! : places.next(code1, at1);
        at2 = code2 < 0 ? tables[~code2 * size + at2]! : places.next(code2, at2);
        at3 = code3 < 0 ? tables[~code3 * size + at3]! : places.next(code3, at3);
        at4 = code4 < 0 ? tables[~code4 * size + at4]! : places.next(code4, at4);
        at5 = code5 < 0 ? tables[~code5 * size + at5]! : places.next(code5, at5);
      }
    }
    ends[0] = at0;
    ends[1] = at1;
    ends[2] = at2;
    ends[3] = at3;
    ends[4] = at4;
    ends[5] = at5;
    return step;
  }

  #next(code: number, at: number): number {
    if (code < 0) return this.#tables[~code * this.#size + at]!;
    return this.places.next(code, at);
  }

  /** Builds the tables that `rule-steps.ts` describes. */
  #buildTables(parts: Int32Array): void {
    const count = parts.length / 2;
    const size = this.nowhere + 1;
    this.#size = size;
    if (this.#tables.length < count * size) this.#tables = new Uint16Array(count * size);
    const tables = this.#tables;
    for (let table = 0; table < count; table++) {
      const first = parts[2 * table]!;
      const second = parts[2 * table + 1]!;
      const start = table * size;
      if (second === -1) {
        this.#buildPiece(first, start);
        continue;
      }
      const left = first * size;
      const right = second * size;
      for (let at = 0; at < size; at++) tables[start + at] = tables[right + tables[left + at]!]!;
    }
  }

  #buildPiece(piece: number, start: number): void {
    const length = this.#lengths[piece]!;
    const tables = this.#tables;
    let at = start;
    for (;;) {
      const end = this.places.next(piece, at - start);
      if (end === this.nowhere) break;
      const next = start + end - length + 1;
      // A call of fill() takes as long as writing about 32 entries.
      if (next - at > 32) tables.fill(end, at, next);
      else for (; at < next; at++) tables[at] = end;
      at = next;
    }
    tables.fill(this.nowhere, at, start + this.nowhere + 1);
  }
}
