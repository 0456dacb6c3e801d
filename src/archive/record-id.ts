/**
 * Record ids that cost a few nanoseconds and need not be stored: 74 random bits per file, then the offset of the record
 * in 48 bits, in the form of a version 4 UUID (RFC 9562 §5.4). Two files of different threads, machines or times share
 * an id only if their random bits are equal. The first record of a file contains the random bits. With them, the id of
 * any other record follows from its offset.
 *
 * Records that were moved to another file keep their ids, because other records refer to them. The first record of such
 * a file has an offset that no record can have. The ids of its records are then read from the records.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { isArchiveFileName } from './archive-file.ts';
import { readRange } from './read-bytes.ts';

const FIRST_ID = /^WARC-Record-ID: <(urn:uuid:[0-9a-f-]{24})(0{12}|f{12})>\r$/m;
const NO_OFFSET = 0xffff_ffff_ffff;
/** Our records begin with their type and their id. */
const RESPONSE_ID = /^WARC\/1\.1\r\nWARC-Type: response\r\nWARC-Record-ID: <(urn:uuid:[0-9a-f-]{36})>\r\n/;
const HEAD_BYTES = 512;

/** The ids of a file's records by offset. Null if there is no response at the offset. */
export interface FileIds {
  at(offset: number): string | null;
}

export class RecordIds implements FileIds {
  readonly #prefix: string;

  constructor(prefix = drawPrefix()) {
    this.#prefix = prefix;
  }

  at(offset: number): string {
    return this.#prefix + offset.toString(16).padStart(12, '0');
  }
}

/** The id for the first record of a file whose records come from other files. */
export function idOfMovedRecords(): string {
  return new RecordIds().at(NO_OFFSET);
}

class StoredIds implements FileIds {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  at(offset: number): string | null {
    return RESPONSE_ID.exec(headAt(this.#path, offset) ?? '')?.[1] ?? null;
  }
}

function drawPrefix(): string {
  const hex = randomBytes(10).toString('hex');
  const variant = '89ab'[Number.parseInt(hex[15]!, 16) & 3]!;
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-${variant}${hex.slice(16, 19)}-`;
}

/** The ids of a file of another writer. Null if the file does not exist or is not one of ours. */
export function recordIdsOf(dir: string, file: string): FileIds | null {
  if (!isArchiveFileName(file)) return null;
  const path = join(dir, file);
  const [, prefix, offset] = FIRST_ID.exec(headAt(path, 0) ?? '') ?? [];
  if (prefix === undefined) return null;
  return offset!.startsWith('f') ? new StoredIds(path) : new RecordIds(prefix);
}

/** The beginning of a record, or null if it cannot be read. */
function headAt(path: string, offset: number): string | null {
  try {
    const bytes = readRange(path, offset, HEAD_BYTES);
    // The buffer has only the beginning of a member, and only the beginning of its text is needed.
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1');
  } catch {
    return null;
  }
}
