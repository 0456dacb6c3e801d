/**
 * Writes the keys of a segment in ascending order (UTF-16 code units), each with the lengths of its data. Keys are cut
 * into blocks of 64; in a block a key is written as the length of the prefix that it shares with the key before, and
 * the rest. The first keys of all blocks form the index, which a reader keeps in memory.
 */

import { ByteWriter } from './byte-writer.ts';
import type { SectionWriter } from './section-writer.ts';

export const BLOCK_KEYS = 64;

/** What the dictionary says of a key: the number of its pages, and the lengths of its data in both sections. */
export interface KeyEntry {
  readonly key: string;
  readonly count: number;
  readonly bytes: number;
  readonly positionBytes: number;
}

export class DictionaryWriter {
  readonly #section: SectionWriter;
  readonly #index: SectionWriter;
  readonly #block = new ByteWriter();
  #inBlock = 0;
  #before = '';
  #dataAt = 0;
  #positionsAt = 0;
  keys = 0;

  constructor(section: SectionWriter, index: SectionWriter) {
    this.#section = section;
    this.#index = index;
  }

  add({ key, count, bytes, positionBytes }: KeyEntry): void {
    if (this.#inBlock === BLOCK_KEYS) this.#endBlock();
    if (this.#inBlock === 0) {
      const entry = new ByteWriter(64);
      entry.text(key);
      for (const part of [this.#section.length, this.#dataAt, this.#positionsAt]) putLarge(entry, part);
      this.#index.append(entry.written);
      this.#before = '';
    }
    const shared = sharedPrefix(this.#before, key);
    this.#block.number(shared);
    this.#block.text(key.slice(shared));
    this.#block.number(count);
    this.#block.number(bytes);
    this.#block.number(positionBytes);
    this.#dataAt += bytes;
    this.#positionsAt += positionBytes;
    this.#before = key;
    this.#inBlock++;
    this.keys++;
  }

  #endBlock(): void {
    this.#section.append(this.#block.written);
    this.#block.clear();
    this.#inBlock = 0;
  }

  end(): void {
    if (this.#inBlock > 0) this.#endBlock();
  }
}

/** A section may have more than 2^31 bytes. */
function putLarge(writer: ByteWriter, value: number): void {
  writer.number(value % 2 ** 28);
  writer.number(Math.floor(value / 2 ** 28));
}

/** Never cuts a surrogate pair, because half of one has no UTF-8. */
export function sharedPrefix(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  if (length > 0 && (b.charCodeAt(length - 1) & 0xfc00) === 0xd800) length--;
  return length;
}
