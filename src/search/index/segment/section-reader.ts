/** A section of a finished segment. Any part of it can be read. */
import { ROW_BYTES } from './section-writer.ts';

export type ReadRow = (row: number) => Uint8Array;

export class SectionReader {
  readonly #readRow: ReadRow;
  readonly length: number;
  #row = -1;
  #bytes: Uint8Array = new Uint8Array(0);

  constructor(length: number, readRow: ReadRow) {
    this.length = length;
    this.#readRow = readRow;
  }

  /** The bytes may be a view of a row that later reads return again; nobody writes to them. */
  read(from: number, to: number): Uint8Array {
    const first = Math.floor(from / ROW_BYTES);
    const last = Math.floor((to - 1) / ROW_BYTES);
    if (to <= from) return new Uint8Array(0);
    if (first === last) return this.#rowAt(first).subarray(from - first * ROW_BYTES, to - first * ROW_BYTES);
    const bytes = new Uint8Array(to - from);
    for (let row = first; row <= last; row++) {
      const start = row * ROW_BYTES;
      const part = this.#rowAt(row).subarray(Math.max(0, from - start), Math.min(ROW_BYTES, to - start));
      bytes.set(part, Math.max(0, start - from));
    }
    return bytes;
  }

  /** What the row with this byte has from there on. */
  readRow(from: number): Uint8Array {
    const row = Math.floor(from / ROW_BYTES);
    return this.#rowAt(row).subarray(from - row * ROW_BYTES);
  }

  /** Neighbouring keys are often in one row. */
  #rowAt(row: number): Uint8Array {
    if (row !== this.#row) {
      this.#bytes = this.#readRow(row);
      this.#row = row;
    }
    return this.#bytes;
  }
}
