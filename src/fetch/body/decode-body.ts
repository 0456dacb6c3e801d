import zlib from 'node:zlib';
import { type ContentCoding, hasZlibHeader, parseContentEncoding } from './content-coding.ts';
import { type CodedBytes, decodeSalvaging } from './salvage-body.ts';

/**
 * Takes the content-coding off a body. In come the chunks as they arrived and the Content-Encoding header, out go at
 * most `maxBytes` decoded bytes and what was wrong with them.
 *
 * What always holds: never throws, never holds more than `maxBytes` of output (a bomb is cut, not inflated), and what
 * could be decoded before the fault is kept. Whole, sound bodies take the synchronous way, at a fraction of the cost
 * of a stream; everything else is decoded anew, piece by piece, by salvage-body.ts.
 */
export interface DecodedBody {
  readonly decoded: Buffer;
  readonly fault: 'body-too-large' | 'bad-encoding' | null;
}

/** One output buffer of this size serves most pages, and spares joining many small ones. */
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

/** null when anything at all is not as it should be. */
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
 * The engine of a synchronous call lives until the next full collection, because its native half counts as a root for
 * the quick ones, and it holds on to its output buffer: every decoded page would stay in memory until then, and bring it
 * on. With `info` the engine is handed out along with the bytes, and can be made to let go.
 */
function letGo(decoded: unknown): Buffer {
  const { buffer, engine } = decoded as { buffer: Buffer; engine: { _outBuffer: Buffer | null } };
  engine._outBuffer = null;
  return buffer;
}

/** The trailer tells the decoded length (RFC 1952 §2.3.1). It may lie, so it only sizes the first buffer. */
function gzipChunkBytes(bytes: Buffer): number {
  if (bytes.length < 18) return MIN_OUTPUT_CHUNK_BYTES;
  const told = bytes.readUInt32LE(bytes.length - 4) + 64;
  return Math.min(OUTPUT_CHUNK_BYTES, Math.max(MIN_OUTPUT_CHUNK_BYTES, told));
}

function judge(salvaged: CodedBytes, raw: Buffer, maxBytes: number): DecodedBody {
  if (salvaged.state === 'limit') return { decoded: salvaged.bytes, fault: 'body-too-large' };
  if (salvaged.state === 'sound') return { decoded: salvaged.bytes, fault: null };
  // Not even the beginning decodes: most likely the label is wrong and the body is what it seems to be.
  const decoded = salvaged.bytes.length > 0 ? salvaged.bytes : raw.subarray(0, maxBytes);
  return { decoded, fault: 'bad-encoding' };
}
