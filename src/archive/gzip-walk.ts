import { crc32, inflateRawSync } from 'node:zlib';
import { MEMBER_HEADER, MEMBER_TRAIL_BYTES } from './gzip-member.ts';

/**
 * Reads gzip members from the front of a byte stream, one at a time. In: chunks of a file in order.
 * Out: the plain bytes and the place of each member.
 *
 * What always holds: a member is returned only if it is complete and its CRC-32 and length are
 * correct, and at most `MAX_RECORD_BYTES` are unpacked.
 */
export const MAX_RECORD_BYTES = 512 * 1024 * 1024;
const FIRST_READ_BYTES = 256 * 1024;
const MAX_READ_BYTES = 64 * 1024 * 1024;

export type MemberResult =
  | { readonly kind: 'member'; readonly offset: number; readonly length: number; readonly plain: Buffer }
  /** More bytes are needed to decide. */
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'damaged'; readonly problem: string };

const INCOMPLETE: MemberResult = { kind: 'incomplete' };

export class MemberWalk {
  /** The start of the next member. Everything before it was read completely. */
  offset: number;
  #window: Buffer = Buffer.alloc(0);
  #readBytes = FIRST_READ_BYTES;

  constructor(startOffset = 0) {
    this.offset = startOffset;
  }

  /** The file position of the next chunk, and how many bytes to read. */
  get want(): { readonly position: number; readonly bytes: number } {
    return { position: this.offset + this.#window.length, bytes: this.#readBytes };
  }

  get leftBytes(): number {
    return this.#window.length;
  }

  feed(chunk: Buffer): void {
    // Always a new buffer, because members that were returned earlier may be slices of the old one.
    this.#window = this.#window.length === 0 ? chunk : Buffer.concat([this.#window, chunk]);
    // A member that is larger than the window doubles the read size, so that the total work stays linear.
    this.#readBytes = Math.min(MAX_READ_BYTES, Math.max(FIRST_READ_BYTES, this.#window.length));
  }

  next(): MemberResult {
    const result = takeMember(this.#window, this.offset);
    if (result.kind === 'member') {
      this.#window = this.#window.subarray(result.length);
      this.offset += result.length;
    } else if (result.kind === 'incomplete' && this.#window.length > 2 * MAX_RECORD_BYTES) {
      return damaged('the record is larger than the largest record that can be read');
    }
    return result;
  }
}

/** The member at the start of `bytes`. More bytes may follow it. */
export function takeMember(bytes: Buffer, offset: number): MemberResult {
  const headerBytes = MEMBER_HEADER.length;
  const seen = Math.min(bytes.length, 4);
  for (let at = 0; at < seen; at++) {
    // Flags must be zero, because our members have neither name nor comment.
    if (bytes[at] !== MEMBER_HEADER[at]) return damaged('there is no gzip data at this place');
  }
  if (bytes.length < headerBytes + 1) return INCOMPLETE;
  const unpacked = takeStored(bytes, headerBytes) ?? takeDeflated(bytes, headerBytes);
  if ('kind' in unpacked) return unpacked;
  const { plain, end } = unpacked;
  if (bytes.length < end + MEMBER_TRAIL_BYTES) return INCOMPLETE;
  if (crc32(plain) !== bytes.readUInt32LE(end)) return damaged('the checksum is wrong');
  if (plain.length >>> 0 !== bytes.readUInt32LE(end + 4)) return damaged('the length is wrong');
  return { kind: 'member', offset, length: end + MEMBER_TRAIL_BYTES, plain };
}

interface Unpacked {
  readonly plain: Buffer;
  readonly end: number;
}

/** Stored blocks need no inflater, because their bytes are plain. Null if another kind of block follows. */
function takeStored(bytes: Buffer, start: number): Unpacked | MemberResult | null {
  const pieces: Buffer[] = [];
  let at = start;
  let totalBytes = 0;
  for (;;) {
    if (at >= bytes.length) return INCOMPLETE;
    const first = bytes[at]!;
    // BTYPE 00 is in bits 1 and 2. The padding bits are zero in the members that we write.
    if (first > 1) return null;
    if (at + 5 > bytes.length) return INCOMPLETE;
    const blockBytes = bytes.readUInt16LE(at + 1);
    if ((blockBytes ^ bytes.readUInt16LE(at + 3)) !== 0xffff) return damaged('a stored block has a wrong length');
    const blockStart = at + 5;
    at = blockStart + blockBytes;
    totalBytes += blockBytes;
    if (totalBytes > MAX_RECORD_BYTES) return damaged('the record is larger than the largest record that can be read');
    if (at > bytes.length) return INCOMPLETE;
    pieces.push(bytes.subarray(blockStart, at));
    if (first === 1) return { plain: pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, totalBytes), end: at };
  }
}

function takeDeflated(bytes: Buffer, start: number): Unpacked | MemberResult {
  try {
    const { buffer, engine } = inflateRawSync(bytes.subarray(start), {
      info: true,
      maxOutputLength: MAX_RECORD_BYTES,
    }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
    return { plain: buffer, end: start + engine.bytesWritten };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') return INCOMPLETE;
    return damaged(
      code === 'ERR_BUFFER_TOO_LARGE'
        ? 'the record is larger than the largest record that can be read'
        : 'the gzip data cannot be decompressed',
    );
  }
}

export function damaged(problem: string): MemberResult {
  return { kind: 'damaged', problem };
}
