/**
 * The ids of URLs that are committed and not yet told, in the order of their commits. In: ids, as fast as the crawl is. Out:
 * the same ids, as slowly as the reader is. What always holds: none is lost, and memory holds at most `MAX_BLOCKS` blocks;
 * what comes on top is in a file, eight bytes a URL, that has no name any more and so goes with the process.
 *
 * Why a file and not a slower crawl: a crawl that is held up holds leases and connections for nothing, and what it fetches is
 * in the archive anyway. Beside the 13 KB of a page its eight bytes are nothing.
 */
import { closeSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const BLOCK_IDS = 4_096;
const BLOCK_BYTES = BLOCK_IDS * Float64Array.BYTES_PER_ELEMENT;
const MAX_BLOCKS = 64;

export class UntoldIds {
  readonly #dir: string;
  #head = new Float64Array(0);
  #headAt = 0;
  /** Full blocks, older than those in the file. */
  readonly #blocks: Float64Array<ArrayBuffer>[] = [];
  #file: number | null = null;
  #readAtBytes = 0;
  #writeAtBytes = 0;
  #tail = new Float64Array(BLOCK_IDS);
  #tailLength = 0;

  /** The folder is asked for only when memory does not do. */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Throws what the file system says when the file takes no more. */
  add(id: number): void {
    if (this.#tailLength === BLOCK_IDS) this.#putAway();
    this.#tail[this.#tailLength++] = id;
  }

  /** The oldest, or null when all are told. */
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
      if (read === 0) throw new Error('the file of untold ids ends too early');
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
