/**
 * The archive stage, reading side. In: a location that the store kept, or a file. Out: a capture with its payload as stored,
 * or every record in order. Always: bytes are handed out only when checksum, lengths and digests agree; a damaged or
 * missing capture is an ERR_ARCHIVE that says which; walking a file never throws for what is in it.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { OrbweaverError } from '../core/errors.ts';
import { archiveError } from './archive-error.ts';
import { isArchiveFileName } from './archive-file.ts';
import { MAX_RECORD_BYTES, MemberWalk, takeMember } from './gzip-walk.ts';
import { digestProblem, parseHttpMessage, parseWarcRecord, type WarcRecord } from './warc-parse.ts';

export interface CaptureAddress {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

export interface Capture {
  readonly url: string;
  readonly fetchedAtMs: number;
  readonly recordId: string;
  readonly ip: string | null;
  readonly protocol: 'http/1.1' | 'h2';
  readonly truncated: string | null;
  readonly payloadDigest: string | null;
  readonly status: number;
  readonly statusText: string;
  /** Name, value, name, value … with the lengths of the stored bytes (docs/archive.md). */
  readonly rawHeaders: readonly string[];
  /** The payload as stored: its content coding is still on it. Of a revisit it is the first capture's payload. */
  readonly body: Buffer;
  readonly revisit: boolean;
  readonly warcHeaders: ReadonlyMap<string, string>;
}

/** The archive's folder, or which of several has a file. */
export type ArchiveDir = string | ((file: string) => string);

/** Where a payload is that was moved since a revisit named its place, by its digest; null where nobody knows. */
export type FindPayload = (payloadDigest: string) => Promise<CaptureAddress | null>;

const NOWHERE: FindPayload = async () => null;

/** One capture; a revisit is followed to the payload it stands for, and `findPayload` is asked where that went. */
export async function readCapture(
  dir: ArchiveDir,
  address: CaptureAddress,
  findPayload: FindPayload = NOWHERE,
): Promise<Capture> {
  const where = `${address.file} at ${address.offset}`;
  const record = await readRecordAt(dir, address);
  const { headers, type } = record;
  if (type !== 'response' && type !== 'revisit') throw refusal(where, `a ${type} record is no capture`);
  const message = parseHttpMessage(record.block);
  if (message === null) throw refusal(where, 'the block holds no HTTP message');
  const [, status = '', ...reason] = message.startLine.split(' ');
  return {
    url: headers.get('warc-target-uri') ?? '',
    fetchedAtMs: Date.parse(headers.get('warc-date') ?? ''),
    recordId: (headers.get('warc-record-id') ?? '').replace(/^<|>$/g, ''),
    ip: headers.get('warc-ip-address') ?? null,
    protocol: headers.get('warc-protocol') === 'h2' ? 'h2' : 'http/1.1',
    truncated: headers.get('warc-truncated') ?? null,
    payloadDigest: headers.get('warc-payload-digest') ?? null,
    status: Number(status),
    statusText: reason.join(' '),
    rawHeaders: message.rawHeaders,
    body: type === 'revisit' ? await readFirstPayload(dir, record, where, findPayload) : message.payload,
    revisit: type === 'revisit',
    warcHeaders: headers,
  };
}

/** The file that a revisit says its payload is in; null where it cannot be read. */
export async function fileReferredTo(dir: ArchiveDir, address: CaptureAddress): Promise<string | null> {
  try {
    return (await readRecordAt(dir, address)).headers.get('warc-refers-to-filename') ?? null;
  } catch {
    return null;
  }
}

/** Every record of a file in order. After the loop, `problem` says whether it ended as it should. */
export function readWarcFile(path: string, endOffset = Number.MAX_SAFE_INTEGER): WarcFileReader {
  return new WarcFileReader(path, endOffset);
}

export class WarcFileReader implements AsyncIterable<WarcRecord> {
  /** Up to here the file holds whole records. */
  readableToBytes = 0;
  /** `partial`: the last record is cut off. `damaged`: what follows is no record. Null: the file ends with a record. */
  problem: 'partial' | 'damaged' | null = null;
  readonly #path: string;
  readonly #endOffset: number;

