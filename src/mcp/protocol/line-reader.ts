/**
 * Cuts a stream of bytes into lines. What always holds: a line that is too long costs no memory. It is skipped to its
 * end and reported once.
 */
export class LineReader {
  readonly #mostBytes: number;
  readonly #onLine: (line: Buffer) => void;
  readonly #onTooLong: () => void;
  #parts: Buffer[] = [];
  #bytes = 0;
  #skips = false;

  constructor(mostBytes: number, onLine: (line: Buffer) => void, onTooLong: () => void) {
    this.#mostBytes = mostBytes;
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
  }

  take(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#add(chunk.subarray(start, end));
      this.#endLine();
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
  }

  /** The stream has ended. Its last line need not end with a line break. */
  end(): void {
    if (this.#bytes > 0) this.#endLine();
  }

  #add(part: Buffer): void {
    if (this.#skips || part.length === 0) return;
    this.#bytes += part.length;
    if (this.#bytes <= this.#mostBytes) {
      this.#parts.push(part);
      return;
    }
    this.#skips = true;
    this.#parts = [];
    this.#onTooLong();
  }

  #endLine(): void {
    const line = Buffer.concat(this.#parts);
    const wasSkipped = this.#skips;
    this.#parts = [];
    this.#bytes = 0;
    this.#skips = false;
    if (!wasSkipped && line.length > 0) this.#onLine(line);
  }
}
