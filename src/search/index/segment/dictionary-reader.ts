/**
 * Finds keys in the dictionary of a segment. The index of the blocks is in memory: one key in 64. A look-up reads one
 * block.
 */
import type { SectionReader } from '../database/section-reader.ts';
import { ByteReader } from './byte-writer.ts';
import { BLOCK_KEYS, type KeyEntry } from './dictionary-writer.ts';

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
    for (const found of this.#read(block)) {
      if (found.key === key) return found;
      if (found.key > key) return null;
    }
    return null;
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

  #read(block: number): FoundKey[] {
    const start = this.#starts[block] as number;
    const reader = new ByteReader(this.#section.read(start, this.#starts[block + 1] ?? this.#section.length));
    const left = this.#keys - block * BLOCK_KEYS;
    const found: FoundKey[] = [];
    let at = this.#dataStarts[block] as number;
    let positionsAt = this.#positionStarts[block] as number;
    let before = '';
    for (let i = Math.min(BLOCK_KEYS, left); i > 0; i--) {
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
