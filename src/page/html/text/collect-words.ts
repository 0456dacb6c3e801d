/**
 * Collects the visible text of a page as hashes of its words (core/page/page-words.ts).
 *
 * In: a document, the places of its text, and where blocks end. One collector is used for many pages and keeps its
 * memory.
 *
 * What always holds: white space, punctuation and the case of ASCII letters do not matter. The time is linear in the
 * bytes, no string is made, and the number of words is limited.
 *
 * The words are hashed in WebAssembly (word-kernel.wat). With the same loop in JavaScript, collecting words took twice
 * as long: 183 to 205 instead of 83 to 111 µs for a page with 26 KB of text (bench/parts/sketch.ts, three runs each).
 */
import { type KernelExports, loadKernel } from '../../../core/kernel.ts';
import type { PageWords } from '../../../core/page/page-words.ts';
import { isInWord } from './word-gap.ts';
import { KERNEL } from './word-kernel.wasm.ts';

/** About a megabyte of text. */
export const MAX_WORDS = 200_000;
/** Longer texts are read in parts. */
const MAX_PART_BYTES = 16_384;
const FIRST_BLOCKS = 512;

// The memory of the kernel: a text in parts, the document if it is not too long, the words. The kernel reads up to 64
// bytes before and behind a text.
const PART_AT = 64;
const DOCUMENT_AT = 0x5000;
const MAX_DOCUMENT_BYTES = 0x3b000 - 64;
const WORDS_AT = 0x40000;
const SPACE = 32;

interface Kernel extends KernelExports {
  /** Writes the words of the text in `from`–`to` to `out`. Returns the position behind them. */
  readonly words: (from: number, to: number, out: number) => number;
  /** Ends a block. Writes the hash of its words that are not numbers, and their number, into the first two numbers. */
  readonly endBlock: () => void;
}

const startKernel = loadKernel<Kernel>(KERNEL);

export class WordCollector implements PageWords {
  readonly words: Uint32Array;
  count = 0;
  ends = new Uint32Array(FIRST_BLOCKS);
  hashes = new Uint32Array(FIRST_BLOCKS);
  textWords = new Uint32Array(FIRST_BLOCKS);
  linked = new Uint8Array(FIRST_BLOCKS);
  blocks = 0;
  isCut = false;
  readonly #kernel = startKernel();
  readonly #memory = new Uint8Array(this.#kernel.memory.buffer);
  readonly #block = new Uint32Array(this.#kernel.memory.buffer, 0, 2);
  /** The document whose text is added. */
  protected document: Buffer = NOTHING;
  /** False if the document is too long for the memory of the kernel. */
  #isInMemory = false;
  /** Bytes of the open parts of a text. */
  #partBytes = 0;
  /** Words of the open block that are link text. */
  #linkWords = 0;
  /** The number of words when the open link began, or -1. */
  #linkFrom = -1;

  constructor() {
    this.words = new Uint32Array(this.#kernel.memory.buffer, WORDS_AT);
  }

  clear(): void {
    this.document = NOTHING;
    this.count = 0;
    this.blocks = 0;
    this.isCut = false;
    this.#partBytes = 0;
    this.#linkWords = 0;
    this.#linkFrom = -1;
    this.#kernel.endBlock();
  }

  /** Sets the document whose text is added. */
  open(document: Buffer): void {
    this.document = document;
    this.#isInMemory = document.length <= MAX_DOCUMENT_BYTES;
    if (this.#isInMemory) this.#memory.set(document, DOCUMENT_AT);
  }

  startLink(): void {
    this.endLink();
    this.#linkFrom = this.count;
  }

  endLink(): void {
    if (this.#linkFrom >= 0) this.#linkWords += this.count - this.#linkFrom;
    this.#linkFrom = -1;
  }

  /** Adds the words of the document's text in `from`–`to`, or the rest of a text that was added in parts. */
  add(from: number, to: number): void {
    if (this.#partBytes === 0) {
      // Nearly half of the texts of a page are white space between tags.
      while (from < to && (this.document[from] as number) <= SPACE) from++;
      if (from === to) return;
    }
    if (this.#isInMemory && this.#partBytes === 0 && to - from <= MAX_PART_BYTES) {
      this.#addWords(DOCUMENT_AT + from, DOCUMENT_AT + to);
      return;
    }
    this.#addPart(this.document, from, to);
    this.#addWords(PART_AT, PART_AT + this.#partBytes);
    this.#partBytes = 0;
  }

  /** Adds a part of a text. Its last word may go on in the next part, and `add` must follow. */
  addPart(bytes: Buffer, from: number, to: number): void {
    this.#addPart(bytes, from, to);
  }

  /** Called for a character reference between two words of a text. */
  addGap(_character: Buffer): void {}

  /** Called at the end of a text. */
  endText(): void {}

  #addPart(bytes: Buffer, from: number, to: number): void {
    for (let at = from; at < to; ) {
      if (this.#partBytes === MAX_PART_BYTES) this.#makeRoom();
      const end = Math.min(to, at + MAX_PART_BYTES - this.#partBytes);
      this.#memory.set(bytes.subarray(at, end), PART_AT + this.#partBytes);
      this.#partBytes += end - at;
      at = end;
    }
  }

  /** Adds the words of the parts so far. The last word may go on, so it stays in the memory, unless it fills it. */
  #makeRoom(): void {
    const memory = this.#memory;
    const end = PART_AT + this.#partBytes;
    let from = end;
    while (from > PART_AT && isInWord(memory[from - 1] as number)) from--;
    if (from === PART_AT) {
      from = end;
      // The last character may be incomplete. Malformed text may have any number of such bytes, a character has three.
      for (let bytes = 0; bytes < 3 && isContinuation(memory[from - 1] as number); bytes++) from--;
      if ((memory[from - 1] as number) >= 0xc0) from--;
    }
    this.#addWords(PART_AT, from);
    memory.copyWithin(PART_AT, from, end);
    this.#partBytes = end - from;
  }

  #addWords(from: number, to: number): void {
    if (this.count >= MAX_WORDS) this.isCut = true;
    else this.count = (this.#kernel.words(from, to, WORDS_AT + 4 * this.count) - WORDS_AT) >>> 2;
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
    this.#kernel.endBlock();
    this.hashes[blocks] = this.#block[0] as number;
    this.textWords[blocks] = this.#block[1] as number;
    this.linked[blocks] = this.#linkWords === count - from ? 1 : 0;
    this.blocks = blocks + 1;
    this.#linkWords = 0;
    // A link around several blocks goes on.
    if (isInLink) this.#linkFrom = count;
  }

  #growBlocks(): void {
    const size = this.blocks * 2;
    this.ends = copied(this.ends, new Uint32Array(size));
    this.hashes = copied(this.hashes, new Uint32Array(size));
    this.textWords = copied(this.textWords, new Uint32Array(size));
    this.linked = copied(this.linked, new Uint8Array(size));
  }
}

function copied<Numbers extends Uint32Array | Uint8Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}

const NOTHING = Buffer.alloc(0);

/** Returns true for a byte of a UTF-8 character that is not its first. */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
