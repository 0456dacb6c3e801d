/**
 * Record ids that cost a few nanoseconds and need not be kept: 74 random bits drawn once a file, then the record's offset in
 * it in 48 bits, in the form of a version 4 UUID (RFC 9562 §5.4). Two files — of other threads, other machines, other
 * times — share an id only if their random bits are equal. The first record of a file tells its random bits; with them the
 * id of any other is known from where it lies.
 *
 * Records that were moved into another file keep the ids they had, because others refer to them. The first record of such a
 * file says so, by an offset that no record has, and the id of each of its records is read from the record.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { isArchiveFileName } from './archive-file.ts';

const FIRST_ID = /^WARC-Record-ID: <(urn:uuid:[0-9a-f-]{24})(0{12}|f{12})>\r$/m;
const NO_OFFSET = 0xffff_ffff_ffff;
/** The records of ours begin with their type and their id. */
const RESPONSE_ID = /^WARC\/1\.1\r\nWARC-Type: response\r\nWARC-Record-ID: <(urn:uuid:[0-9a-f-]{36})>\r\n/;
const HEAD_BYTES = 512;

/** The ids of a file's records by their offsets; null where there is no response. */
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

/** For the first record of a file whose records come from others. */
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

/** The ids of a file that another writer made; null if it is not there, or not one of ours. */
export function recordIdsOf(dir: string, file: string): FileIds | null {
  if (!isArchiveFileName(file)) return null;
  const path = join(dir, file);
  const [, prefix, offset] = FIRST_ID.exec(headAt(path, 0) ?? '') ?? [];
  if (prefix === undefined) return null;
  return offset!.startsWith('f') ? new StoredIds(path) : new RecordIds(prefix);
}

/** How a record begins; null where it cannot be read. */
function headAt(path: string, offset: number): string | null {
  try {
    const fd = openSync(path, 'r');
    try {
      const head = Buffer.alloc(HEAD_BYTES);
      const bytes = head.subarray(0, readSync(fd, head, 0, HEAD_BYTES, offset));
      // Only the beginning of a member is there, and only the beginning of its text is wanted.
      return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1');
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}
