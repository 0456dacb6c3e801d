import type { PieceAutomaton } from './piece-automaton.ts';

/**
 * The positions of the pieces of an automaton in one path. In: the path. Out: the next end of a piece after a position,
 * in constant time. There is one object per thread; its memory is used again for every path.
 *
 * A piece with at most `MAX_LISTED` positions has them in a list. A piece with more positions has a bitmap. Writing
 * every position of every piece would take too long: a file of 500 KB can have 1,000 pieces (a, aa, aaa, …) that all
 * end at each position of a path. So a position of pieces with bitmaps is written once, for the longest of these pieces
 * that ends there. The bitmaps of the shorter pieces get it when the bitmaps are joined (`#join`). This works because a
 * piece always has at least as many positions as any longer piece that ends with it.
 */
const MAX_LISTED = 15;
/** One record per piece, which fills one cache line: the number of positions, then the positions. */
const RECORD = MAX_LISTED + 1;

export class PiecePlaces {
  #automaton: PieceAutomaton | null = null;
  /** The position after the end of the path, which means "not found". */
  nowhere = 0;
  /** Changes with every path, so that nothing has to be cleared between two paths. */
  #stamp = 0;
  #longest = new Int32Array(0);
  /**
   * Four numbers per piece: the stamp of the last path that contains it, the start and the end of its first occurrence
   * in that path, and an unused number that keeps the four in one cache line.
   */
  #firsts = new Int32Array(0);
  /** One record per piece. For a piece with a bitmap, the number of positions is `MAX_LISTED + 1`. */
  #records = new Int32Array(0);
  /**
   * By piece with a bitmap: the last position that was written for it, or 0 for
   * none. `#earlier` links to the positions before.
   */
  #written = new Int32Array(0);
  #earlier = new Int32Array(0);
  /** By piece: the number of its bitmap. */
  #mapNumbers = new Int32Array(0);
  /** Pieces with a bitmap. A piece comes before all longer pieces that end with it. */
  #mapped: number[] = [];
  #areJoined = false;
  /**
   * The bitmaps, one after another. A bitmap has one bit per end position in
   * the path, then one bit per word that is not 0.
   */
  #maps = new Int32Array(0);
  #words = 0;
  #mapWords = 0;

  read(automaton: PieceAutomaton, path: string): void {
    this.#automaton = automaton;
    this.nowhere = path.length + 1;
    this.#reserve(automaton.lengths.length, path.length + 1);
    this.#stamp++;
    this.#mapped.length = 0;
    this.#areJoined = false;
    automaton.read(path, this.#longest);
    for (let end = 1; end <= path.length; end++) this.#note(this.#longest[end]!, end);
  }

  /** The end of the first occurrence of the piece that starts at `from` or later, or `nowhere`. */
  next(piece: number, from: number): number {
    const firsts = this.#firsts;
    const first = 4 * piece;
    if (firsts[first] !== this.#stamp) return this.nowhere;
    return firsts[first + 1]! >= from ? firsts[first + 2]! : this.#nextAfterFirst(piece, from);
  }

  #nextAfterFirst(piece: number, from: number): number {
    const minEnd = from + this.#automaton!.lengths[piece]!;
    if (minEnd >= this.nowhere) return this.nowhere;
    const records = this.#records;
    const record = piece * RECORD;
    const count = records[record]!;
    if (count > MAX_LISTED) return this.#nextInMap(piece, minEnd);
    for (let index = record + 2; index <= record + count; index++) {
      const end = records[index]!;
      if (end >= minEnd) return end;
    }
    return this.nowhere;
  }

  /** Whether the piece occurs in the path. */
  has(piece: number): boolean {
    return this.#firsts[4 * piece] === this.#stamp;
  }

  /** The longest piece that the path ends with, or -1. */
  get longestAtEnd(): number {
    return this.nowhere === 1 ? -1 : this.#longest[this.nowhere - 1]!;
  }

  /** Records that the piece, and all pieces that are a suffix of it, end here. */
  #note(longest: number, end: number): void {
    const { parents, lengths } = this.#automaton!;
    const records = this.#records;
    const mappedBefore = this.#mapped.length;
    for (let piece = longest; piece !== -1; piece = parents[piece]!) {
      const record = piece * RECORD;
      const first = 4 * piece;
      if (this.#firsts[first] !== this.#stamp) {
        this.#firsts[first] = this.#stamp;
        this.#firsts[first + 1] = end - lengths[piece]!;
        this.#firsts[first + 2] = end;
        records[record] = 0;
      }
      const count = records[record]!;
      if (count <= MAX_LISTED) records[record] = count + 1;
      if (count < MAX_LISTED) {
        records[record + 1 + count] = end;
        continue;
      }
      const isFirstMapped = this.#mapped.length === mappedBefore;
      if (count === MAX_LISTED) {
        this.#written[piece] = 0;
        this.#mapped.push(piece);
      }
      if (isFirstMapped) {
        this.#earlier[end] = this.#written[piece]!;
        this.#written[piece] = end;
      }
      // The bitmaps of the shorter pieces get this position when the bitmaps are joined.
      if (count > MAX_LISTED) break;
    }
    // The loop above met the longer pieces first.
    if (this.#mapped.length > mappedBefore + 1) {
      const shorterFirst = this.#mapped.splice(mappedBefore).reverse();
      for (const piece of shorterFirst) this.#mapped.push(piece);
    }
  }

