/**
 * A section of a segment while it is written: an array of bytes that is cut into rows of the database. Rows of a
 * segment that was never finished are removed when the index is opened for writing.
 */
import { ByteWriter } from './byte-writer.ts';

/**
 * A row fills one page of the file (index-database.ts): a reader of a few bytes reads one page. SQLite keeps 40 bytes
 * of a page of 16,384 for itself; a row that is larger would take a second page.
 */
export const ROW_BYTES = 16_340;

export const SECTIONS = ['pages', 'positions', 'dictionary', 'dictionaryIndex', 'columns', 'links', 'urls'] as const;
export type Section = (typeof SECTIONS)[number];

/** Sections that are read rarely are compressed. */
export const COMPRESSED: ReadonlySet<Section> = new Set<Section>(['urls']);

export type PutRow = (row: number, bytes: Uint8Array) => void;

export class SectionWriter {
  readonly #put: PutRow;
  readonly #open = new ByteWriter(2 * ROW_BYTES);
  #rows = 0;
  length = 0;

  constructor(put: PutRow) {
    this.#put = put;
  }

  append(bytes: Uint8Array): void {
    this.length += bytes.length;
    this.#open.append(bytes);
    if (this.#open.length < ROW_BYTES) return;
    const { written } = this.#open;
    let at = 0;
    for (; at + ROW_BYTES <= written.length; at += ROW_BYTES)
      this.#put(this.#rows++, written.subarray(at, at + ROW_BYTES));
    const rest = written.slice(at);
    this.#open.clear();
    this.#open.append(rest);
  }

  end(): void {
    if (this.#open.length > 0) this.#put(this.#rows++, this.#open.written);
    this.#open.clear();
  }
}
