import zlib from 'node:zlib';
import { gzipHeaderBytes } from '../../core/gzip-header.ts';
import { gunzipUsual } from './gunzip.ts';

/**
 * Removes the content coding from a body. In: the chunks as they arrived and the Content-Encoding header. Out: at most
 * `maxBytes` decoded bytes, and the fault if there was one.
 *
 * What always holds: it never throws, and never holds more than `maxBytes` of output (a decompression bomb is cut, not
 * inflated). Bytes that were decoded before a fault are kept. Complete, intact bodies are decoded synchronously, at a
 * fraction of the cost of a stream. All other bodies are decoded again, piece by piece, by `decodeSalvaging`.
 */
export interface DecodedBody {
  readonly decoded: Buffer;
  readonly fault: 'body-too-large' | 'bad-encoding' | null;
}

/** One output buffer of this size is enough for most pages, and avoids joining many small buffers. */
const OUTPUT_CHUNK_BYTES = 64 * 1024;

const EMPTY = Buffer.alloc(0);

export function decodeBody(
  body: readonly Buffer[],
  contentEncoding: string,
  maxBytes: number,
  complete: boolean,
): DecodedBody | Promise<DecodedBody> {
  const bytes = body.length === 1 ? body[0]! : body.length === 0 ? EMPTY : Buffer.concat(body);
  if (contentEncoding === '' || bytes.length === 0) return plain(bytes, maxBytes);
  const codings = parseContentEncoding(contentEncoding);
  if (codings === null) return { decoded: bytes.subarray(0, maxBytes), fault: 'bad-encoding' };
  if (codings.length === 0) return plain(bytes, maxBytes);
  if (complete) {
    const decoded = decodeWhole(bytes, codings, maxBytes);
    if (decoded !== null) return { decoded, fault: null };
  }
  return decodeSalvaging(bytes, codings, maxBytes).then((salvaged) => judge(salvaged, bytes, maxBytes));
}

export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly maxLongBodyBytes: number;
  readonly isLongKind: (beginning: Buffer) => boolean;
}

/** Decodes a body within its limit. A body that is too large is decoded again if it is of a long kind. */
export function decodeWithin(
  body: readonly Buffer[],
  contentEncoding: string,
  limits: BodyLimits,
  complete: boolean,
): DecodedBody | Promise<DecodedBody> {
  const { maxBodyBytes, maxLongBodyBytes } = limits;
  const again = (first: DecodedBody): DecodedBody | Promise<DecodedBody> => {
    if (first.fault !== 'body-too-large' || maxLongBodyBytes <= maxBodyBytes) return first;
    return limits.isLongKind(first.decoded) ? decodeBody(body, contentEncoding, maxLongBodyBytes, complete) : first;
  };
  const decoded = decodeBody(body, contentEncoding, maxBodyBytes, complete);
  return decoded instanceof Promise ? decoded.then(again) : again(decoded);
}

function plain(bytes: Buffer, maxBytes: number): DecodedBody {
  if (bytes.length <= maxBytes) return { decoded: bytes, fault: null };
  return { decoded: bytes.subarray(0, maxBytes), fault: 'body-too-large' };
}

/** Returns null if anything is wrong with the body. */
function decodeWhole(bytes: Buffer, codings: readonly ContentCoding[], maxBytes: number): Buffer | null {
  const options = { chunkSize: OUTPUT_CHUNK_BYTES, maxOutputLength: Math.max(1, maxBytes), info: true };
  try {
    let output = bytes;
    for (const coding of codings) {
      if (coding === 'gzip') output = gunzipUsual(output, maxBytes) ?? letGo(zlib.gunzipSync(output, options));
      else if (coding === 'br') output = letGo(zlib.brotliDecompressSync(output, options));
      else if (coding === 'zstd') output = letGo(zlib.zstdDecompressSync(output, options), output.length);
      else if (hasZlibHeader(output)) output = letGo(zlib.inflateSync(output, options));
      else output = letGo(zlib.inflateRawSync(output, options));
    }
    return output;
  } catch {
    return null;
  }
}

/**
 * The engine of a synchronous call stays in memory until the next full garbage collection, because its
 * native half is a root for the minor collections. The engine references its output buffer. Every decoded
 * page would therefore stay in memory until then, and cause more full collections. With `info`, the call
 * also returns the engine, so its reference can be cleared.
 */
function letGo(decoded: unknown, inputBytes = 0): Buffer {
  const { buffer, engine } = decoded as { buffer: Buffer; engine: { _outBuffer: Buffer | null; bytesWritten: number } };
  engine._outBuffer = null;
  // The engine stops after the first frame of zstd, without an error.
  if (engine.bytesWritten < inputBytes) throw new Error('more frames follow');
  return buffer;
}

