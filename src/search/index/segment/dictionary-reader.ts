/**
 * Finds keys in the dictionary of a segment. The index of the blocks is in memory: one key in 64. A look-up reads one
 * block.
 */

import { ByteReader } from './byte-writer.ts';
import { BLOCK_KEYS, type KeyEntry } from './dictionary-writer.ts';
import type { SectionReader } from './section-reader.ts';

/** A key, and where its data begins in both sections. */
export interface FoundKey extends KeyEntry {
  readonly at: number;
  readonly positionsAt: number;
}

export class DictionaryReader {
  readonly #section: SectionReader;
  readonly #keys: number;
  /** By block: the first key, and where the block and the data of its keys begin. */
  readonly #firstKeys: string[] = [];
  readonly #starts: number[] = [];
  readonly #dataStarts: number[] = [];
  readonly #positionStarts: number[] = [];

  constructor(section: SectionReader, index: SectionReader, keys: number) {
    this.#section = section;
    this.#keys = keys;
    const reader = new ByteReader(index.read(0, index.length));
    const large = (): number => reader.number() + reader.number() * 2 ** 28;
    while (reader.at < reader.bytes.length) {
      this.#firstKeys.push(reader.text());
      this.#starts.push(large());
      this.#dataStarts.push(large());
      this.#positionStarts.push(large());
    }
  }

  get size(): number {
    return this.#keys;
  }

  find(key: string): FoundKey | null {
    const block = this.#blockOf(key);
    if (block < 0) return null;
    return new WantedKey(key).findIn(this.#blockReader(block), this.#keysIn(block), {
      at: this.#dataStarts[block] as number,
      positionsAt: this.#positionStarts[block] as number,
    });
  }

  /** All keys from this one on, in ascending order. */
  *from(key: string): Generator<FoundKey> {
    for (let block = Math.max(0, this.#blockOf(key)); block < this.#firstKeys.length; block++) {
      for (const found of this.#read(block)) if (found.key >= key) yield found;
    }
  }

  /** The last block whose first key is not greater; -1 if there is none. */
  #blockOf(key: string): number {
    let low = 0;
    let high = this.#firstKeys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#firstKeys[middle] as string) <= key) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #blockReader(block: number): ByteReader {
    const start = this.#starts[block] as number;
    return new ByteReader(this.#section.read(start, this.#starts[block + 1] ?? this.#section.length));
  }

  #keysIn(block: number): number {
    return Math.min(BLOCK_KEYS, this.#keys - block * BLOCK_KEYS);
  }

  #read(block: number): FoundKey[] {
    const reader = this.#blockReader(block);
    const found: FoundKey[] = [];
    let at = this.#dataStarts[block] as number;
    let positionsAt = this.#positionStarts[block] as number;
    let before = '';
    for (let i = this.#keysIn(block); i > 0; i--) {
      const shared = reader.number();
      const key = before.slice(0, shared) + reader.text();
      const [count, bytes, positionBytes] = [reader.number(), reader.number(), reader.number()];
      found.push({ key, count, bytes, positionBytes, at, positionsAt });
      at += bytes;
      positionsAt += positionBytes;
      before = key;
    }
    return found;
  }
}

/** From here on, the order of UTF-8 differs from that of UTF-16 code units, in which keys are sorted. */
const FIRST_UNORDERED = 0xee;

/**
 * A key that is looked for in a block. Keys are compared with it as they are stored: no text is made for any of them. A
 * look-up takes a tenth of the time that reading the block takes.
 */
class WantedKey {
  readonly #key: string;
  readonly #bytes: Uint8Array;
  /** By code unit of the key: where its bytes begin. */
  readonly #starts: Uint32Array;

  constructor(key: string) {
    this.#key = key;
    this.#bytes = Buffer.from(key, 'utf8');
    this.#starts = new Uint32Array(key.length + 1);
    let at = 0;
    for (let unit = 0; unit < key.length; unit++) {
      this.#starts[unit] = at;
      at += utf8Bytes(key.charCodeAt(unit));
    }
    this.#starts[key.length] = at;
  }

  findIn(reader: ByteReader, keys: number, data: { at: number; positionsAt: number }): FoundKey | null {
    let { at, positionsAt } = data;
    /** The code units at the beginning of the last key that are those of the wanted one. */
    let same = 0;
    let isEqual = false;
    for (let i = 0; i < keys; i++) {
      const shared = reader.number();
      const length = reader.number();
      const from = reader.at;
      reader.at += length;
      const [count, bytes, positionBytes] = [reader.number(), reader.number(), reader.number()];
      // With more shared units, the key differs where the one before it differs.
      if (shared <= same) {
        const start = this.#starts[shared] as number;
        const common = this.#commonBytes(reader.bytes, from, length, start);
        isEqual = common === length && start + common === this.#bytes.length;
        if (!isEqual && this.#isBefore(reader.bytes, from + common, common === length, start + common)) return null;
        for (same = shared; same < this.#key.length && (this.#starts[same + 1] as number) <= start + common; ) same++;
      } else isEqual = false;
      if (isEqual) return { key: this.#key, count, bytes, positionBytes, at, positionsAt };
      at += bytes;
      positionsAt += positionBytes;
    }
    return null;
  }

  #commonBytes(bytes: Uint8Array, from: number, length: number, start: number): number {
    const most = Math.min(length, this.#bytes.length - start);
    let common = 0;
    while (common < most && bytes[from + common] === this.#bytes[start + common]) common++;
    return common;
  }

  /** Whether the wanted key is surely smaller than a key whose first different byte is at `at`. */
  #isBefore(bytes: Uint8Array, at: number, isEnd: boolean, own: number): boolean {
    if (isEnd) return false;
    if (own === this.#bytes.length) return true;
    const [theirs, ours] = [bytes[at] as number, this.#bytes[own] as number];
    return ours < theirs && theirs < FIRST_UNORDERED;
  }
}

/** The second half of a pair takes no bytes: the first one takes all four. */
function utf8Bytes(unit: number): number {
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  if ((unit & 0xf800) !== 0xd800) return 3;
  return (unit & 0xfc00) === 0xd800 ? 4 : 0;
}
