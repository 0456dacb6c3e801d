/**
 * A file from which exchanges are copied. In: the place of a capture. Out: the bytes of its whole exchange: response or
 * revisit, and the request and metadata records after it.
 *
 * What always holds: each member was checked. The result is null if the file does not match the store. Memory is one
 * window of the file, or one exchange if that is larger.
 */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { archiveError, tryArchive } from './archive-error.ts';
import { isArchiveFileName } from './archive-file.ts';
import { MEMBER_HEADER, MEMBER_LEAD_BYTES } from './gzip-member.ts';
import { type MemberResult, takeMember } from './gzip-walk.ts';
import { readInto } from './read-bytes.ts';
import { parseWarcRecord, type WarcRecord } from './warc-parse.ts';

const WINDOW_BYTES = 1024 * 1024;
/** The records that follow the first record of a capture are seldom larger than this. */
const BESIDES_BYTES = 4 * 1024;
const WARCINFO_BYTES = 64 * 1024;
/** Request and metadata records are written in stored blocks, so that their type can be read without unpacking. */
const BELONGS = /^WARC\/1\.1\r\nWARC-Type: (?:request|metadata)\r\n/;
const BEGINS_ANOTHER = /^WARC\/1\.1\r\nWARC-Type: (?:response|revisit|warcinfo)\r\n/;
const TYPE_BYTES = 40;

export class SourceFile {
  readonly name: string;
  readonly #fd: number;
  readonly #endOffset: number;
  readonly #reused = Buffer.allocUnsafeSlow(WINDOW_BYTES);
  #window: Buffer = Buffer.alloc(0);
  #windowOffset = 0;

  private constructor(name: string, fd: number, endOffset: number) {
    this.name = name;
    this.#fd = fd;
    this.#endOffset = endOffset;
  }

  /** `bytes` is the committed length of the file. Null if the file does not exist. */
  static open(dir: string, name: string, bytes: number): SourceFile | null {
    if (!isArchiveFileName(name)) return null;
    try {
      return new SourceFile(name, openSync(join(dir, name), 'r'), bytes);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw archiveError(`cannot open archive file ${name}`, cause);
    }
  }

  /** The block of the first record of a file of ours, which names the writer. Null if there is none. */
  warcinfoBlock(): string | null {
    const record = this.#record(takeMember(this.#bytes(0, WARCINFO_BYTES), 0));
    return record?.type === 'warcinfo' ? record.block.toString('latin1') : null;
  }

  /** The result is valid until the next call. */
  exchangeAt(offset: number, length: number): Buffer | null {
    if (offset + length > this.#endOffset) return null;
    const member = takeMember(this.#bytes(offset, length + BESIDES_BYTES).subarray(0, length), offset);
    const record = this.#record(member);
    if (record === null || record.length !== length) return null;
    if (record.type !== 'response' && record.type !== 'revisit') return null;
    const id = record.headers.get('warc-record-id');
    let end = offset + length;
    while (end < this.#endOffset) {
      const start = this.#bytes(end, MEMBER_LEAD_BYTES + TYPE_BYTES);
      if (start.indexOf(MEMBER_HEADER.subarray(0, 4)) !== 0) return null;
      const text = start.toString('latin1', MEMBER_LEAD_BYTES);
      if (!BELONGS.test(text)) {
        // Only responses are ever deflated.
        const isStored = start[MEMBER_HEADER.length]! <= 1;
        if (isStored && !BEGINS_ANOTHER.test(text)) return null;
        break;
      }
      const besides = this.#besidesAt(end);
      if (besides === null || besides.headers.get('warc-concurrent-to') !== id) return null;
      end += besides.length;
    }
    return this.#bytes(offset, end - offset);
  }

  close(): void {
    tryArchive('cannot close an archive file after reading it', () => closeSync(this.#fd));
  }

  #besidesAt(offset: number): WarcRecord | null {
    for (let bytes = BESIDES_BYTES; ; bytes *= 4) {
      const have = this.#bytes(offset, bytes);
      const member = takeMember(have, offset);
      if (member.kind !== 'incomplete' || have.length < bytes) return this.#record(member);
    }
  }

  #record(member: MemberResult): WarcRecord | null {
    return member.kind === 'member' ? parseWarcRecord(member.plain, member.offset, member.length) : null;
  }

  /** Up to `count` bytes from `position` on. Fewer only at the end of the file or of its committed part. */
  #bytes(position: number, count: number): Buffer {
    const wanted = Math.min(count, this.#endOffset - position);
    const from = position - this.#windowOffset;
    if (from < 0 || from + wanted > this.#window.length) this.#readWindow(position, wanted);
    const start = position - this.#windowOffset;
    return this.#window.subarray(start, start + wanted);
  }

  #readWindow(position: number, atLeast: number): void {
    const size = Math.min(Math.max(WINDOW_BYTES, atLeast), this.#endOffset - position);
    // The same buffer is reused unless an exchange needs more, because bytes of the previous window are not read again.
    const window = size <= WINDOW_BYTES ? this.#reused : Buffer.allocUnsafe(size);
    this.#window = tryArchive(`cannot read archive file ${this.name}`, () =>
      readInto(window.subarray(0, size), this.#fd, position),
    );
    this.#windowOffset = position;
  }
}
