/**
 * Unpacks sitemaps and feeds that are gzip files. In: a body with the gzip signature, whatever its name and its content
 * type are. Out: the list inside, or null for any other file. The compression is part of the file here; the fetch stage
 * has already removed the content coding.
 *
 * What always holds: only a file that begins like a sitemap or feed is unpacked as a whole, so other archives cost next
 * to nothing. At most `MAX_LIST_BYTES` are unpacked. A file that is cut off gives everything before the cut.
 */
import { constants, gunzipSync, inflateRawSync, type ZlibOptions } from 'node:zlib';
import { gzipHeaderBytes } from '../../core/gzip-header.ts';
import { decideReadAs } from '../content-kind.ts';

/** The maximum size that the protocol allows for one uncompressed sitemap. */
export const MAX_LIST_BYTES = 50 * 1024 * 1024;
/** Enough compressed bytes for the beginning of a list, after a file name in the gzip header. */
const PEEK_BYTES = 4_096;
/** Servers compress a file that is already compressed. Nobody does it three times. */
const MAX_LAYERS = 2;
const CHUNK_BYTES = 1024 * 1024;
/** A type that says nothing: the bytes decide. */
const ANY_TYPE = 'application/octet-stream';

export interface UnpackedList {
  readonly bytes: Buffer;
  /** The type as which the bytes are read. */
  readonly contentType: string;
  /** True if the list is larger than the limit; then these are the first bytes. */
  readonly isCut: boolean;
}

export function isGzip(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
}

export function unpackList(body: Buffer, url: string): UnpackedList | null {
  const plainUrl = url.replace(/\.gz(?=[?#]|$)/i, '');
  const contentType = /\.txt(?:[?#]|$)/i.test(plainUrl) ? 'text/plain' : ANY_TYPE;
  let list: UnpackedList = { bytes: body, contentType, isCut: false };
  for (let layer = 0; layer < MAX_LAYERS && isGzip(list.bytes); layer++) {
    const start = gunzip(list.bytes.subarray(0, PEEK_BYTES));
    if (start === null) return null;
    if (!isGzip(start) && decideReadAs(start, contentType, plainUrl) === 'nothing') return null;
    const bytes = gunzip(list.bytes);
    if (bytes !== null) list = { ...list, bytes };
    else {
      const beginning = gunzipBeginning(list.bytes);
      if (beginning === null) return null;
      list = { ...list, bytes: beginning, isCut: true };
    }
  }
  return isGzip(list.bytes) ? null : list;
}

/** A smaller and smaller part of the file, until its content is within the limit. */
function gunzipBeginning(body: Buffer): Buffer | null {
  for (let size = body.length >> 2; size > PEEK_BYTES; size >>= 2) {
    const bytes = gunzip(body.subarray(0, size));
    if (bytes !== null) return bytes;
  }
  return null;
}

/** Null if the file is damaged or its content is larger than the limit. */
function gunzip(body: Buffer): Buffer | null {
  // With a sync flush at the end, a missing end is no error.
  const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_LIST_BYTES, chunkSize: CHUNK_BYTES };
  try {
    return gunzipSync(body, options);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'Z_DATA_ERROR' ? inflateFirst(body, options) : null;
  }
}

/** Garbage after a gzip file is harmless. The engine for gzip refuses it, the engine for raw data stops before it. */
function inflateFirst(body: Buffer, options: ZlibOptions): Buffer | null {
  try {
    return inflateRawSync(body.subarray(gzipHeaderBytes(body)), options);
  } catch {
    return null;
  }
}
