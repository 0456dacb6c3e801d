import { closeSync, openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { FILE_MODES } from '../../core/file-modes.ts';
import { compareForms } from './key-order.ts';
import { LineReader } from './line-reader.ts';
import { writeFully } from './run-file.ts';

const MAX_PIECES = 32;
const WINDOW_BYTES = 8 * 1024;
const WRITE_CHARS = 64 * 1024;
let count = 0;

interface Piece {
  readonly fd: number;
  readonly path: string;
  readonly bytes: number;
}

/** Sorts more names than fit in memory, by merging sorted files. Names are forms, one per line. */
export class NameSorter {
  readonly #folder: string;
  readonly #maxNames: number;
  #names: string[] = [];
  #pieces: Piece[] = [];

  constructor(folder: string, maxNames: number) {
    this.#folder = folder;
    this.#maxNames = maxNames;
  }

  add(name: string): void {
    this.#names.push(name);
    if (this.#names.length < this.#maxNames) return;
    this.#pieces.push(this.#write(this.#names.sort(compareForms)));
    this.#names = [];
    if (this.#pieces.length < MAX_PIECES) return;
    const pieces = this.#pieces;
    this.#pieces = [this.#write(merged(pieces))];
    for (const piece of pieces) remove(piece);
  }

  /** All names in order, without duplicates. Call `close` afterwards. */
  sorted(): Iterator<string> {
    const names = this.#names.sort(compareForms);
    if (this.#pieces.length === 0) return names[Symbol.iterator]();
    this.#pieces.push(this.#write(names));
    this.#names = [];
    return merged(this.#pieces);
  }

  close(): void {
    for (const piece of this.#pieces) remove(piece);
    this.#pieces = [];
  }

  #write(names: Iterable<string>): Piece {
    const path = join(this.#folder, `names-${process.pid}-${count++}`);
    const fd = openSync(path, 'w+', FILE_MODES.nobody);
    try {
      return { fd, path, bytes: writeNames(fd, names) };
    } catch (error) {
      // No file may stay: on a full disk the next sweeps try again.
      remove({ fd, path });
      throw error;
    }
  }
}

function writeNames(fd: number, names: Iterable<string>): number {
  let bytes = 0;
  let text = '';
  for (const name of names) {
    text += `${name}\n`;
    if (text.length < WRITE_CHARS) continue;
    bytes += writeFully(fd, Buffer.from(text, 'latin1'));
    text = '';
  }
  return bytes + writeFully(fd, Buffer.from(text, 'latin1'));
}

function* merged(pieces: readonly Piece[]): Generator<string> {
  const readers = pieces.map(({ fd, bytes }) => new LineReader(fd, 0, bytes, WINDOW_BYTES));
  const heads = readers.map((reader) => (reader.next() ? reader.text() : null));
  for (;;) {
    let least = -1;
    for (let at = 0; at < heads.length; at++) {
      const head = heads[at]!;
      if (head !== null && (least < 0 || head < heads[least]!)) least = at;
    }
    if (least < 0) return;
    const name = heads[least]!;
    yield name;
    for (let at = 0; at < heads.length; at++) {
      while (heads[at] === name) heads[at] = readers[at]!.next() ? readers[at]!.text() : null;
    }
  }
}

function remove({ fd, path }: Omit<Piece, 'bytes'>): void {
  closeSync(fd);
  try {
    unlinkSync(path);
  } catch {}
}
