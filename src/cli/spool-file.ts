/**
 * A temporary file for output whose size and digest must be known before its bytes are written elsewhere. In: pieces.
 * Out: size, CRC-32 and SHA-256, and the same bytes again.
 *
 * What always holds: the file has no name once it is open, so nothing is left behind, whatever happens to the process.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

export class ContentSums {
  bytes = 0;
  crc = 0;
  readonly #hash = createHash('sha256');

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.crc = crc32(chunk, this.crc);
    this.#hash.update(chunk);
  }

  /** The digest as `sha256:` and hexadecimal digits. Call it once, at the end. */
  digest(): string {
    return `sha256:${this.#hash.digest('hex')}`;
  }
}

/** Pieces are gathered to this size before they are written. */
const WRITE_BYTES = 64 * 1024;

export class SpoolFile {
  readonly sums = new ContentSums();
  readonly #handle: FileHandle;
  #pieces: Buffer[] = [];
  #waitingBytes = 0;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async create(): Promise<SpoolFile> {
    const folder = mkdtempSync(join(tmpdir(), 'orbweaver-'));
    try {
      return new SpoolFile(await open(join(folder, 'spool'), 'wx+', 0o600));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  async write(piece: Buffer): Promise<void> {
    this.sums.add(piece);
    this.#pieces.push(piece);
    this.#waitingBytes += piece.length;
    if (this.#waitingBytes >= WRITE_BYTES) await this.#flush();
  }

  /** All bytes, from the start. Nothing may be written afterwards. */
  async *content(): AsyncGenerator<Buffer> {
    await this.#flush();
    if (this.sums.bytes > 0) yield* this.#handle.createReadStream({ start: 0, autoClose: false });
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#waitingBytes = 0;
    await this.#handle.appendFile(bytes);
  }
}
