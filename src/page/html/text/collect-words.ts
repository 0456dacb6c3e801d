/**
 * Collects the visible text of a page as hashes of its words (core/page/page-words.ts).
 *
 * In: a document, the places of its text, and where blocks and links begin and end. One collector is used for many
 * pages and keeps its memory. Out: the words and blocks, after `finish`.
 *
 * What always holds: white space, punctuation and the case of ASCII letters do not matter. The time is linear in the
 * bytes, no string is made, and the numbers of words and blocks are limited.
 *
 * The words are formed in WebAssembly (word-kernel.wat), which reads a list of texts and marks in one call. With the
 * same loop in JavaScript, collecting words took twice as long (bench/parts/sketch.ts).
 */
import { type KernelExports, loadKernel, type Position } from '../../../core/kernel.ts';
import { encodeRegions, SUM_BYTES } from '../../../core/page/page-regions.ts';
import type { PageWords } from '../../../core/page/page-words.ts';
import { fillAdHosts, fillNoiseWords } from './noise-hints.ts';
import { OTHER_FORM, OwnTargets } from './own-targets.ts';
import { isInWord } from './word-gap.ts';
import { KERNEL } from './word-kernel.wasm.ts';

/** About a megabyte of text. */
export const MAX_WORDS = 200_000;
/** Further blocks are cut off. */
const MAX_BLOCKS = 65_536;
const MAX_DOCUMENT_BYTES = 0x100000;
const SIDE_BYTES = 16_384;
const LIST_NUMBERS = 4_096;
const COUNTERS = 128;
/** The regions of a page with so many references to hosts of advertisements are not computed. */
const MOST_ADS = 1_024;
/** Marks in the list. Texts are written as two positions. */
const BLOCK_END = -1;
const LINK_START = -2;
const LINK_END = -3;
const BESIDE_START = -4;
const BESIDE_END = -5;
const PARTS_START = -6;
/** A beginning and an end follow each of these. */
const PARTS_END = -7;
const UNSURE = -8;
const TARGET = -9;
const LEFT_OUT = -10;

interface Kernel extends KernelExports {
  readonly regions: Position;
  readonly noiseBits: Position;
  readonly noiseWords: Position;
  readonly adHosts: Position;
  readonly marks: Position;
  /** Sums the words of the blocks that are marked in the memory. */
  readonly weighTemplate: () => void;
  readonly ads: Position;
  readonly findAds: (from: number, to: number) => number;
  /** Ends the exact hash at the end of the document. */
  readonly endRegions: (end: number) => void;
  readonly counts: Position;
  readonly list: Position;
  readonly side: Position;
  readonly document: Position;
  readonly words: Position;
  readonly wordsEnd: Position;
  readonly ends: Position;
  readonly hashes: Position;
  readonly sizes: Position;
  readonly linked: Position;
  readonly clear: () => void;
  /** Reads a part of the list. The first three numbers of the memory are then the words and blocks, and 1 if cut. */
  readonly read: (from: number, to: number) => void;
}

const startKernel = loadKernel<Kernel>(KERNEL);

export class WordCollector implements PageWords {
  readonly words: Uint32Array;
  readonly ends: Uint32Array;
  readonly hashes: Uint32Array;
  readonly textWords: Uint32Array;
  readonly linked: Uint8Array;
  /**
   * How often words occur on the page, in two tables of 64 counters: the word counts of the store
   * (store/rules/word-difference.ts). Each word counts once in each table, and different bits of its hash choose the
   * counters. A counter starts again at 0 after 255.
   */
  readonly counts: Uint8Array;
  count = 0;
  blocks = 0;
  isCut = false;
  readonly #kernel = startKernel();
  readonly #memory = new Uint8Array(this.#kernel.memory.buffer);
  readonly #results = new Uint32Array(this.#kernel.memory.buffer, 0, 3);
  readonly #list: Int32Array;
  readonly #listAt = this.#kernel.list.value;
  readonly #documentAt = this.#kernel.document.value;
  readonly #sideAt = this.#kernel.side.value;
  readonly #regions: Uint8Array;
  readonly #marks: Uint8Array;
  readonly #ads: Int32Array;
  #adCount = 0;
  #length = 0;
  /** The document whose text is added. */
  protected document: Buffer = NOTHING;
  /** False if the document is too long for the memory of the kernel. Its texts are copied one by one then. */
  #isInMemory = false;
  /** The end of the texts beside the document, and where an open text begins there; -1 if none is open. */
  #sideEnd = this.#sideAt;
  #openFrom = -1;
  #own: OwnTargets | null = null;

