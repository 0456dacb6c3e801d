/**
 * Reads the plain bytes of a WARC file of another tool. In: a path to a .warc, .warc.gz or .warc.zst file. Out: pieces
 * in order, and marks where a gzip member ends or a damaged range was skipped. What always holds: memory is bounded,
 * however large a member unpacks. Damage is reported and skipped, never thrown.
 *
 * Most tools write one gzip member per record; such a member is unpacked in one call. A larger member, such as a file
 * that was compressed as a whole, is unpacked as a stream.
 */
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import zlib from 'node:zlib';
import { archiveError } from '../../archive/archive-error.ts';
import { readIntoAsync } from '../../archive/read-bytes.ts';
import { OrbweaverError } from '../../core/errors.ts';

export type PlainPiece =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  /**
   * A new record begins after this. A record never spans members; only a file that is one
   * member has several records in it.
   */
  | { readonly kind: 'member-end' }
  | { readonly kind: 'damage' };

const MEMBER_END: PlainPiece = { kind: 'member-end' };
const DAMAGE: PlainPiece = { kind: 'damage' };
const READ_BYTES = 1024 * 1024;
const FIRST_TRY_BYTES = 64 * 1024;
/** A member with more compressed bytes is unpacked as a stream. */
const MAX_WHOLE_FILE_BYTES = 4 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 32 * 1024 * 1024;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b, 0x08]);
const ZSTD_MAGIC = 0xfd2fb528;
/** The first frame of a file that holds a dictionary for all other frames. */
const ZSTD_DICTIONARY_MAGIC = 0x184d2a5d;
const TRAILER_BYTES = 8;
const GLANCE_BYTES = 512;

export async function* plainPieces(path: string): AsyncGenerator<PlainPiece, void, void> {
  const handle = await open(path, 'r').catch((cause) => {
    throw archiveError(`cannot open ${path}`, cause);
  });
  try {
    const start = await readAt(handle, 0, 4);
    const magic = start.length < 4 ? 0 : start.readUInt32LE(0);
    if (magic === ZSTD_DICTIONARY_MAGIC) {
      throw new OrbweaverError(
        'ERR_ARCHIVE',
        `${path} is compressed with its own dictionary; decompress it first with zstd -d or the tool that wrote it`,
      );
    }
    if (start.subarray(0, 3).equals(GZIP_MAGIC)) yield* gzipPieces(handle, path);
    else if (magic === ZSTD_MAGIC) yield* zstdPieces(path, (await handle.stat()).size);
    else
      for await (const bytes of createReadStream(path, { highWaterMark: READ_BYTES })) yield { kind: 'bytes', bytes };
  } finally {
    await handle.close();
  }
}

/**
 * Usually one frame per record. Nothing can be found after a damaged frame: the magic number of
 * frames may also occur in bodies.
 */
async function* zstdPieces(path: string, size: number): AsyncGenerator<PlainPiece, void, void> {
  for (let offset = 0; offset < size; ) {
    let consumed = 0;
    yield* streamed(path, offset, zlib.createZstdDecompress(), (bytes) => {
      consumed = bytes;
    });
    if (consumed === 0) return;
    yield MEMBER_END;
    offset += consumed;
  }
}

async function* gzipPieces(handle: FileHandle, path: string): AsyncGenerator<PlainPiece, void, void> {
  const { size } = await handle.stat();
  for (let offset = 0; offset < size; ) {
    const end = yield* oneMember(handle, path, offset, size);
    if (end !== null) {
      offset = end;
      continue;
    }
    yield DAMAGE;
    offset = await nextMember(handle, offset + 1, size);
  }
}

