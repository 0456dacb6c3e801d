import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { isSameStamp } from '../memory/layer-scan.ts';
import type { FileStamp } from '../records.ts';
import { isAbsence } from './site-tree.ts';

/** The result of reading a file. */
export interface Content {
  readonly hash: string;
  readonly stamp: FileStamp;
  /** The file may be written again without a change of its stamp. */
  readonly isFresh: boolean;
  /** The whole content, valid until the next read; null if it was not wanted or is too large. */
  readonly whole: Buffer | null;
}

/** Larger files are hashed, not examined. */
const MAX_WHOLE_BYTES = 4 * 1024 * 1024;
const PIECE_BYTES = 128 * 1024;
const BYTES_PER_PAUSE = 4 * 1024 * 1024;
/** The coarsest time resolution of a file system is two seconds. */
const TICK_MS = 2_000;
// A link in place of the file is not followed, and a pipe does not block.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Reads files one at a time, through one buffer. */
export class ContentReader {
  readonly #now: () => number;
  readonly #pause: () => Promise<void>;
  #piece = Buffer.allocUnsafeSlow(PIECE_BYTES);

  constructor(now: () => number, pause: () => Promise<void>) {
    this.#now = now;
    this.#pause = pause;
  }

  async read(path: string, isWholeWanted: boolean): Promise<Content | 'absent' | 'unreadable'> {
    let fd: number;
    try {
      fd = openSync(path, FLAGS);
    } catch (error) {
      return isAbsence(error) ? 'absent' : 'unreadable';
    }
    try {
      const readAtMs = this.#now();
      const before = fstatSync(fd);
      if (!before.isFile()) return 'absent';
      const isWhole = isWholeWanted && before.size <= MAX_WHOLE_BYTES;
      const { hash, whole } = isWhole ? this.#readWhole(fd, before.size) : await this.#readPieces(fd, before.size);
      const after = fstatSync(fd);
      const { size, mtimeMs, ctimeMs, ino } = before;
      const isFresh = !isSameStamp(before, after) || isRacy(before, readAtMs);
      return { hash, stamp: { size, mtimeMs, ctimeMs, ino }, isFresh, whole };
    } catch {
      return 'unreadable';
    } finally {
      closeSync(fd);
    }
  }

  #readWhole(fd: number, size: number): { readonly hash: string; readonly whole: Buffer } {
    // One byte more shows whether the file grew.
    const buffer = size < this.#piece.length ? this.#piece : Buffer.allocUnsafeSlow(size + 1);
    let used = 0;
    for (;;) {
      const got = readSync(fd, buffer, used, buffer.length - used, used);
      used += got;
      if (got === 0 || used === buffer.length) break;
    }
    const whole = buffer.subarray(0, used);
    return { hash: createHash('sha256').update(whole).digest('base64url'), whole };
  }

  /** Reads at most the initial size. A file that grows as fast as it is read would have no end. */
  async #readPieces(fd: number, size: number): Promise<{ readonly hash: string; readonly whole: null }> {
    const hash = createHash('sha256');
    let used = 0;
    for (;;) {
      const got = readSync(fd, this.#piece, 0, Math.min(PIECE_BYTES, size - used), used);
      if (got === 0) return { hash: hash.digest('base64url'), whole: null };
      hash.update(got === PIECE_BYTES ? this.#piece : this.#piece.subarray(0, got));
      used += got;
      if (used % BYTES_PER_PAUSE < got) await this.#pause();
    }
  }
}

/**
 * Whether the file was written so shortly before the read that another write may have the same time. A
 * ctime ahead of the clock can occur again, because the clock was set back. An mtime can be set to any
 * value, but setting it changes the ctime.
 */
function isRacy({ mtimeMs, ctimeMs }: Stats, readAtMs: number): boolean {
  return ctimeMs > readAtMs - TICK_MS || Math.abs(mtimeMs - readAtMs) < TICK_MS;
}
