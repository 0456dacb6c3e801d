/**
 * Record ids that cost a few nanoseconds and need not be kept: 74 random bits drawn once a file, then the record's offset in
 * it in 48 bits, in the form of a version 4 UUID (RFC 9562 §5.4). Two files — of other threads, other machines, other
 * times — share an id only if their random bits are equal. The first record of a file tells its random bits; with them the
 * id of any other is known from where it lies.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { isArchiveFileName } from './archive-file.ts';

const FIRST_ID = /^WARC-Record-ID: <(urn:uuid:[0-9a-f-]{24})0{12}>\r$/m;
/** A warcinfo record of ours begins with its id. */
const HEAD_BYTES = 512;

export class RecordIds {
  readonly #prefix: string;

  constructor(prefix = drawPrefix()) {
    this.#prefix = prefix;
  }

  at(offset: number): string {
    return this.#prefix + offset.toString(16).padStart(12, '0');
  }
}

function drawPrefix(): string {
  const hex = randomBytes(10).toString('hex');
  const variant = '89ab'[Number.parseInt(hex[15]!, 16) & 3]!;
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-${variant}${hex.slice(16, 19)}-`;
}

/** The ids of a file that another writer made; null if it is not there, or not one of ours. */
export function recordIdsOf(dir: string, file: string): RecordIds | null {
  if (!isArchiveFileName(file)) return null;
  try {
    const fd = openSync(join(dir, file), 'r');
    try {
      const head = Buffer.alloc(HEAD_BYTES);
      const bytes = head.subarray(0, readSync(fd, head, 0, HEAD_BYTES, 0));
      // Only the beginning of a member is there, and only the beginning of its text is wanted.
      const text = gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1');
      const prefix = FIRST_ID.exec(text)?.[1];
      return prefix === undefined ? null : new RecordIds(prefix);
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}