/** Returns the end of the member, or null if it is damaged. */
async function* oneMember(
  handle: FileHandle,
  path: string,
  offset: number,
  size: number,
): AsyncGenerator<PlainPiece, number | null, void> {
  for (let tryBytes = FIRST_TRY_BYTES; tryBytes <= MAX_WHOLE_FILE_BYTES; tryBytes *= 4) {
    const bytes = await readAt(handle, offset, tryBytes);
    const dataStart = headerEnd(bytes);
    if (dataStart === null) return null;
    try {
      const { buffer, engine } = zlib.inflateRawSync(bytes.subarray(dataStart), {
        info: true,
        maxOutputLength: MAX_UNPACKED_BYTES,
      }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
      const end = dataStart + engine.bytesWritten;
      // The trailer may lie after the bytes that were read.
      const trailer = await readAt(handle, offset + end, TRAILER_BYTES);
      if (trailer.length < TRAILER_BYTES || trailer.readUInt32LE(0) !== zlib.crc32(buffer)) return null;
      yield { kind: 'bytes', bytes: buffer };
      yield MEMBER_END;
      return offset + end + TRAILER_BYTES;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ERR_BUFFER_TOO_LARGE') break;
      if (code !== 'Z_BUF_ERROR') return null;
      if (offset + bytes.length >= size) break;
    }
  }
  const dataStart = headerEnd(await readAt(handle, offset, FIRST_TRY_BYTES));
  if (dataStart === null) return null;
  let consumed: number | null = null;
  yield* streamed(path, offset + dataStart, zlib.createInflateRaw(), (bytes) => {
    consumed = bytes;
  });
  if (consumed === null) return size;
  yield MEMBER_END;
  return offset + dataStart + consumed + TRAILER_BYTES;
}

/**
 * Unpacks from an offset on, as far as possible. Calls `onEnd` with the number of compressed bytes used,
 * unless the data are damaged.
 */
async function* streamed(
  path: string,
  start: number,
  unpack: zlib.InflateRaw | zlib.ZstdDecompress,
  onEnd: (consumed: number) => void,
): AsyncGenerator<PlainPiece, void, void> {
  const source = createReadStream(path, { start, highWaterMark: READ_BYTES });
  source.on('error', (error) => unpack.destroy(error));
  source.pipe(unpack);
  try {
    for await (const bytes of unpack) yield { kind: 'bytes', bytes };
    onEnd(unpack.bytesWritten);
  } catch {
    yield DAMAGE;
  } finally {
    source.destroy();
    unpack.destroy();
  }
}

/** Returns the start of the deflate data (RFC 1952 §2.3). Returns null if no gzip member begins here. */
function headerEnd(bytes: Buffer): number | null {
  if (bytes.length < 18 || !bytes.subarray(0, 3).equals(GZIP_MAGIC)) return null;
  const flags = bytes[3]!;
  if (flags & 0xe0) return null;
  let at = 10;
  if (flags & 4) at += 2 + bytes.readUInt16LE(at);
  for (const flag of [8, 16]) {
    if (!(flags & flag)) continue;
    const end = bytes.indexOf(0, at);
    if (end < 0) return null;
    at = end + 1;
  }
  if (flags & 2) at += 2;
  return at < bytes.length ? at : null;
}

/** Bodies may contain gzip data too, so a member counts only if a record begins in it. */
async function nextMember(handle: FileHandle, from: number, size: number): Promise<number> {
  for (let position = from; position < size; ) {
    const chunk = await readAt(handle, position, READ_BYTES);
    if (chunk.length < GZIP_MAGIC.length) return size;
    for (let at = chunk.indexOf(GZIP_MAGIC); at >= 0; at = chunk.indexOf(GZIP_MAGIC, at + 1)) {
      if (beginsRecord(await readAt(handle, position + at, GLANCE_BYTES))) return position + at;
    }
    position += Math.max(1, chunk.length - (GZIP_MAGIC.length - 1));
  }
  return size;
}

function beginsRecord(glance: Buffer): boolean {
  const dataStart = headerEnd(glance);
  if (dataStart === null) return false;
  try {
    const finishFlush = zlib.constants.Z_SYNC_FLUSH;
    const text = zlib.inflateRawSync(glance.subarray(dataStart), { finishFlush, maxOutputLength: 64 * 1024 });
    return text.toString('latin1', 0, 5) === 'WARC/';
  } catch {
    return false;
  }
}

function readAt(handle: FileHandle, position: number, bytes: number): Promise<Buffer> {
  return readIntoAsync(Buffer.allocUnsafe(bytes), handle, position);
}