  /**
   * Fills the bitmaps, beginning with the longer pieces. Each bitmap is
   * added to the bitmap of its longest suffix piece.
   */
  #join(): void {
    this.#areJoined = true;
    this.#words = (this.nowhere >>> 5) + 1;
    this.#mapWords = this.#words + (this.#words >>> 5) + 1;
    const needed = this.#mapped.length * this.#mapWords;
    if (this.#maps.length < needed) this.#maps = new Int32Array(needed * 2);
    else this.#maps.fill(0, 0, needed);
    for (const [number, piece] of this.#mapped.entries()) this.#mapNumbers[piece] = number;
    const maps = this.#maps;
    for (let number = this.#mapped.length - 1; number >= 0; number--) {
      const piece = this.#mapped[number]!;
      const start = number * this.#mapWords;
      for (let index = 1; index < RECORD; index++) this.#mark(start, this.#records[piece * RECORD + index]!);
      for (let end = this.#written[piece]!; end !== 0; end = this.#earlier[end]!) this.#mark(start, end);
      const parent = this.#automaton!.parents[piece]!;
      if (parent === -1) continue;
      const target = this.#mapNumbers[parent]! * this.#mapWords;
      for (let word = 0; word < this.#mapWords; word++) maps[target + word]! |= maps[start + word]!;
    }
  }

  #mark(start: number, end: number): void {
    const word = end >>> 5;
    this.#maps[start + word]! |= 1 << (end & 31);
    this.#maps[start + this.#words + (word >>> 5)]! |= 1 << (word & 31);
  }

  #nextInMap(piece: number, from: number): number {
    if (!this.#areJoined) this.#join();
    const start = this.#mapNumbers[piece]! * this.#mapWords;
    let word = from >>> 5;
    let bits = this.#maps[start + word]! & (-1 << (from & 31));
    if (bits === 0) {
      const summaries = start + this.#words;
      word++;
      let summary = word >>> 5;
      const lastSummary = this.#mapWords - this.#words - 1;
      if (summary > lastSummary) return this.nowhere;
      let filled = this.#maps[summaries + summary]! & (-1 << (word & 31));
      while (filled === 0) {
        if (++summary > lastSummary) return this.nowhere;
        filled = this.#maps[summaries + summary]!;
      }
      word = (summary << 5) + lowestBit(filled);
      bits = this.#maps[start + word]!;
    }
    return (word << 5) + lowestBit(bits);
  }

  #reserve(pieces: number, ends: number): void {
    if (this.#written.length < pieces) {
      const size = pieces + (pieces >>> 2);
      this.#firsts = new Int32Array(size * 4);
      this.#records = new Int32Array(size * RECORD);
      this.#written = new Int32Array(size);
      this.#mapNumbers = new Int32Array(size);
    }
    if (this.#longest.length < ends) {
      this.#longest = new Int32Array(ends + (ends >>> 2));
      this.#earlier = new Int32Array(this.#longest.length);
    }
  }
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}
