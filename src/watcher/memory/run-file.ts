import { closeSync, fdatasync, fstatSync, fsync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { FILE_MODES } from '../../core/file-modes.ts';
import type { WatchedPage } from '../records.ts';
import { LineReader } from './line-reader.ts';
import { DamagedMemory } from './memory-error.ts';
import { compareLine, goneLine, isGoneLine, keyEnd, lineForm, pageLine, readPageLine } from './page-line.ts';

const WRITE_BYTES = 64 * 1024;
const CURSOR_BYTES = 64 * 1024;
/** Below this size the bisection stops and lines are compared one by one. */
const BISECT_BYTES = 4 * 1024;
const END = '{"end":';

/** The manifest's entry for a run. It is enough to detect a truncated file. */
export interface RunRecord {
  readonly name: string;
  readonly bytes: number;
  readonly lines: number;
}

/** Writes pages once, in the order of their forms. */
export class RunWriter {
  readonly name: string;
  readonly #path: string;
  readonly #fd: number;
  readonly #buffer = Buffer.allocUnsafeSlow(WRITE_BYTES);
  #used = 0;
  #bytes = 0;
  #lines = 0;

  constructor(folder: string, name: string) {
    this.name = name;
    this.#path = join(folder, name);
    this.#fd = openSync(this.#path, 'w', FILE_MODES.nobody);
  }

  add(page: WatchedPage): void {
    this.#addText(pageLine(page));
  }

  addGone(form: string): void {
    this.#addText(goneLine(form));
  }

  /** Copies a line from another run. */
  copy(bytes: Buffer, start: number, end: number): void {
    const length = end - start + 1;
    if (length > WRITE_BYTES) {
      this.#addText(bytes.toString('latin1', start, end));
      return;
    }
    if (this.#used + length > WRITE_BYTES) this.#flush();
    bytes.copy(this.#buffer, this.#used, start, end);
    this.#buffer[this.#used + length - 1] = 0x0a;
    this.#used += length;
    this.#lines++;
  }

  async finish(): Promise<RunRecord> {
    this.#write(`${END}${this.#lines}}`);
    this.#flush();
    await syncFile(this.#fd);
    closeSync(this.#fd);
    return { name: this.name, bytes: this.#bytes, lines: this.#lines };
  }

  /** Called after any failure. It leaves no file behind. */
  abandon(): void {
    try {
      closeSync(this.#fd);
    } catch {}
    try {
      unlinkSync(this.#path);
    } catch {}
  }

  #addText(line: string): void {
    this.#write(line);
    this.#lines++;
  }

  #write(line: string): void {
    const length = line.length + 1;
    if (this.#used + length > WRITE_BYTES) this.#flush();
    if (length > WRITE_BYTES) {
      this.#bytes += writeFully(this.#fd, Buffer.from(`${line}\n`, 'latin1'));
      return;
    }
    this.#buffer.write(line, this.#used, 'latin1');
    this.#buffer[this.#used + length - 1] = 0x0a;
    this.#used += length;
  }

  #flush(): void {
    if (this.#used === 0) return;
    this.#bytes += writeFully(this.#fd, this.#buffer.subarray(0, this.#used));
    this.#used = 0;
  }
}

/** The file is on the disk when the promise resolves. The sync does not run on the thread that serves requests. */
export function syncFile(fd: number, withSize = true): Promise<void> {
  return new Promise((resolve, reject) => {
    (withSize ? fsync : fdatasync)(fd, (error) => (error ? reject(error) : resolve()));
  });
}

export function writeFully(fd: number, bytes: Buffer): number {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
  return bytes.length;
}

/** A sorted file of pages that never changes. */
export class RunFile {
  readonly record: RunRecord;
  readonly #path: string;
  readonly #fd: number;
  readonly #endsAt: number;
  readonly #bisector: LineReader;

  private constructor(path: string, fd: number, record: RunRecord, endsAt: number) {
    this.#path = path;
    this.#fd = fd;
    this.record = record;
    this.#endsAt = endsAt;
    this.#bisector = new LineReader(fd, 0, endsAt, BISECT_BYTES);
  }

  static open(folder: string, record: RunRecord): RunFile {
    const path = join(folder, record.name);
    const fd = openSync(path, 'r');
    const end = `${END}${record.lines}}\n`;
    const tail = Buffer.alloc(end.length);
    const endsAt = record.bytes - end.length;
    const isWhole =
      fstatSync(fd).size === record.bytes &&
      readSync(fd, tail, 0, tail.length, Math.max(0, endsAt)) === tail.length &&
      tail.toString('latin1') === end;
    if (isWhole) return new RunFile(path, fd, record, endsAt);
    closeSync(fd);
    throw new DamagedMemory(`the content of ${record.name} has changed`);
  }

  /** Starts at the first page whose form is `form` or sorts after it. */
  cursor(form: string, windowBytes = CURSOR_BYTES): RunCursor {
    const offset = this.#seek(form);
    return new RunCursor(this.#fd, offset, this.#endsAt, windowBytes, offset === 0 ? this.record.lines : null);
  }

  /** Undefined if the run does not contain the page; null if the run says that the page is deleted. */
  find(form: string): WatchedPage | null | undefined {
    const reader = this.#bisector;
    reader.seek(this.#seek(form));
    if (!reader.next() || compareLine(reader.bytes, reader.start, reader.end, form) !== 0) return undefined;
    const quoteAt = keyEnd(reader.bytes, reader.start, reader.end);
    if (isGoneLine(reader.bytes, quoteAt)) return null;
    const page = readPageLine(reader.text());
    if (page === null) throw new DamagedMemory(`${this.record.name} has an invalid line`);
    return page;
  }

  close(): void {
    closeSync(this.#fd);
  }

  remove(): void {
    this.close();
    try {
      unlinkSync(this.#path);
    } catch {}
  }

  #seek(form: string): number {
    const reader = this.#bisector;
    let low = 0;
    let high = this.#endsAt;
    let found = this.#endsAt;
    while (high - low > BISECT_BYTES) {
      const middle = Math.floor((low + high) / 2);
      reader.seek(middle);
      // The middle is inside a line. The rest of that line is skipped, and the next line is compared.
      if (!reader.next() || reader.nextOffset >= high || !reader.next()) {
        high = middle;
      } else if (compareLine(reader.bytes, reader.start, reader.end, form) < 0) {
        low = reader.offset;
      } else {
        found = reader.offset;
        high = middle;
      }
    }
    reader.seek(low);
    while (reader.nextOffset < found && reader.next()) {
      if (compareLine(reader.bytes, reader.start, reader.end, form) >= 0) return reader.offset;
    }
    return found;
  }
}

/** Iterates over the pages of one run in order. It stands on one page; `form` is null after the last page. */
export class RunCursor {
  form: string | null = null;
  readonly reader: LineReader;
  quoteAt = 0;
  /** The number of lines to expect; null if the cursor did not begin at the first line. */
  readonly #lines: number | null;
  #met = 0;

  constructor(fd: number, offset: number, endsAt: number, windowBytes: number, lines: number | null) {
    this.#lines = lines;
    this.reader = new LineReader(fd, offset, endsAt, windowBytes);
    this.next();
  }

  next(): void {
    const { reader } = this;
    if (!reader.next()) {
      if (this.#lines !== null && this.#met !== this.#lines)
        throw new DamagedMemory('a file of pages is missing lines');
      this.form = null;
      return;
    }
    this.#met++;
    this.quoteAt = keyEnd(reader.bytes, reader.start, reader.end);
    if (this.quoteAt < 0) throw new DamagedMemory('a file of pages has an invalid line');
    const form = lineForm(reader.bytes, reader.start, this.quoteAt);
    if (this.form !== null && form <= this.form) throw new DamagedMemory('a file of pages is out of order');
    this.form = form;
  }

  get isGone(): boolean {
    return isGoneLine(this.reader.bytes, this.quoteAt);
  }

  page(): WatchedPage {
    const page = readPageLine(this.reader.text());
    if (page === null) throw new DamagedMemory('a file of pages has an invalid line');
    return page;
  }
}
