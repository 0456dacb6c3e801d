/**
 * Follows the access log of a web server, from its end at the start, or from the place where an earlier run stopped.
 * In: bytes. Out: whole lines. What always holds: no line is delivered twice or in parts, also when the log is rotated
 * or truncated; a line that is too long is left out.
 */

import { constants } from 'node:fs';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { systemClock } from '../../core/clock.ts';
import { OrbweaverError } from '../../core/errors.ts';
import { SerialQueue } from '../memory/serial-queue.ts';
import { repeat } from '../pace/repeat.ts';
import { replaceJson } from '../report/replace-file.ts';

const CHUNK_BYTES = 65_536;
const MAX_LINE_BYTES = 16_384;
/** Limit of one read; the rest waits for the next one. */
const MAX_READ_BYTES = 64_000_000;
/**
 * The last bytes that were read are compared again. A log that was truncated and has grown
 * past our offset is detected by them.
 */
const MARK_BYTES = 64;

const DEFAULTS = {
  everyMs: 1_000,
  /**
   * The file that stores the place in the log between runs, for a watcher that does
   * not run all the time; null for none.
   */
  placeFile: null as string | null,
  clock: systemClock,
  onFault: (_error: unknown): void => undefined,
};
export type AccessLogOptions = Readonly<typeof DEFAULTS>;

export class AccessLog {
  readonly #file: string;
  readonly #onLine: (line: string) => void | Promise<void>;
  readonly #options: AccessLogOptions;
  #handle: FileHandle | null = null;
  #offset = 0;
  #mark: Buffer = Buffer.alloc(0);
  /** The beginning of a line whose end has not arrived yet. */
  #rest: Buffer = Buffer.alloc(0);
  #isTooLong = false;
  #cancel: (() => void) | null = null;
  readonly #turns = new SerialQueue();

  constructor(file: string, onLine: (line: string) => void | Promise<void>, options: Partial<AccessLogOptions> = {}) {
    this.#file = file;
    this.#onLine = onLine;
    this.#options = { ...DEFAULTS, ...options };
  }

  /** Waits for a log that does not exist yet. */
  async start(): Promise<void> {
    const size = await this.#open();
    await this.#begin(await this.#firstPlace(size));
    const { clock, everyMs, onFault } = this.#options;
    this.#cancel = repeat(clock, everyMs, () => this.poll(), onFault);
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    this.#cancel = null;
    await this.#turns.idle();
    await this.#keepPlace().catch(this.#options.onFault);
    await this.#close();
  }

  poll(): Promise<void> {
    return this.#turns.take(() => this.#poll());
  }

  async #poll(): Promise<void> {
    if (this.#handle !== null) {
      if (!(await this.#isSameContent())) await this.#begin(0);
      await this.#read(this.#handle);
      if (!(await this.#isRotated(this.#handle))) return;
      await this.#close();
    }
    await this.#open();
    await this.#begin(0);
    if (this.#handle !== null) await this.#read(this.#handle);
  }

  /** If the log is a different one now, it was rotated and is read from its beginning. */
  async #firstPlace(size: number): Promise<number> {
    const { placeFile } = this.#options;
    if (placeFile === null || this.#handle === null) return size;
    const kept = await readPlace(placeFile);
    if (kept === null) return size;
    const isSame = kept.offset <= size && (await this.#bytesBefore(kept.offset, MARK_BYTES)).equals(kept.mark);
    return isSame ? kept.offset : 0;
  }

  /** An incomplete line will be read again. */
  async #keepPlace(): Promise<void> {
    const { placeFile } = this.#options;
    if (placeFile === null) return;
    const offset = this.#handle === null ? 0 : this.#offset - this.#rest.length;
    const mark = (await this.#bytesBefore(offset, MARK_BYTES)).toString('base64');
    await replaceJson(placeFile, { offset, mark });
  }

  /** Returns the size; 0 if there is no log. */
  async #open(): Promise<number> {
    try {
      // A pipe or a terminal has no end, and opening it must not block.
      const handle = await open(this.#file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
      const found = await handle.stat();
      if (!found.isFile()) {
        await handle.close();
        throw new OrbweaverError(
          'ERR_BAD_OPTION',
          `--access-log ${this.#file} is not a regular file; name the log file of the web server`,
        );
      }
      this.#handle = handle;
      return found.size;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
      if (error instanceof OrbweaverError) throw error;
      const why = (error as Error).message;
      throw new OrbweaverError('ERR_DIR', `--access-log ${this.#file} cannot be read: ${why}`, { cause: error });
    }
  }

  async #close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = null;
    await handle?.close();
  }

  async #begin(offset: number): Promise<void> {
    this.#rest = Buffer.alloc(0);
    // In the middle of a line, the rest of that line is skipped.
    this.#isTooLong = offset > 0 && (await this.#bytesBefore(offset, 1)).toString() !== '\n';
    this.#offset = offset;
    this.#mark = await this.#bytesBefore(offset, MARK_BYTES);
  }

  async #isRotated(handle: FileHandle): Promise<boolean> {
    const [ours, there] = [await handle.stat(), await stat(this.#file).catch(() => null)];
    return there !== null && (there.ino !== ours.ino || there.dev !== ours.dev);
  }

  async #isSameContent(): Promise<boolean> {
    const { size } = await this.#handle!.stat();
    return size >= this.#offset && (await this.#bytesBefore(this.#offset, this.#mark.length)).equals(this.#mark);
  }

  async #bytesBefore(offset: number, most: number): Promise<Buffer> {
    const length = Math.min(most, offset);
    if (this.#handle === null || length === 0) return Buffer.alloc(0);
    const { bytesRead, buffer } = await this.#handle.read(Buffer.alloc(length), 0, length, offset - length);
    return buffer.subarray(0, bytesRead);
  }

  async #read(handle: FileHandle): Promise<void> {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let total = 0; total < MAX_READ_BYTES; ) {
      const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, this.#offset);
      if (bytesRead === 0) break;
      total += bytesRead;
      this.#offset += bytesRead;
      this.#mark = Buffer.concat([this.#mark, chunk.subarray(0, bytesRead)]).subarray(-MARK_BYTES);
      await this.#split(chunk.subarray(0, bytesRead));
    }
    // Copies the bytes, so that the larger buffer can be freed.
    this.#mark = Buffer.from(this.#mark);
  }

  async #split(bytes: Buffer): Promise<void> {
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      const length = this.#rest.length + end - from;
      const line = Buffer.concat([this.#rest, bytes.subarray(from, end)]).toString('latin1');
      if (!this.#isTooLong && length <= MAX_LINE_BYTES)
        await this.#onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
      this.#rest = Buffer.alloc(0);
      this.#isTooLong = false;
      from = end + 1;
    }
    const rest = bytes.subarray(from);
    this.#isTooLong ||= this.#rest.length + rest.length > MAX_LINE_BYTES;
    this.#rest = this.#isTooLong ? Buffer.alloc(0) : Buffer.concat([this.#rest, rest]);
  }
}

/** Null if the file is missing or unreadable. */
async function readPlace(file: string): Promise<{ readonly offset: number; readonly mark: Buffer } | null> {
  try {
    const { offset, mark } = JSON.parse(await readFile(file, 'utf8')) as { offset: number; mark: string };
    return Number.isSafeInteger(offset) && offset >= 0 ? { offset, mark: Buffer.from(mark, 'base64') } : null;
  } catch {
    return null;
  }
}
