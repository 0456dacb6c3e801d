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
import { BEYOND_ASCII, CODES, GAP, judgeCharacter, LETTER, LETTER_BIT, WHOLE_WORD } from './word-bytes.ts';

/** About a megabyte of text. */
export const MAX_WORDS = 200_000;
/** Longer pieces are cut, because the buffer has room for as many words as a piece has bytes. */
const MAX_PIECE_BYTES = 16_384;
const FIRST_WORDS = 4_096;
const FIRST_BLOCKS = 512;
const MULTIPLIER = 0x2c1b3c6d;

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
  /** The codes of its bytes, combined. */
  #letters = 0;

  clear(): void {
    this.count = 0;
    this.blocks = 0;
    this.isCut = false;
    this.#linkWords = 0;
    this.#linkFrom = -1;
    this.#hash = 0;
    this.#letters = 0;
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
    let start = from;
    for (; to - start > MAX_PIECE_BYTES; start += MAX_PIECE_BYTES) {
      this.#addPiece(bytes, start, start + MAX_PIECE_BYTES);
    }
    this.#addPiece(bytes, start, to);
  }

  #addPiece(bytes: Buffer, from: number, to: number): void {
    // The open word needs room, too.
    const most = to - from + 1;
    if (this.count + most > this.words.length && !this.#grow(most)) return;
    for (let at = this.#addAscii(bytes, from, to); at < to; ) {
      at = this.#addAscii(bytes, this.#addCharacter(bytes, at, to), to);
    }
  }

  /** Adds the text up to the first character beyond ASCII. Returns where it stopped. */
  #addAscii(bytes: Buffer, from: number, to: number): number {
    const words = this.words;
    const codes = CODES;
    let count = this.count;
    let hash = this.#hash;
    let letters = this.#letters;
    let at = from;
    while (at < to) {
      let code = codes[bytes[at] as number] as number;
      while (code > 0) {
        hash = (Math.imul(hash, MULTIPLIER) + code) | 0;
        letters |= code;
        if (++at === to) break;
        code = codes[bytes[at] as number] as number;
      }
      if (at === to || code === BEYOND_ASCII) break;
      if (hash !== 0) words[count++] = wordOf(hash, letters);
      hash = 0;
      letters = 0;
      at++;
    }
    this.count = count;
    this.#hash = hash;
    this.#letters = letters;
    return at;
  }

  /** Adds a character beyond ASCII. Returns its end. */
  #addCharacter(bytes: Buffer, at: number, to: number): number {
    const end = characterEnd(bytes, at, to);
    const role = judgeCharacter(bytes[at] as number, at + 1 < end ? (bytes[at + 1] as number) : 0);
    if (role !== LETTER) this.endWord();
    if (role !== GAP) {
      for (let i = at; i < end; i++) this.#hash = (Math.imul(this.#hash, MULTIPLIER) + (bytes[i] as number)) | 0;
      this.#letters = LETTER_BIT;
    }
    if (role === WHOLE_WORD) this.endWord();
    return end;
  }

  /** Ends the open word. */
  endWord(): void {
    if (this.#hash !== 0) this.words[this.count++] = wordOf(this.#hash, this.#letters);
    this.#hash = 0;
    this.#letters = 0;
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

/** The hash of a word. The lowest bit is 1 for a number. */
function wordOf(hash: number, letters: number): number {
  return (hash << 1) | (((letters >>> 8) & 1) ^ 1);
}

/** The end of the UTF-8 character that begins at `at`. */
function characterEnd(bytes: Buffer, at: number, to: number): number {
  let end = at + 1;
  while (end < to && ((bytes[end] as number) & 0xc0) === 0x80) end++;
  return end;
}
