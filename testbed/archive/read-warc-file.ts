/** Reads an archive file record by record, to check what a writer or a crash left in it. */
import { type FileHandle, open } from 'node:fs/promises';
import { MemberWalk } from '../../src/archive/gzip-walk.ts';
import { parseWarcRecord, type WarcRecord } from '../../src/archive/warc-parse.ts';

/** Reads every record of a file in order. After the loop, `problem` says whether the file ended correctly. */
export function readWarcFile(path: string, endOffset = Number.MAX_SAFE_INTEGER): WarcFileReader {
  return new WarcFileReader(path, endOffset);
}

class WarcFileReader implements AsyncIterable<WarcRecord> {
  /** The file has complete records up to this offset. */
  readableToBytes = 0;
  /**
   * `partial`: the last record is cut off. `damaged`: the bytes that follow are not a
   * record. Null: the file ends with a record.
   */
  problem: 'partial' | 'damaged' | null = null;
  readonly #path: string;
  readonly #endOffset: number;

  constructor(path: string, endOffset: number) {
    this.#path = path;
    this.#endOffset = endOffset;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WarcRecord, void, void> {
    this.readableToBytes = 0;
    this.problem = null;
    const handle = await open(this.#path, 'r');
    try {
      const walk = new MemberWalk();
      for (;;) {
        const result = walk.next();
        if (result.kind === 'member') {
          const record = parseWarcRecord(result.plain, result.offset, result.length);
          if (record === null) {
            this.problem = 'damaged';
            return;
          }
          this.readableToBytes = result.offset + result.length;
          yield record;
        } else if (result.kind === 'damaged') {
          this.problem = 'damaged';
          return;
        } else {
          const { position, bytes } = walk.want;
          const chunk = await readAt(handle, position, Math.min(bytes, this.#endOffset - position));
          if (chunk.length === 0) {
            if (walk.leftBytes > 0) this.problem = 'partial';
            return;
          }
          walk.feed(chunk);
        }
      }
    } finally {
      await handle.close();
    }
  }
}

async function readAt(handle: FileHandle, position: number, bytes: number): Promise<Buffer> {
  if (bytes <= 0) return Buffer.alloc(0);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, position);
  return buffer.subarray(0, bytesRead);
}
