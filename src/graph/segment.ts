/**
 * Builds a segment: the link lists of many pages one after the other, in the order of commit, as one array of bytes.
 *
 * In: pages and their link lists. Out: bytes: for each page its id, the number of its links, and the list unchanged. A
 * page without links is included with an empty list.
 *
 * What always holds: a segment has each page once, and can be read without other data.
 */
import { MAX_NUMBER_BYTES, writeNumber } from './base-128.ts';
import type { LinkList } from './link-list.ts';

const FIRST_CAPACITY_BYTES = 4096;

/** Grows until `take` is called, and is empty afterwards. */
export class SegmentBuilder {
  #bytes = new Uint8Array(FIRST_CAPACITY_BYTES);
  #length = 0;
  #pages = 0;
  #links = 0;

  get byteLength(): number {
    return this.#length;
  }

  get pages(): number {
    return this.#pages;
  }

  get links(): number {
    return this.#links;
  }

  add(page: number, { bytes, count }: LinkList): void {
    this.#makeRoom(2 * MAX_NUMBER_BYTES + bytes.length);
    const at = writeNumber(this.#bytes, writeNumber(this.#bytes, this.#length, page), count);
    this.#bytes.set(bytes, at);
    this.#length = at + bytes.length;
    this.#pages++;
    this.#links += count;
  }

  take(): Uint8Array {
    const segment = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    this.#pages = 0;
    this.#links = 0;
    return segment;
  }

  #makeRoom(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
