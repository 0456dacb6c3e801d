import { HeadCollector } from './head-collector.ts';
import { parseHeaderLines } from './response-head.ts';

/**
 * Decodes the chunked transfer coding (RFC 9112 §7.1). In: bytes. Out: the slices that are
 * content. The trailer is checked and dropped.
 *
 * What always holds: chunk sizes are plain hexadecimal digits and lines end with CR LF; otherwise the body is refused.
 * Extensions are skipped up to a limit.
 */
export type ContentListener = (bytes: Buffer, from: number, to: number, moreToCome: number) => void;

const CR = 0x0d;
const LF = 0x0a;
const SEMICOLON = 0x3b;

const SIZE = 0;
const EXTENSION = 1;
const SIZE_LF = 2;
const DATA = 3;
const DATA_CR = 4;
const DATA_LF = 5;
const TRAILER = 6;

/** 16^12 - 1 is far above all our limits, and far below the largest exact integer of a double. */
const MAX_SIZE_DIGITS = 12;
/** The limit for all extensions of one body together. */
const MAX_EXTENSION_BYTES = 16 * 1024;

export class ChunkedDecoder {
  /** The bytes are not valid chunked coding. */
  broken = false;
  done = false;

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
    this.#extensionBytes = 0;
    this.#expectSize();
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
        const end = this.#trailer.feed(bytes, at, to);
        if (end === -1) {
          this.broken = this.#trailer.isFull;
          return to;
        }
        this.done = parseHeaderLines(this.#trailer.text, 2) !== null;
        this.broken = !this.done;
        at = end;
      } else {
        this.#step(bytes[at]!);
        at += 1;
      }
    }
    return at;
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
        if (byte !== LF) this.broken = true;
        else if (this.#left > 0) this.#state = DATA;
        else {
          this.#state = TRAILER;
          this.#trailer.startAfterLine();
        }
        break;
      case DATA_CR:
        if (byte !== CR) this.broken = true;
        this.#state = DATA_LF;
        break;
      default:
        if (byte !== LF) this.broken = true;
        this.#expectSize();
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
    else if (byte === SEMICOLON) this.#state = EXTENSION;
    else this.broken = true;
  }

  #skipExtension(byte: number): void {
    this.#extensionBytes += 1;
    if (byte === CR) this.#state = SIZE_LF;
    else if ((byte < 0x20 && byte !== 0x09) || byte === 0x7f) this.broken = true;
    if (this.#extensionBytes > MAX_EXTENSION_BYTES) this.broken = true;
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
