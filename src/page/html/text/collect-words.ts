/**
 * Collects the visible text of a page as hashes of its words (core/page/page-words.ts).
 *
 * In: pieces of UTF-8 text without markup, and where blocks end. One collector is used for many pages and keeps its
 * buffers.
 *
 * What always holds: white space, punctuation and the case of ASCII letters do not matter. The time is linear in the
 * bytes, no string is made, and the number of words is limited.
 */
import type { PageWords } from '../../../core/page/page-words.ts';
import { ENDS, FACTORS, NEXT, NUMERIC, VALUES } from './word-bytes.ts';

/** About a megabyte of text. */
export const MAX_WORDS = 200_000;
/** Longer pieces are cut, because the buffer has room for as many words as a piece has bytes. */
const MAX_PIECE_BYTES = 16_384;
const FIRST_WORDS = 4_096;
const FIRST_BLOCKS = 512;

export class WordCollector implements PageWords {
  words = new Uint32Array(FIRST_WORDS);
  count = 0;
  ends = new Uint32Array(FIRST_BLOCKS);
  linked = new Uint8Array(FIRST_BLOCKS);
  blocks = 0;
  isCut = false;
  /** Words of the open block that are link text. */
  #linkWords = 0;
  /** The number of words when the open link began, or -1. */
  #linkFrom = -1;
  /** The hash of the open word, or 0. */
  #hash = 0;
  #isNumber = 1;

  clear(): void {
    this.count = 0;
    this.blocks = 0;
    this.isCut = false;
    this.#linkWords = 0;
    this.#linkFrom = -1;
    this.#hash = 0;
    this.#isNumber = 1;
  }

  startLink(): void {
    this.endLink();
    this.#linkFrom = this.count;
  }

  endLink(): void {
    if (this.#linkFrom >= 0) this.#linkWords += this.count - this.#linkFrom;
    this.#linkFrom = -1;
  }

  /** Adds the words of a piece of text. The last word stays open: it may go on in the next piece. */
  add(bytes: Buffer, from: number, to: number): void {
    for (let start = from; start < to; start += MAX_PIECE_BYTES) {
      this.#addPiece(bytes, start, Math.min(to, start + MAX_PIECE_BYTES));
    }
  }

  #addPiece(bytes: Buffer, from: number, to: number): void {
    // The open word needs room, too.
    const most = to - from + 1;
    if (this.count + most > this.words.length && !this.#grow(most)) return;
    const words = this.words;
    const [next, ends, factors, values, numeric] = [NEXT, ENDS, FACTORS, VALUES, NUMERIC];
    let count = this.count;
    let hash = this.#hash;
    let isNumber = this.#isNumber;
    let state = 0;
    // The open word is written at each byte, and is kept where a byte ends it.
    for (let at = from; at < to; at++) {
      const index = state | (bytes[at] as number);
      const isEnd = ends[index] as number;
      words[count] = (hash << 1) | isNumber;
      count += isEnd & ((hash | -hash) >>> 31);
      hash = (Math.imul(hash, factors[index] as number) + (values[index] as number)) | 0;
      isNumber = (isNumber | isEnd) & (numeric[index] as number);
      state = next[index] as number;
    }
    this.count = count;
    this.#hash = hash;
    this.#isNumber = isNumber;
  }

  /** Ends the open word. */
  endWord(): void {
    if (this.#hash !== 0) this.words[this.count++] = (this.#hash << 1) | this.#isNumber;
    this.#hash = 0;
    this.#isNumber = 1;
  }

  /** Called where a block begins or ends. A block without words does not count. */
  endBlock(): void {
    const { blocks, count } = this;
    const from = blocks === 0 ? 0 : (this.ends[blocks - 1] as number);
    if (count === from) return;
    if (blocks === this.ends.length) this.#growBlocks();
    const isInLink = this.#linkFrom >= 0;
    this.endLink();
    this.ends[blocks] = count;
    this.linked[blocks] = this.#linkWords === count - from ? 1 : 0;
    this.blocks = blocks + 1;
    this.#linkWords = 0;
    // A link around several blocks goes on.
    if (isInLink) this.#linkFrom = count;
  }

  #growBlocks(): void {
    const ends = new Uint32Array(this.blocks * 2);
    const linked = new Uint8Array(this.blocks * 2);
    ends.set(this.ends);
    linked.set(this.linked);
    this.ends = ends;
    this.linked = linked;
  }

  /** Makes room for so many more words. False if the page has too many. */
  #grow(more: number): boolean {
    if (this.count >= MAX_WORDS) {
      this.isCut = true;
      return false;
    }
    const grown = new Uint32Array(Math.max(this.words.length * 2, this.count + more));
    grown.set(this.words.subarray(0, this.count));
    this.words = grown;
    return true;
  }
}