  constructor() {
    const { memory, counts, list, words, wordsEnd, ends, hashes, sizes, linked } = this.#kernel;
    const { regions, marks, ads, noiseBits, noiseWords, adHosts } = this.#kernel;
    this.#list = new Int32Array(memory.buffer, list.value, LIST_NUMBERS);
    this.words = new Uint32Array(memory.buffer, words.value, (wordsEnd.value - words.value) / 4);
    this.ends = new Uint32Array(memory.buffer, ends.value, MAX_BLOCKS);
    this.hashes = new Uint32Array(memory.buffer, hashes.value, MAX_BLOCKS);
    this.textWords = new Uint32Array(memory.buffer, sizes.value, MAX_BLOCKS);
    this.linked = new Uint8Array(memory.buffer, linked.value, MAX_BLOCKS);
    this.counts = new Uint8Array(memory.buffer, counts.value, COUNTERS);
    this.#regions = new Uint8Array(memory.buffer, regions.value, SUM_BYTES);
    this.#ads = new Int32Array(memory.buffer, ads.value, MOST_ADS);
    this.#marks = new Uint8Array(memory.buffer, marks.value, MAX_BLOCKS);
    const noise = {
      bits: new Uint8Array(memory.buffer, noiseBits.value),
      slots: new Uint32Array(memory.buffer, noiseWords.value),
    };
    fillNoiseWords(noise, (text) => this.#hashesOf(text));
    fillAdHosts(new Uint32Array(memory.buffer, adHosts.value));
    this.#kernel.clear();
  }

  clear(): void {
    this.#clear();
  }

  #clear(): void {
    this.document = NOTHING;
    this.#own = null;
    this.count = 0;
    this.blocks = 0;
    this.isCut = false;
    this.#length = 0;
    this.#sideEnd = this.#sideAt;
    this.#openFrom = -1;
    this.#kernel.clear();
  }

