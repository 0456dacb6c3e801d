import zlib from 'node:zlib';
import { type ContentCoding, hasZlibHeader, parseContentEncoding } from './content-coding.ts';
import { type CodedBytes, decodeSalvaging } from './salvage-body.ts';

/**
 * Removes the content coding from a body. In: the chunks as they arrived and the Content-Encoding header. Out: at most
 * `maxBytes` decoded bytes, and the fault if there was one.
 *
 * What always holds: it never throws, and never holds more than `maxBytes` of output (a decompression bomb is cut, not
 * inflated). Bytes that were decoded before a fault are kept. Complete, intact bodies are decoded synchronously, at a
 * fraction of the cost of a stream. All other bodies are decoded again, piece by piece, by salvage-body.ts.
 */
export interface DecodedBody {
  readonly decoded: Buffer;
  readonly fault: 'body-too-large' | 'bad-encoding' | null;
}

/** One output buffer of this size is enough for most pages, and avoids joining many small buffers. */
const OUTPUT_CHUNK_BYTES = 64 * 1024;
const MIN_OUTPUT_CHUNK_BYTES = 1024;

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
      if (coding === 'gzip') output = letGo(zlib.gunzipSync(output, { ...options, chunkSize: gzipChunkBytes(output) }));
      else if (coding === 'br') output = letGo(zlib.brotliDecompressSync(output, options));
      else if (coding === 'zstd') output = letGo(zlib.zstdDecompressSync(output, options));
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
function letGo(decoded: unknown): Buffer {
  const { buffer, engine } = decoded as { buffer: Buffer; engine: { _outBuffer: Buffer | null } };
  engine._outBuffer = null;
  return buffer;
}

/**
 * The trailer states the decoded length (RFC 1952 §2.3.1). It may be wrong, so
 * it only sets the size of the first buffer.
 */
function gzipChunkBytes(bytes: Buffer): number {
  if (bytes.length < 18) return MIN_OUTPUT_CHUNK_BYTES;
  const told = bytes.readUInt32LE(bytes.length - 4) + 64;
  return Math.min(OUTPUT_CHUNK_BYTES, Math.max(MIN_OUTPUT_CHUNK_BYTES, told));
}

function judge(salvaged: CodedBytes, raw: Buffer, maxBytes: number): DecodedBody {
  if (salvaged.state === 'limit') return { decoded: salvaged.bytes, fault: 'body-too-large' };
  if (salvaged.state === 'sound') return { decoded: salvaged.bytes, fault: null };
  // Not even the beginning can be decoded. Most likely the header is wrong and the body has no content coding.
  const decoded = salvaged.bytes.length > 0 ? salvaged.bytes : raw.subarray(0, maxBytes);
  return { decoded, fault: 'bad-encoding' };
}
