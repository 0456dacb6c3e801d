/**
 * Reads the bytes of one archive file from start to end through a window, at the allowed rate. What always holds: at
 * most one window is in memory, or one record if it is larger.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { archiveError } from '../archive/archive-error.ts';
import { readIntoAsync } from '../archive/read-bytes.ts';
import type { Clock } from '../core/clock.ts';

const WINDOW_BYTES = 1024 * 1024;

/** Waits until this many more bytes may be read. */
export type Pace = (bytes: number) => Promise<void>;

export class FileBytes {
  readonly #handle: FileHandle;
  readonly #name: string;
  readonly #pace: Pace;
  #window: Buffer = Buffer.alloc(0);
  #start = 0;
  /** Bytes at or after this offset are not read. */
  readonly endOffset: number;

  private constructor(handle: FileHandle, name: string, endOffset: number, pace: Pace) {
    this.#handle = handle;
    this.#name = name;
    this.endOffset = endOffset;
    this.#pace = pace;
  }

  /** Returns null if the file does not exist. `committedBytes` is the length of the file in the store. */
  static async open(path: string, name: string, committedBytes: number, pace: Pace): Promise<FileBytes | null> {
    let handle: FileHandle;
    try {
      handle = await open(path, 'r');
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw archiveError(`cannot open archive file ${name}`, cause);
    }
    const { size } = await handle.stat();
    const bytes = new FileBytes(handle, name, Math.min(size, committedBytes), pace);
    bytes.sizeBytes = size;
    return bytes;
  }

  sizeBytes = 0;

  /** Returns up to `count` bytes; fewer only at `endOffset`. The returned bytes stay valid after further reads. */
  async at(position: number, count: number): Promise<Buffer> {
    const wanted = Math.max(0, Math.min(count, this.endOffset - position));
    const from = position - this.#start;
    if (from < 0 || from + wanted > this.#window.length) await this.#read(position, wanted);
    const start = position - this.#start;
    return this.#window.subarray(start, start + wanted);
  }

  /** Returns all buffered bytes from this position on, but at least `atLeast` bytes. */
  async around(position: number, atLeast: number): Promise<Buffer> {
    const have = this.#start + this.#window.length - position;
    return this.at(position, Math.max(atLeast, have > 0 && position >= this.#start ? have : 0));
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #read(position: number, atLeast: number): Promise<void> {
    const size = Math.min(Math.max(WINDOW_BYTES, atLeast), this.endOffset - position);
    const window = Buffer.allocUnsafe(size);
    // Bytes that are already in the window are not read again.
    const kept = position >= this.#start ? this.#window.subarray(position - this.#start) : Buffer.alloc(0);
    const filled = kept.copy(window, 0, 0, Math.min(kept.length, size));
    await this.#pace(size - filled);
    this.#window = await readIntoAsync(window, this.#handle, position, filled).catch((cause) => {
      throw archiveError(`cannot read archive file ${this.#name}`, cause);
    });
    this.#start = position;
  }
}

/** Shorter sleeps are postponed, because a timer is not precise enough. */
const LEAST_SLEEP_MS = 5;
/** A longer delay is not made up for: a burst of reads would disturb a crawl that runs at the same time. */
const MAX_BEHIND_MS = 100;

/** Limits the read rate. */
export function paceOf(bytesPerSecond: number | null, clock: Pick<Clock, 'now' | 'after'>): Pace {
  if (bytesPerSecond === null) return async () => {};
  let freeAtMs = clock.now();
  return async (bytes) => {
    const nowMs = clock.now();
    freeAtMs = Math.max(freeAtMs, nowMs - MAX_BEHIND_MS);
    const waitMs = freeAtMs - nowMs;
    freeAtMs += (bytes / bytesPerSecond) * 1_000;
    if (waitMs >= LEAST_SLEEP_MS) await new Promise<void>((resolve) => clock.after(waitMs, resolve));
  };
}