  constructor(path: string, endOffset: number) {
    this.#path = path;
    this.#endOffset = endOffset;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WarcRecord, void, void> {
    this.readableToBytes = 0;
    this.problem = null;
    const handle = await openForReading(this.#path, this.#path);
    try {
      const walk = new MemberWalk();
      for (;;) {
        const result = walk.next();
        if (result.kind === 'member') {
          const record = parseWarcRecord(result.plain, result.offset, result.length);
          if (record === null) {
            this.problem = 'damaged';
            return;
          }
          this.readableToBytes = result.offset + result.length;
          yield record;
        } else if (result.kind === 'damaged') {
          this.problem = 'damaged';
          return;
        } else {
          const { position, bytes } = walk.want;
          const chunk = await readAt(handle, position, Math.min(bytes, this.#endOffset - position));
          if (chunk.length === 0) {
            if (walk.leftBytes > 0) this.problem = 'partial';
            return;
          }
          walk.feed(chunk);
        }
      }
    } finally {
      await handle.close();
    }
  }
}

async function readFirstPayload(
  dir: ArchiveDir,
  revisit: WarcRecord,
  where: string,
  findPayload: FindPayload,
): Promise<Buffer> {
  const file = revisit.headers.get('warc-refers-to-filename') ?? '';
  const offset = Number(revisit.headers.get('warc-refers-to-file-offset') ?? Number.NaN);
  if (!isArchiveFileName(file) || !Number.isSafeInteger(offset)) throw refusal(where, 'the revisit leads nowhere');
  try {
    return await readPayloadAt(dir, { file, offset, length: null }, revisit, where);
  } catch (error) {
    const digest = revisit.headers.get('warc-payload-digest') ?? '';
    const moved = await findPayload(digest).catch(() => null);
    if (moved === null) throw error;
    return await readPayloadAt(dir, moved, revisit, where);
  }
}

async function readPayloadAt(
  dir: ArchiveDir,
  address: RecordAddress,
  revisit: WarcRecord,
  where: string,
): Promise<Buffer> {
  const first = await readRecordAt(dir, address);
  // Only a response has a payload of its own, so one step always ends the chain.
  if (
    first.type !== 'response' ||
    first.headers.get('warc-payload-digest') !== revisit.headers.get('warc-payload-digest')
  ) {
    throw refusal(where, 'the revisit leads to another payload');
  }
  return parseHttpMessage(first.block)!.payload;
}

/** A record whose length is not known is as long as its member is. */
type RecordAddress = Omit<CaptureAddress, 'length'> & { readonly length: number | null };

async function readRecordAt(dir: ArchiveDir, address: RecordAddress): Promise<WarcRecord> {
  const { file, offset, length } = address;
  const where = `${file} at ${offset}`;
  if (!isArchiveFileName(file)) throw refusal(where, 'that is no archive file');
  if (!Number.isSafeInteger(offset) || offset < 0) throw refusal(where, 'that is no offset');
  if (length !== null && !(length > 0 && length <= 2 * MAX_RECORD_BYTES)) throw refusal(where, 'that is no length');
  const path = join(typeof dir === 'string' ? dir : dir(file), file);
  const member =
    length === null
      ? await withHandle(path, file, (handle) => walkOne(handle, offset))
      : takeMember(await readRange(path, file, offset, length), offset);
  if (member.kind === 'incomplete') throw refusal(where, 'the file ends inside the record');
  if (member.kind === 'damaged') throw refusal(where, member.problem);
  if (length !== null && member.length !== length) throw refusal(where, 'the record has another length');
  const record = parseWarcRecord(member.plain, member.offset, member.length);
  if (record === null) throw refusal(where, 'the member holds no WARC record');
  const problem = digestProblem(record);
  if (problem !== null) throw refusal(where, problem);
  return record;
}

/** A page's worth is read at once: going by way of the thread pool, three times, takes longer than reading it. */
const READ_AT_ONCE_BYTES = 256 * 1024;

async function readRange(path: string, name: string, offset: number, length: number): Promise<Buffer> {
  if (length > READ_AT_ONCE_BYTES) return withHandle(path, name, (handle) => readAt(handle, offset, length));
  try {
    const fd = openSync(path, 'r');
    try {
      const buffer = Buffer.allocUnsafe(length);
      return buffer.subarray(0, readSync(fd, buffer, 0, length, offset));
    } finally {
      closeSync(fd);
    }
  } catch (cause) {
    throw archiveError(`cannot open archive file ${name}`, cause);
  }
}

async function withHandle<T>(path: string, name: string, work: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await openForReading(path, name);
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

async function walkOne(handle: FileHandle, offset: number) {
  const walk = new MemberWalk(offset);
  for (;;) {
    const result = walk.next();
    if (result.kind !== 'incomplete') return result;
    const chunk = await readAt(handle, walk.want.position, walk.want.bytes);
    if (chunk.length === 0) return result;
    walk.feed(chunk);
  }
}

async function readAt(handle: FileHandle, position: number, bytes: number): Promise<Buffer> {
  if (bytes <= 0) return Buffer.alloc(0);
  const buffer = Buffer.allocUnsafe(bytes);
  let filled = 0;
  while (filled < bytes) {
    const { bytesRead } = await handle.read(buffer, filled, bytes - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

async function openForReading(path: string, name: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (cause) {
    throw archiveError(`cannot open archive file ${name}`, cause);
  }
}

function refusal(where: string, problem: string): OrbweaverError {
  return new OrbweaverError('ERR_ARCHIVE', `cannot read the capture in ${where}: ${problem}`);
}
