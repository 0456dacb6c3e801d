import { readSync } from 'node:fs';

const LINE_END = 0x0a;
/** No line of ours is longer: a file with such a line is none of ours. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/**
 * The lines of a file, one after the other, through one buffer. After `next()` the line lies in `bytes` from `start` to `end`, without its
 * line end, until the next call. Reads are not awaited: what is read was written a while ago and lies in the page cache.
 */
export class LineReader {
  bytes: Buffer;
  start = 0;
  end = 0;
  readonly #fd: number;
  #filled = 0;
  /** Where in the file the buffer begins, and where in the buffer the next line does. */
  #base = 0;
  #next = 0;
  #limit: number;

  constructor(fd: number, offset: number, limit: number, windowBytes: number) {
    this.#fd = fd;
    this.#limit = limit;
    this.#base = offset;
    this.bytes = Buffer.allocUnsafeSlow(windowBytes);
  }

  /** Where in the file the line begins that `next()` gave last. */
  get offset(): number {
    return this.#base + this.start;
  }

  /** Where the line after it begins. */
  get nextOffset(): number {
    return this.#base + this.#next;
  }

  seek(offset: number, limit = this.#limit): void {
    this.#limit = limit;
    this.#base = offset;
    this.#filled = 0;
    this.#next = 0;
  }

  /** False at the end. A last line without a line end is none. */
  next(): boolean {
    let from = this.#next;
    for (;;) {
      const at = from < this.#filled ? this.bytes.indexOf(LINE_END, from) : -1;
      // Behind what is filled lies what the buffer held before.
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
