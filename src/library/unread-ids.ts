/**
 * A queue of the ids of URLs that are committed but not yet read by the program, in the order of their commits. In:
 * ids, as fast as the crawl is. Out: the same ids, as slowly as the reader is. What always holds: no id is lost, and
 * memory holds at most `MAX_BLOCKS` blocks. Further ids go to a file, eight bytes per URL. The file has no name any
 * more, so it disappears with the process.
 *
 * The crawl is not slowed down instead, because a paused crawl would hold leases and connections without using them,
 * and its pages are in the archive anyway. Compared with the 13 KB of a page, eight bytes are nothing.
 */
import { closeSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const BLOCK_IDS = 4_096;
const BLOCK_BYTES = BLOCK_IDS * Float64Array.BYTES_PER_ELEMENT;
const MAX_BLOCKS = 64;

export class UnreadIds {
  readonly #dir: string;
  #head = new Float64Array(0);
  #headAt = 0;
  /** Full blocks. They are older than the blocks in the file. */
  readonly #blocks: Float64Array<ArrayBuffer>[] = [];
  #file: number | null = null;
  #readAtBytes = 0;
  #writeAtBytes = 0;
  #tail = new Float64Array(BLOCK_IDS);
  #tailLength = 0;

  /** The folder is used only when the memory limit is reached. */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Throws the error of the file system if the file cannot be written. */
  add(id: number): void {
    if (this.#tailLength === BLOCK_IDS) this.#putAway();
    this.#tail[this.#tailLength++] = id;
  }

  /** Returns the oldest id, or null if there is none. */
  take(): number | null {
    if (this.#headAt === this.#head.length) this.#fetchHead();
    return this.#headAt < this.#head.length ? this.#head[this.#headAt++]! : null;
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
    this.#writeAtBytes = this.#readAtBytes = 0;
    this.#blocks.length = 0;
    this.#tailLength = 0;
    this.#head = new Float64Array(0);
    this.#headAt = 0;
  }

  #putAway(): void {
    const isFileEmpty = this.#readAtBytes === this.#writeAtBytes;
    if (isFileEmpty && this.#blocks.length < MAX_BLOCKS) {
      this.#blocks.push(this.#tail);
      this.#tail = new Float64Array(BLOCK_IDS);
    } else {
      this.#file ??= openNameless(join(this.#dir, 'untold.ids'));
      for (let done = 0; done < BLOCK_BYTES; ) {
        done += writeSync(this.#file, this.#tail, done, BLOCK_BYTES - done, this.#writeAtBytes + done);
      }
      this.#writeAtBytes += BLOCK_BYTES;
    }
    this.#tailLength = 0;
  }

  #fetchHead(): void {
    const block = this.#blocks.shift() ?? this.#readBlock();
    this.#head = block ?? this.#tail.slice(0, this.#tailLength);
    this.#headAt = 0;
    if (block === null) this.#tailLength = 0;
  }

  #readBlock(): Float64Array<ArrayBuffer> | null {
    if (this.#file === null || this.#readAtBytes === this.#writeAtBytes) return null;
    const block = new Float64Array(BLOCK_IDS);
    for (let done = 0; done < BLOCK_BYTES; ) {
      const read = readSync(this.#file, block, done, BLOCK_BYTES - done, this.#readAtBytes + done);
      if (read === 0) throw new Error('the file of unread ids ends too early');
      done += read;
    }
    this.#readAtBytes += BLOCK_BYTES;
    if (this.#readAtBytes === this.#writeAtBytes) {
      this.#readAtBytes = this.#writeAtBytes = 0;
      ftruncateSync(this.#file, 0);
    }
    return block;
  }
}

function openNameless(path: string): number {
  const file = openSync(path, 'w+', 0o600);
  unlinkSync(path);
  return file;
}