function judge(salvaged: CodedBytes, raw: Buffer, maxBytes: number): DecodedBody {
  if (salvaged.state === 'limit') return { decoded: salvaged.bytes, fault: 'body-too-large' };
  if (salvaged.state === 'sound') return { decoded: salvaged.bytes, fault: null };
  // Not even the beginning is in the expected format. Most likely the header is wrong and there is no content coding.
  const isForeign = salvaged.state === 'bad' && salvaged.bytes.length === 0;
  const decoded = isForeign ? raw.subarray(0, maxBytes) : salvaged.bytes;
  return { decoded, fault: 'bad-encoding' };
}

/** The content codings that we request and can decode (RFC 9110 §8.4.1). */
export type ContentCoding = 'gzip' | 'br' | 'zstd' | 'deflate';

/** RFC 9110 does not limit stacked codings, but no sane server uses more than two. curl has the same limit. */
const MAX_CODINGS = 5;

/**
 * The codings in the order in which they must be decoded. Null if one of them cannot be decoded. Words that are not
 * codings ("utf-8", "none") are common on the web and are ignored, as in browsers.
 */
export function parseContentEncoding(header: string): ContentCoding[] | null {
  const codings: ContentCoding[] = [];
  for (const word of header.slice(0, 200).toLowerCase().split(',')) {
    const name = word.trim();
    if (name === 'gzip' || name === 'x-gzip') codings.push('gzip');
    else if (name === 'br' || name === 'zstd' || name === 'deflate') codings.push(name);
    else if (name === 'compress' || name === 'x-compress' || name === 'dcb' || name === 'dcz') return null;
  }
  return codings.length > MAX_CODINGS ? null : codings.reverse();
}

/** "deflate" means the zlib format (RFC 1950), but some servers send the raw stream (RFC 1951). */
function hasZlibHeader(bytes: Buffer): boolean {
  return bytes.length >= 2 && (bytes[0]! & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

/**
 * Decodes bodies that are cut short, damaged, followed by garbage or too large, and keeps the part that can be decoded.
 * This is rare, so it may be slow. It uses streams, which decode on the thread pool, and stops at the limit.
 */
interface CodedBytes {
  readonly bytes: Buffer;
  /** `short`: the input ended too early. `bad`: from some byte on, the input is not in the expected format. */
  readonly state: 'sound' | 'short' | 'bad' | 'limit';
}

/**
 * A body may consist of many gzip members or zstd frames. Each of them needs a new engine, so this limit bounds the
 * cost of an attack.
 */
const MAX_MEMBERS = 1_000;

const GZIP_TRAILER_BYTES = 8;

async function decodeSalvaging(
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
  if (coding === 'zstd') return decodeZstd(input, maxBytes);
  return decodeDeflate(input, maxBytes);
}

/** The header of zlib has few fixed bits, so the beginning of a raw stream may look like one by chance. */
async function decodeDeflate(input: Buffer, maxBytes: number): Promise<CodedBytes> {
  if (hasZlibHeader(input)) {
    const step = await drain(zlib.createInflate(), input, maxBytes);
    if (step.state !== 'bad' || step.bytes.length > 0) return step;
  }
  return drain(zlib.createInflateRaw(), input, maxBytes);
}

/** Decodes frame by frame (RFC 8878 §3.1). Garbage after an intact frame is ignored. */
async function decodeZstd(input: Buffer, maxBytes: number): Promise<CodedBytes> {
  const parts: Buffer[] = [];
  let total = 0;
  let offset = 0;
  for (let frame = 0; frame < MAX_MEMBERS && offset < input.length; frame++) {
    const engine = zlib.createZstdDecompress();
    const step = await drain(engine, input.subarray(offset), maxBytes - total);
    if (frame > 0 && step.state === 'bad' && step.bytes.length === 0) break;
    parts.push(step.bytes);
    total += step.bytes.length;
    if (step.state !== 'sound') return { bytes: Buffer.concat(parts), state: step.state };
    offset += engine.bytesWritten;
  }
  return { bytes: Buffer.concat(parts), state: 'sound' };
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
    if (headerBytes === 0 && member === 0) return decodeWithoutGzipHeader(input, maxBytes);
    if (headerBytes === 0) return { bytes: Buffer.concat(parts), state: 'sound' };
    if (member === MAX_MEMBERS) return { bytes: Buffer.concat(parts), state: 'bad' };
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

/** Servers that confuse gzip with deflate send zlib, which curl and browsers accept. */
async function decodeWithoutGzipHeader(input: Buffer, maxBytes: number): Promise<CodedBytes> {
  if (hasZlibHeader(input)) return drain(zlib.createInflate(), input, maxBytes);
  const isCut = GZIP_MAGIC.subarray(0, input.length).equals(input.subarray(0, GZIP_MAGIC.length));
  return { bytes: EMPTY, state: isCut ? 'short' : 'bad' };
}

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b, 8]);

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
