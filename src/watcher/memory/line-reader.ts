import { readSync } from 'node:fs';

const LINE_END = 0x0a;
/** The watcher writes no longer line. A file with a longer line was not written by the watcher. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/**
 * Reads the lines of a file in order, through one buffer. After `next()` the line is in `bytes` from
 * `start` to `end`, without its line end, until the next call. Reads are synchronous, because the data was
 * written recently and is in the page cache.
 */
export class LineReader {
  bytes: Buffer;
  start = 0;
  end = 0;
  readonly #fd: number;
  #filled = 0;
  /** `#base` is the file offset of the buffer; `#next` is the place of the next line in the buffer. */
  #base = 0;
  #next = 0;
  #limit: number;

  constructor(fd: number, offset: number, limit: number, windowBytes: number) {
    this.#fd = fd;
    this.#limit = limit;
    this.#base = offset;
    this.bytes = Buffer.allocUnsafeSlow(windowBytes);
  }

  /** The file offset of the line that `next()` returned last. */
  get offset(): number {
    return this.#base + this.start;
  }

  /** The file offset of the following line. */
  get nextOffset(): number {
    return this.#base + this.#next;
  }

  seek(offset: number, limit = this.#limit): void {
    this.#limit = limit;
    this.#base = offset;
    this.#filled = 0;
    this.#next = 0;
  }

  /** False at the end. A last line without a line end does not count. */
  next(): boolean {
    let from = this.#next;
    for (;;) {
      const at = from < this.#filled ? this.bytes.indexOf(LINE_END, from) : -1;
      // Bytes after `#filled` are old content of the buffer.
      if (at >= 0 && at < this.#filled) {
        this.start = this.#next;
        this.end = at;
        this.#next = at + 1;
        return true;
      }
      from = this.#filled - this.#next;
      if (!this.#fill()) return false;
    }
  }

  text(): string {
    return this.bytes.toString('latin1', this.start, this.end);
  }

  #fill(): boolean {
    const kept = this.#filled - this.#next;
    if (this.#next > 0) {
      this.bytes.copyWithin(0, this.#next, this.#filled);
      this.#base += this.#next;
      this.#next = 0;
      this.#filled = kept;
    }
    if (kept === this.bytes.length) {
      if (kept >= MAX_LINE_BYTES) return false;
      const larger = Buffer.allocUnsafeSlow(kept * 4);
      this.bytes.copy(larger, 0, 0, kept);
      this.bytes = larger;
    }
    const wanted = Math.min(this.bytes.length - kept, this.#limit - this.#base - kept);
    if (wanted <= 0) return false;
    const got = readSync(this.#fd, this.bytes, kept, wanted, this.#base + kept);
    this.#filled += got;
    return got > 0;
  }
}
