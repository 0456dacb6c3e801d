/**
 * Whole numbers as base-128 digits, lowest first, the high bit of a byte saying that more follow. Numbers reach 2^53, so
 * bits are shifted only where a number is known to have less than 32 of them.
 */

/** Most that a number can take: 53 bits, seven to a byte. */
export const MAX_NUMBER_BYTES = 8;

/** From here on up the 32-bit operations do not hold. */
const TWO_TO_31 = 2 ** 31;

/** Writes at `start`, and gives the place behind the last byte. */
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

/** Numbers one after the other. One that ends too early, or is longer than any number, is -1: who reads knows what that means. */
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
