import zlib from 'node:zlib';
import { type ContentCoding, hasZlibHeader } from './content-coding.ts';

/**
 * Decodes bodies that are cut short, damaged, followed by garbage or too large, and keeps the part that can be decoded.
 * This is rare, so it may be slow. It uses streams, which decode on the thread pool, and stops at the limit.
 */
export interface CodedBytes {
  readonly bytes: Buffer;
  /** `short`: the input ended too early. `bad`: from some byte on, the input is not in the expected format. */
  readonly state: 'sound' | 'short' | 'bad' | 'limit';
}

/**
 * A body may consist of many gzip members. Each member needs a new engine, so this limit bounds the cost of an attack.
 */
const MAX_GZIP_MEMBERS = 1_000;

const GZIP_TRAILER_BYTES = 8;

export async function decodeSalvaging(
  input: Buffer,
  codings: readonly ContentCoding[],
  maxBytes: number,
): Promise<CodedBytes> {
  let bytes = input;
  let state: CodedBytes['state'] = 'sound';
  for (const coding of codings) {
    const step = await decodeOne(bytes, coding, maxBytes);
    bytes = step.bytes;
    if (step.state === 'sound') continue;
    // If an outer coding ends too early, the inner one does too. The first fault is reported.
    if (state === 'sound') state = step.state;
    if (bytes.length === 0) break;
  }
  return { bytes, state };
}

async function decodeOne(input: Buffer, coding: ContentCoding, maxBytes: number): Promise<CodedBytes> {
  if (coding === 'gzip') return decodeGzip(input, maxBytes);
  if (coding === 'br') return drain(zlib.createBrotliDecompress(), input, maxBytes);
  if (coding === 'zstd') return drain(zlib.createZstdDecompress(), input, maxBytes);
  return drain(hasZlibHeader(input) ? zlib.createInflate() : zlib.createInflateRaw(), input, maxBytes);
}

/**
 * Decodes member by member (RFC 1952). The gzip engine of zlib discards its output if garbage follows, and garbage
 * after an intact member is common and harmless.
 */
async function decodeGzip(input: Buffer, maxBytes: number): Promise<CodedBytes> {
  const parts: Buffer[] = [];
  let total = 0;
  let offset = 0;
  for (let member = 0; ; member++) {
    const headerBytes = gzipHeaderBytes(input.subarray(offset));
    if (headerBytes === 0) return { bytes: Buffer.concat(parts), state: member === 0 ? 'bad' : 'sound' };
    if (member === MAX_GZIP_MEMBERS) return { bytes: Buffer.concat(parts), state: 'bad' };
    const engine = zlib.createInflateRaw();
    const step = await drain(engine, input.subarray(offset + headerBytes), maxBytes - total);
    parts.push(step.bytes);
    total += step.bytes.length;
    if (step.state !== 'sound') return { bytes: Buffer.concat(parts), state: step.state };
    offset += headerBytes + engine.bytesWritten;
    if (input.length < offset + GZIP_TRAILER_BYTES) return { bytes: Buffer.concat(parts), state: 'short' };
    if (input.readUInt32LE(offset) !== zlib.crc32(step.bytes)) return { bytes: Buffer.concat(parts), state: 'bad' };
    offset += GZIP_TRAILER_BYTES;
  }
}

/** Length of the gzip header at the beginning (RFC 1952 §2.3), or 0 if there is none or it is cut off. */
function gzipHeaderBytes(bytes: Buffer): number {
  if (bytes.length < 10 || bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[2] !== 8) return 0;
  const flags = bytes[3]!;
  let at = 10;
  if (flags & 4) at += bytes.length >= at + 2 ? 2 + bytes.readUInt16LE(at) : 2;
  for (const flag of [8, 16]) {
    if ((flags & flag) === 0) continue;
    const end = bytes.indexOf(0, at);
    if (end === -1) return 0;
    at = end + 1;
  }
  if (flags & 2) at += 2;
  return at <= bytes.length ? at : 0;
}

type Engine = zlib.InflateRaw | zlib.BrotliDecompress | zlib.ZstdDecompress;

/** Runs an engine until its end, its first error, or `maxBytes` of output. Never rejects. */
function drain(engine: Engine, input: Buffer, maxBytes: number): Promise<CodedBytes> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let total = 0;
    const settle = (state: CodedBytes['state']): void => {
      resolve({ bytes: Buffer.concat(parts), state });
      engine.destroy();
    };
    engine.on('data', (part: Buffer) => {
      const room = maxBytes - total;
      if (part.length > room) {
        parts.push(part.subarray(0, room));
        total += room;
        return settle('limit');
      }
      parts.push(part);
      total += part.length;
    });
    engine.on('end', () => settle('sound'));
    engine.on('error', (error: NodeJS.ErrnoException) => settle(error.code === 'Z_BUF_ERROR' ? 'short' : 'bad'));
    engine.end(input);
  });
}