  /** Sets the document whose text is added. */
  open(document: Buffer): void {
    this.document = document;
    this.#isInMemory = document.length <= MAX_DOCUMENT_BYTES;
    this.#adCount = 0;
    if (!this.#isInMemory) return;
    this.#memory.set(document, this.#documentAt);
    this.#adCount = this.#kernel.findAds(this.#documentAt, this.#documentAt + document.length);
  }

  /** Where the document names a host of advertisements next, from a position on; its end if it names none. */
  nextAd(from: number): number {
    for (let i = 0; i < this.#adCount; i++) {
      const at = (this.#ads[i] as number) - this.#documentAt;
      if (at >= from) return at;
    }
    return this.document.length;
  }

  /** `href` is the link as written; null if it is not used. */
  startLink(_href?: string | null, _isNofollow?: boolean): void {
    this.#mark(LINK_START);
  }

  endLink(): void {
    this.#mark(LINK_END);
  }

  /** Called where a block begins or ends. A block without words does not count. */
  endBlock(): void {
    if (this.#length === 0 || this.#list[this.#length - 1] !== BLOCK_END) this.#mark(BLOCK_END);
  }

  /** Called where texts begin or end that are beside the content. Their words count only for the regions. */
  setBeside(isBeside: boolean): void {
    this.#mark(isBeside ? BESIDE_START : BESIDE_END);
  }

  /** Called where texts begin or end that no reader sees. They are also beside the content. */
  setInvisible(_isInvisible: boolean): void {}

  /** Whether the scan must call `startHeading` and `endHeading`. */
  get wantsHeadings(): boolean {
    return false;
  }

  startHeading(): void {}

  endHeading(): void {}

  /** Called before and after a text that is added in parts. It is in `from`–`to`. */
  startParts(): void {
    this.#mark(PARTS_START);
  }

  endParts(from: number, to: number): void {
    this.#markRange(PARTS_END, from, to);
  }

  /** Called for a part of the document that the rules of noise may alter, whatever its words are. */
  addUnsure(from: number, to: number): void {
    this.#markRange(UNSURE, from, to);
  }

  /** Sets the URL of the page, so that forms of the same link are one target. */
  setUrl(url: string): void {
    this.#own = new OwnTargets(url);
  }

  /** Called for the target of a link. A target with other forms that are not known here is unsure. */
  addTarget(from: number, to: number): void {
    const leftOut = this.#own?.leftOut(this.document, from, to) ?? 0;
    if (leftOut === OTHER_FORM) this.addUnsure(from, to);
    this.#markRange(TARGET, from + Math.max(0, leftOut), to);
  }

  /** Called for a part of the document that neither readers nor the layout have. */
  leaveOut(from: number, to: number): void {
    this.#markRange(LEFT_OUT, from, to);
  }

  /**
   * The regions of the page that was read last (core/page/page-regions.ts), by the marks of its template; null if the
   * page was not read as a whole.
   */
  regionsOf(marks: Uint8Array, isConverted: boolean): Uint8Array | null {
    if (!this.#isInMemory || this.isCut || this.document.length === 0 || this.#adCount === MOST_ADS) return null;
    this.#marks.set(marks.subarray(0, this.blocks));
    this.#kernel.weighTemplate();
    this.#kernel.endRegions(this.#documentAt + this.document.length);
    return encodeRegions(this.#regions, isConverted);
  }

  /** The hashes of the words of a text that is on no page. The constructor calls it, so it calls nothing virtual. */
  #hashesOf(text: string): Uint32Array {
    this.#clear();
    this.open(Buffer.from(text));
    this.#addText(this.#documentAt, this.#documentAt + this.document.length);
    this.finish();
    const hashes = this.words.slice(0, this.count);
    this.#clear();
    return hashes;
  }

  /** Adds the words of the document's text in `from`–`to`, or the rest of a text that was added in parts. */
  add(from: number, to: number): void {
    if (this.#isInMemory && this.#openFrom < 0) {
      this.#addText(this.#documentAt + from, this.#documentAt + to);
      return;
    }
    this.#addPart(this.document, from, to);
    this.#addText(this.#openFrom, this.#sideEnd);
    this.#openFrom = -1;
  }

  /** Adds a part of a text. Its last word may go on in the next part, and `add` must follow. */
  addPart(bytes: Buffer, from: number, to: number): void {
    this.#addPart(bytes, from, to);
  }

  /** Called for a character reference between two words of a text. */
  addGap(_character: Buffer): void {}

  /** Called at the end of a text. */
  endText(): void {}

  /** Forms the words that were added so far. */
  finish(): void {
    this.#kernel.read(this.#listAt, this.#listAt + 4 * this.#length);
    this.#length = 0;
    if (this.#openFrom < 0) this.#sideEnd = this.#sideAt;
    this.count = this.#results[0] as number;
    this.blocks = this.#results[1] as number;
    this.isCut = this.#results[2] === 1;
  }

  #mark(mark: number): void {
    if (this.#length >= LIST_NUMBERS - 1) this.finish();
    this.#list[this.#length++] = mark;
  }

  /** The regions of a document that is too long for the memory are not computed. */
  #markRange(mark: number, from: number, to: number): void {
    if (!this.#isInMemory) return;
    if (this.#length >= LIST_NUMBERS - 2) this.finish();
    this.#list[this.#length++] = mark;
    this.#list[this.#length++] = this.#documentAt + from;
    this.#list[this.#length++] = this.#documentAt + to;
  }

  #addText(from: number, to: number): void {
    if (this.#length >= LIST_NUMBERS - 1) this.finish();
    this.#list[this.#length++] = from;
    this.#list[this.#length++] = to;
  }

  /** Copies a part of a text beside the document. */
  #addPart(bytes: Buffer, from: number, to: number): void {
    if (this.#openFrom < 0) this.#openFrom = this.#sideEnd;
    const last = this.#sideAt + SIDE_BYTES;
    for (let at = from; at < to; ) {
      if (this.#sideEnd === last) this.#makeRoom();
      const end = Math.min(to, at + last - this.#sideEnd);
      this.#memory.set(bytes.subarray(at, end), this.#sideEnd);
      this.#sideEnd += end - at;
      at = end;
    }
  }

  /** Forms the words so far. The open text stays. If it fills the memory, its last word stays, unless it fills it. */
  #makeRoom(): void {
    const memory = this.#memory;
    const first = this.#sideAt;
    const end = this.#sideEnd;
    let from = this.#openFrom;
    if (from === first) {
      from = end;
      while (from > first && isInWord(memory[from - 1] as number)) from--;
      if (from === first) {
        from = end;
        // The last character may be incomplete. A character has three such bytes, malformed text any number.
        for (let bytes = 0; bytes < 3 && isContinuation(memory[from - 1] as number); bytes++) from--;
        if ((memory[from - 1] as number) >= 0xc0) from--;
      }
      this.#addText(first, from);
    }
    this.finish();
    memory.copyWithin(first, from, end);
    this.#openFrom = first;
    this.#sideEnd = first + end - from;
  }
}

const NOTHING = Buffer.alloc(0);

/** Returns true for a byte of a UTF-8 character that is not its first. */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
