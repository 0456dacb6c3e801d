/**
 * Writes integers as base-128 digits, lowest digit first. The high bit of a byte says that more digits follow. Numbers
 * can be as large as 2^53, so bits are shifted only if a number is known to have less than 32 bits.
 */

/** The maximum length of a number: 53 bits, seven per byte. */
export const MAX_NUMBER_BYTES = 8;

/** 32-bit operations are not correct from here on. */
const TWO_TO_31 = 2 ** 31;

/** Writes at `start`, and returns the index after the last byte. */
export function writeNumber(bytes: Uint8Array, start: number, number: number): number {
  let at = start;
  let rest = number;
  while (rest >= TWO_TO_31) {
    bytes[at++] = (rest % 128) | 128;
    rest = Math.floor(rest / 128);
  }
  while (rest >= 128) {
    bytes[at++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  bytes[at++] = rest;
  return at;
}

/**
 * Reads numbers one after the other. A number that is cut off or too long is returned
 * as -1. The caller decides what that means.
 */
export class NumberReader {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  next(): number {
    const { bytes } = this;
    const end = Math.min(bytes.length, this.at + MAX_NUMBER_BYTES);
    let number = 0;
    let scale = 1;
    while (this.at < end) {
      const byte = bytes[this.at++]!;
      number += (byte & 127) * scale;
      if (byte < 128) return number <= Number.MAX_SAFE_INTEGER ? number : -1;
      scale *= 128;
    }
    return -1;
  }
}
