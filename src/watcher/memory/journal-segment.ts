import { closeSync, fstatSync, ftruncateSync, openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { FILE_MODES } from '../../core/file-modes.ts';
import { syncFolderSync } from '../../core/sync-folder.ts';
import type { NotedChange } from './journal.ts';
import { LineReader } from './line-reader.ts';
import { DamagedMemory } from './memory-error.ts';
import { syncFile, writeFully } from './run-file.ts';

const WINDOW_BYTES = 64 * 1024;
const BISECT_BYTES = 16 * 1024;
/** The last number is first searched in this many bytes at the end of the file, and then in the whole file. */
const TAIL_BYTES = 256 * 1024;
const SEQ = /^\{"seq":(\d{1,15}),/;

/** One file of the journal, with one JSON line per change. */
export class JournalSegment {
  readonly firstSeq: number;
  readonly #path: string;
  readonly #fd: number;
  #lastSeq: number;
  #bytes: number;

  private constructor(path: string, fd: number, firstSeq: number, lastSeq: number, bytes: number) {
    this.#path = path;
    this.#fd = fd;
    this.firstSeq = firstSeq;
    this.#lastSeq = lastSeq;
    this.#bytes = bytes;
  }

  static create(folder: string, firstSeq: number): JournalSegment {
    const path = pathOf(folder, firstSeq);
    const fd = openSync(path, 'a+', FILE_MODES.nobody);
    ftruncateSync(fd, 0);
    syncFolderSync(folder);
    return new JournalSegment(path, fd, firstSeq, firstSeq - 1, 0);
  }

  static open(folder: string, firstSeq: number): JournalSegment {
    const path = pathOf(folder, firstSeq);
    const fd = openSync(path, 'a+', FILE_MODES.nobody);
    const { size } = fstatSync(fd);
    const { lastSeq, bytes } = lastOf(fd, size) ?? { lastSeq: firstSeq - 1, bytes: 0 };
    if (lastSeq < firstSeq - 1) throw new DamagedMemory('the journal is out of order');
    if (bytes < size) ftruncateSync(fd, bytes);
    return new JournalSegment(path, fd, firstSeq, lastSeq, bytes);
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get bytes(): number {
    return this.#bytes;
  }

  async append(changes: readonly NotedChange[]): Promise<void> {
    const lines = Buffer.from(changes.map((change) => `${JSON.stringify(change)}\n`).join(''), 'utf8');
    try {
      writeFully(this.#fd, lines);
      await syncFile(this.#fd, false);
    } catch (error) {
      // A full disk may leave half a batch. Changes that were not reported must not stay in the file either.
      ftruncateSync(this.#fd, this.#bytes);
      throw error;
    }
    this.#bytes += lines.length;
    this.#lastSeq += changes.length;
  }

  /** The changes after a number, up to the end of the file at the time of the call. */
  *read(after: number): Generator<NotedChange> {
    const reader = new LineReader(this.#fd, this.#seek(after), this.#bytes, WINDOW_BYTES);
    while (reader.next()) {
      let change: NotedChange;
      try {
        change = JSON.parse(reader.bytes.toString('utf8', reader.start, reader.end));
      } catch {
        throw new DamagedMemory('the journal has an invalid line');
      }
      if (change.seq > after) yield change;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  remove(): void {
    this.close();
    unlinkSync(this.#path);
  }

  /** The start of a line at or before the first change after `after`. */
  #seek(after: number): number {
    if (after < this.firstSeq) return 0;
    const reader = new LineReader(this.#fd, 0, this.#bytes, BISECT_BYTES);
    let low = 0;
    let high = this.#bytes;
    while (high - low > BISECT_BYTES) {
      const middle = Math.floor((low + high) / 2);
      reader.seek(middle);
      if (!reader.next() || reader.nextOffset >= high || !reader.next() || seqOf(reader) > after) high = middle;
      else low = reader.offset;
    }
    return low;
  }
}

function pathOf(folder: string, firstSeq: number): string {
  return join(folder, `journal-${firstSeq}.jsonl`);
}

function seqOf(reader: LineReader): number {
  const seq = SEQ.exec(reader.bytes.toString('latin1', reader.start, Math.min(reader.end, reader.start + 32)))?.[1];
  if (seq === undefined) throw new DamagedMemory('the journal has a line without a number');
  return Number(seq);
}

/** The number of the last whole line and the offset of its end; null if there is no whole line. */
function lastOf(fd: number, size: number): { readonly lastSeq: number; readonly bytes: number } | null {
  for (const from of size > TAIL_BYTES ? [size - TAIL_BYTES, 0] : [0]) {
    const reader = new LineReader(fd, from, size, WINDOW_BYTES);
    if (from > 0) reader.next();
    let lastSeq: number | null = null;
    let bytes = 0;
    while (reader.next()) {
      lastSeq = seqOf(reader);
      bytes = reader.nextOffset;
    }
    if (lastSeq !== null) return { lastSeq, bytes };
  }
  return null;
}
