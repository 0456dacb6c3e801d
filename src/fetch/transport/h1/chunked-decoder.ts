import type { HttpFlaw } from '../../../core/http-flaws.ts';
import { HeadCollector, splitLoosely } from './head-collector.ts';
import { parseHeaderLines } from './response-head.ts';

/**
 * Decodes the chunked transfer coding (RFC 9112 §7.1). In: bytes. Out: the slices that are
 * content. The trailer is dropped.
 *
 * What always holds: a chunk size begins with hexadecimal digits and a chunk ends with a line end; otherwise the body
 * is refused. Everything else that breaks the rules is read as curl reads it, and is in `flaws`. Extensions are skipped
 * up to a limit.
 */
export type ContentListener = (bytes: Buffer, from: number, to: number, moreToCome: number) => void;

const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const SEMICOLON = 0x3b;

const SIZE = 0;
const EXTENSION = 1;
const SIZE_LF = 2;
const DATA = 3;
const DATA_CR = 4;
const DATA_LF = 5;
const TRAILER = 6;

/** As in curl. Most digits of a long size are zeros; a size that is not exact is far above all our limits. */
const MAX_SIZE_DIGITS = 16;
/** The limit for all extensions of one body together. */
const MAX_EXTENSION_BYTES = 16 * 1024;

export class ChunkedDecoder {
  /** The bytes are not valid chunked coding. */
  broken = false;
  done = false;
  readonly flaws = new Set<HttpFlaw>();

  readonly #trailer: HeadCollector;
  #state = SIZE;
  #sizeDigits = 0;
  #left = 0;
  #extensionBytes = 0;

  constructor(maxTrailerBytes: number) {
    this.#trailer = new HeadCollector(maxTrailerBytes);
  }

  reset(): void {
    this.broken = false;
    this.done = false;
    if (this.flaws.size > 0) this.flaws.clear();
    this.#extensionBytes = 0;
    this.#expectSize();
  }

  /** All content has arrived, and only the trailer may be missing. */
  get hasLastChunk(): boolean {
    return this.#state === TRAILER;
  }

  /** Returns the index after the read bytes: `to`, or less if the body is `done` or `broken`. */
  feed(bytes: Buffer, from: number, to: number, onContent: ContentListener): number {
    let at = from;
    while (at < to && !this.done && !this.broken) {
      if (this.#state === DATA) {
        const end = Math.min(to, at + this.#left);
        this.#left -= end - at;
        if (this.#left === 0) this.#state = DATA_CR;
        onContent(bytes, at, end, this.#left);
        at = end;
      } else if (this.#state === TRAILER) {
        at = this.#readTrailer(bytes, at, to);
      } else {
        this.#step(bytes[at]!);
        at += 1;
      }
    }
    return at;
  }

  #readTrailer(bytes: Buffer, from: number, to: number): number {
    const start = from - this.#trailer.heldBytes;
    const end = this.#trailer.feed(bytes, from, to);
    const { text } = this.#trailer;
    this.done = end !== -1 && parseHeaderLines(text, 2) !== null;
    if (this.done) return end;
    const count = end === -1 ? this.#trailer.takeLoosely() : (splitLoosely(text)?.bytes ?? end - start);
    this.done = count !== -1;
    this.broken = !this.done && this.#trailer.isFull;
    if (this.done) this.flaws.add('trailer');
    return this.done ? start + count : to;
  }

  #step(byte: number): void {
    switch (this.#state) {
      case SIZE:
        this.#readSize(byte);
        break;
      case EXTENSION:
        this.#skipExtension(byte);
        break;
      case SIZE_LF:
        if (byte === LF) this.#endSizeLine();
        else {
          this.#state = EXTENSION;
          this.flaws.add('line-end');
          this.#skipExtension(byte);
        }
        break;
      case DATA_CR:
        if (byte === CR) this.#state = DATA_LF;
        else this.#endChunkLoosely(byte);
        break;
      default:
        if (byte === LF) this.#expectSize();
        else this.#endChunkLoosely(byte);
    }
  }

  #readSize(byte: number): void {
    const digit = hexDigit(byte);
    if (digit !== -1) {
      this.#left = this.#left * 16 + digit;
      this.#sizeDigits += 1;
      this.broken = this.#sizeDigits > MAX_SIZE_DIGITS;
    } else if (this.#sizeDigits === 0) this.broken = true;
    else if (byte === CR) this.#state = SIZE_LF;
    else if (byte === LF) {
      this.flaws.add('line-end');
      this.#endSizeLine();
    } else {
      this.#state = EXTENSION;
      const isBlank = byte === SPACE || byte === TAB;
      if (byte !== SEMICOLON) this.flaws.add('chunk-size');
      // "0x5" is not the end of the body.
      this.broken = this.#left === 0 && byte !== SEMICOLON && !isBlank;
    }
  }

  #skipExtension(byte: number): void {
    this.#extensionBytes += 1;
    if (byte === CR) this.#state = SIZE_LF;
    else if (byte === LF) {
      this.flaws.add('line-end');
      this.#endSizeLine();
    } else if ((byte < SPACE && byte !== TAB) || byte === 0x7f) this.flaws.add('chunk-size');
    if (this.#extensionBytes > MAX_EXTENSION_BYTES) this.broken = true;
  }

  #endSizeLine(): void {
    if (this.#left > 0) this.#state = DATA;
    else {
      this.#state = TRAILER;
      this.#trailer.startAfterLine();
    }
  }

  /** A chunk may end with LF alone, or with several CR before it. */
  #endChunkLoosely(byte: number): void {
    if (byte === LF) this.#expectSize();
    else if (byte !== CR) this.broken = true;
    this.flaws.add('line-end');
  }

  #expectSize(): void {
    this.#state = SIZE;
    this.#sizeDigits = 0;
    this.#left = 0;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
