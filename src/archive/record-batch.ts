import { gzipSync } from 'node:zlib';
import {
  closeStoredMember,
  MAX_STORED_BYTES,
  MEMBER_LEAD_BYTES,
  MEMBER_TRAIL_BYTES,
  storedMember,
} from './gzip-member.ts';
import { BASE32_CHARS, DIGEST_PREFIX, sha1Base32 } from './sha1-base32.ts';

const SCRATCH_BYTES = 512 * 1024;
const RECORD_END = Buffer.from('\r\n\r\n', 'latin1');
const BLOCK_DIGEST = `WARC-Block-Digest: ${DIGEST_PREFIX}`;
const WARC_HEAD_END = `${BLOCK_DIGEST}${'0'.repeat(BASE32_CHARS)}\r\n\r\n`;
/** The distance from the first character of the digest to the end of the WARC head. */
const DIGEST_FROM_END = BASE32_CHARS + 4;
/**
 * Level 1: compared with level 6, HTML files are a few per cent larger and need a third of the time
 * (bench/parts/archive.ts). Nearly all pages arrive compressed and are not deflated here.
 */
const DEFLATE_LEVEL = 1;

/**
 * Collects the records of exchanges for one write. In: WARC head without its end, head of the
 * block, payload. Out: the bytes of the gzip members.
 *
 * What always holds: each record is one gzip member, with the digest of its block in its head.
 *
 * A record of usual size is assembled in a reused scratch buffer, where one call computes its hash and one call its
 * checksum. A large record is written from its original pieces. The result of `take` is valid until the next `add`.
 */
export class RecordBatch {
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  #used = 0;
  #flushedTo = 0;
  #pieces: Buffer[] = [];
  #totalBytes = 0;

  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Adds a record and returns the length of its member. Texts are latin1, with one byte per character. */
  add(warcHead: string, blockHead: string, payload: readonly Buffer[], payloadBytes: number, deflate: boolean): number {
    const warcHeadBytes = warcHead.length + WARC_HEAD_END.length;
    const plainBytes = warcHeadBytes + blockHead.length + payloadBytes + RECORD_END.length;
    const roomBytes = SCRATCH_BYTES - this.#used - MEMBER_LEAD_BYTES - MEMBER_TRAIL_BYTES;
    const head = warcHead + WARC_HEAD_END + blockHead;
    const memberBytes =
      plainBytes <= (deflate ? roomBytes : Math.min(roomBytes, MAX_STORED_BYTES))
        ? this.#addInScratch(head, warcHeadBytes, payload, deflate)
        : this.#addByReference(head, warcHeadBytes, payload, deflate);
    this.#totalBytes += memberBytes;
    return memberBytes;
  }

  take(): readonly Buffer[] {
    this.#flush();
    return this.#pieces;
  }

  clear(): void {
    this.#used = 0;
    this.#flushedTo = 0;
    this.#pieces = [];
    this.#totalBytes = 0;
  }

  #addInScratch(head: string, warcHeadBytes: number, payload: readonly Buffer[], deflate: boolean): number {
    const scratch = this.#scratch;
    const start = this.#used;
    const dataStart = start + MEMBER_LEAD_BYTES;
    const blockStart = dataStart + warcHeadBytes;
    scratch.write(head, dataStart, 'latin1');
    let at = dataStart + head.length;
    for (const piece of payload) {
      scratch.set(piece, at);
      at += piece.length;
    }
    scratch.write(sha1Base32([scratch.subarray(blockStart, at)]), blockStart - DIGEST_FROM_END, 'latin1');
    scratch.set(RECORD_END, at);
    at += RECORD_END.length;
    if (!deflate) {
      this.#used = closeStoredMember(scratch, start, at);
      return this.#used - start;
    }
    const member = gzipSync(scratch.subarray(dataStart, at), { level: DEFLATE_LEVEL });
    if (member.length > SCRATCH_BYTES - start) return this.#push([member]);
    scratch.set(member, start);
    this.#used = start + member.length;
    return member.length;
  }

  #addByReference(head: string, warcHeadBytes: number, payload: readonly Buffer[], deflate: boolean): number {
    const headBytes = Buffer.from(head, 'latin1');
    const digest = sha1Base32([headBytes.subarray(warcHeadBytes), ...payload]);
    headBytes.write(digest, warcHeadBytes - DIGEST_FROM_END, 'latin1');
    const plain = [headBytes, ...payload, RECORD_END];
    return this.#push(deflate ? [gzipSync(Buffer.concat(plain), { level: DEFLATE_LEVEL })] : storedMember(plain));
  }

  #push(pieces: readonly Buffer[]): number {
    this.#flush();
    let bytes = 0;
    for (const piece of pieces) {
      this.#pieces.push(piece);
      bytes += piece.length;
    }
    return bytes;
  }

  /** Bytes in the scratch buffer must be written before a piece that is outside of it. */
  #flush(): void {
    if (this.#used === this.#flushedTo) return;
    this.#pieces.push(this.#scratch.subarray(this.#flushedTo, this.#used));
    this.#flushedTo = this.#used;
  }
}
