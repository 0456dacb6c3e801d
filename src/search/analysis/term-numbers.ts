/**
 * Numbers the terms of many texts. In: terms, as strings or as code units. Out: a number for each different term, in
 * the order of their first use.
 *
 * A page of 27,000 characters has 4,000 words, and nearly all are known. A table of code units finds their numbers
 * without a string for each word; with `Map` and strings, words took 2.5 times as long, and a seventh of the time went
 * to garbage collection.
 */
import { MAX_TERM } from './compound.ts';

/** Chosen when the process starts, so that nobody can write a page whose words share one place of the table. */
export const HASH_SEED = crypto.getRandomValues(new Int32Array(1))[0] as number;
/** The table is doubled when it is fuller than this. */
const MOST_FILLED = 0.5;

/** The hash of a term is made of its code units, one after the other. */
export function nextHash(hash: number, codeUnit: number): number {
  const mixed = Math.imul(hash ^ codeUnit, 0x9e37_79b1);
  return mixed ^ (mixed >>> 15);
}

export class TermNumbers {
  readonly terms: string[] = [];
  /** The code units of the term to look for. */
  readonly letters = new Uint16Array(MAX_TERM + 1);
  /** A number, or -1, at the place of its hash or after it. */
  #table = new Int32Array(4_096).fill(-1);
  #hashes = new Int32Array(2_048);
  /** By number: where the code units of the term begin, and where those of the next one do. */
  #starts = new Uint32Array(2_049);
  #units = new Uint16Array(16_384);

  /** The number of the first `length` code units of `letters`. */
  find(length: number, hash: number): number {
    const table = this.#table;
    const mask = table.length - 1;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const number = table[at] as number;
      if (number < 0) return this.#add(length, hash, at);
      if (this.#hashes[number] === hash && this.#isSame(number, length)) return number;
    }
  }

  /** A term may have up to 64 code units. */
  numberOf(term: string): number {
    let hash = HASH_SEED;
    for (let at = 0; at < term.length; at++) {
      const unit = term.charCodeAt(at);
      this.letters[at] = unit;
      hash = nextHash(hash, unit);
    }
    return this.find(term.length, hash);
  }

  #isSame(number: number, length: number): boolean {
    const start = this.#starts[number] as number;
    if ((this.#starts[number + 1] as number) - start !== length) return false;
    for (let i = 0; i < length; i++) if (this.#units[start + i] !== this.letters[i]) return false;
    return true;
  }

  #add(length: number, hash: number, at: number): number {
    const number = this.terms.length;
    // A string of its own does not keep the text of a page in memory.
    this.terms.push(String.fromCharCode(...this.letters.subarray(0, length)));
    if (number === this.#hashes.length) this.#growTerms();
    const start = this.#starts[number] as number;
    if (start + length > this.#units.length) this.#units = grown(new Uint16Array(2 * this.#units.length), this.#units);
    for (let i = 0; i < length; i++) this.#units[start + i] = this.letters[i] as number;
    this.#starts[number + 1] = start + length;
    this.#hashes[number] = hash;
    this.#table[at] = number;
    if (this.terms.length > MOST_FILLED * this.#table.length) this.#growTable();
    return number;
  }

  #growTerms(): void {
    this.#hashes = grown(new Int32Array(2 * this.#hashes.length), this.#hashes);
    this.#starts = grown(new Uint32Array(this.#hashes.length + 1), this.#starts);
  }

  #growTable(): void {
    const table = new Int32Array(2 * this.#table.length).fill(-1);
    const mask = table.length - 1;
    for (let number = 0; number < this.terms.length; number++) {
      let at = (this.#hashes[number] as number) & mask;
      while ((table[at] as number) >= 0) at = (at + 1) & mask;
      table[at] = number;
    }
    this.#table = table;
  }
}

function grown<Numbers extends Uint16Array | Int32Array | Uint32Array>(larger: Numbers, numbers: Numbers): Numbers {
  larger.set(numbers);
  return larger;
}
