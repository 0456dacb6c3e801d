/**
 * The archive stage, reading side. In: a location from the store. Out: a capture with its payload as stored.
 *
 * What always holds: bytes are returned only if checksum, lengths and digests agree. A damaged or missing capture is an
 * ERR_ARCHIVE that names the capture.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { OrbweaverError } from '../core/errors.ts';
import { flawsIn, type HttpFlaw } from '../core/http-flaws.ts';
import { archiveError, tryArchive } from './archive-error.ts';
import { isArchiveFileName } from './archive-file.ts';
import { MAX_RECORD_BYTES, MemberWalk, takeMember } from './gzip-walk.ts';
import { readIntoAsync, readRange } from './read-bytes.ts';
import type { ArchivedPayload } from './shared-payloads.ts';
import { exactUrl } from './target-uri.ts';
import { digestProblem, messageOf, parseHttpMessage, parseWarcRecord, type WarcRecord } from './warc-parse.ts';

export interface CaptureAddress {
  /** The file name inside the archive folder. */
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
  readonly flaws: readonly HttpFlaw[];
  readonly payloadDigest: string | null;
  readonly status: number;
  readonly statusText: string;
  /** Name, value, name, value … with the lengths of the stored bytes (docs/archive.md). */
  readonly rawHeaders: readonly string[];
  /**
   * The payload as stored, with its content coding. For a revisit, this is the payload of the first capture. A 304 has
   * none: its headers do not describe that payload.
   */
  readonly body: Buffer;
  readonly revisit: boolean;
  readonly warcHeaders: ReadonlyMap<string, string>;
}

/** An archive folder on another machine. */
export interface RemoteArchive {
  /** Returns fewer bytes only at the end of the file. */
  read(file: string, from: number, length: number): Promise<Buffer>;
}

export type ArchiveFolder = string | RemoteArchive;
/** The archive folder, or a function that returns the folder of a file. */
export type ArchiveDir = ArchiveFolder | ((file: string) => ArchiveFolder);

/** Finds a payload by its digest, if it was moved after a revisit named its place. Null if it is unknown. */
export type FindPayload = (payloadDigest: string) => Promise<CaptureAddress | null>;

const NOWHERE: FindPayload = async () => null;
const NOT_MODIFIED = '304';

/**
 * Reads one capture. A revisit is followed to its payload. If the payload was moved, `findPayload` gives its new place.
 */
export async function readCapture(
  dir: ArchiveDir,
  address: CaptureAddress,
  findPayload: FindPayload = NOWHERE,
): Promise<Capture> {
  const where = `${address.file} at ${address.offset}`;
  const record = await readRecordAt(dir, address);
  const { headers, type } = record;
  if (type !== 'response' && type !== 'revisit')
    throw refusal(where, `the record is a ${type} record and not a capture`);
  const message = messageOf(record);
  if (message === null) throw refusal(where, 'the record contains no HTTP message');
  const [, status = '', ...reason] = message.startLine.split(' ');
  return {
    url: exactUrl(headers),
    fetchedAtMs: Date.parse(headers.get('warc-date') ?? ''),
    recordId: (headers.get('warc-record-id') ?? '').replace(/^<|>$/g, ''),
    ip: headers.get('warc-ip-address') ?? null,
    protocol: headers.get('warc-protocol') === 'h2' ? 'h2' : 'http/1.1',
    truncated: headers.get('warc-truncated') ?? null,
    flaws: flawsIn(headers.get('x-http-flaws') ?? ''),
    payloadDigest: headers.get('warc-payload-digest') ?? null,
    status: Number(status),
    statusText: reason.join(' '),
    rawHeaders: message.rawHeaders,
    body:
      type === 'revisit' && status !== NOT_MODIFIED
        ? await readFirstPayload(dir, record, where, findPayload)
        : message.payload,
    revisit: type === 'revisit',
    warcHeaders: headers,
  };
}

/** The file that has the payload of a revisit, according to the revisit. Null if the revisit cannot be read. */
export async function fileReferredTo(dir: ArchiveDir, address: CaptureAddress): Promise<string | null> {
  const refersTo = await readRefersTo(dir, address).catch(() => null);
  return refersTo?.file ?? null;
}

/** The response to which a revisit refers. Null if the record does not say where the response is. */
export async function readRefersTo(dir: ArchiveDir, address: CaptureAddress): Promise<ReferredTo | null> {
  return refersToOf(await readRecordAt(dir, address));
}

/** The date of a record as it is written. */
export async function readDate(dir: ArchiveDir, address: CaptureAddress): Promise<string> {
  return (await readRecordAt(dir, address)).headers.get('warc-date') ?? '';
}

interface ReferredTo extends ArchivedPayload {
  readonly recordId: string | null;
}

function refersToOf({ headers }: WarcRecord): ReferredTo | null {
  const field = (name: string): string => headers.get(`warc-refers-to${name}`) ?? '';
  const [file, offset] = [field('-filename'), Number(field('-file-offset') || Number.NaN)];
  if (!isArchiveFileName(file) || !Number.isSafeInteger(offset)) return null;
  const [url, fetchedAtMs, recordId] = [field('-target-uri'), Date.parse(field('-date')), field('')];
  return { url, fetchedAtMs, file, offset, recordId: recordId === '' ? null : recordId.replace(/^<|>$/g, '') };
}

async function readFirstPayload(
  dir: ArchiveDir,
  revisit: WarcRecord,
  where: string,
  findPayload: FindPayload,
): Promise<Buffer> {
  const refersTo = refersToOf(revisit);
  if (refersTo === null) throw refusal(where, 'the revisit record does not say where its payload is');
  const { file, offset } = refersTo;
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
  // Only a response has its own payload, so the chain always ends after one step.
  if (
    first.type !== 'response' ||
    first.headers.get('warc-payload-digest') !== revisit.headers.get('warc-payload-digest')
  ) {
    throw refusal(where, 'the revisit record refers to a record with a different payload');
  }
  return parseHttpMessage(first.block)!.payload;
}

/** If `length` is null, the length of the record is that of its gzip member. */
type RecordAddress = Omit<CaptureAddress, 'length'> & { readonly length: number | null };

async function readRecordAt(dir: ArchiveDir, address: RecordAddress): Promise<WarcRecord> {
  const { file, offset, length } = address;
  const where = `${file} at ${offset}`;
  if (!isArchiveFileName(file)) throw refusal(where, 'the name is not the name of an archive file');
  if (!Number.isSafeInteger(offset) || offset < 0) throw refusal(where, 'the offset is not valid');
  if (length !== null && !(length > 0 && length <= 2 * MAX_RECORD_BYTES))
    throw refusal(where, 'the length is not valid');
  const folder = typeof dir === 'function' ? dir(file) : dir;
  const member =
    length === null
      ? await readMember(folder, file, offset)
      : takeMember(await readKnown(folder, file, offset, length), offset);
  if (member.kind === 'incomplete') throw refusal(where, 'the file ends inside the record');
  if (member.kind === 'damaged') throw refusal(where, member.problem);
  if (length !== null && member.length !== length) throw refusal(where, 'the record does not have the stored length');
  const record = parseWarcRecord(member.plain, member.offset, member.length);
  if (record === null) throw refusal(where, 'there is no WARC record');
  const problem = digestProblem(record);
  if (problem !== null) throw refusal(where, problem);
  return record;
}

/** A record up to this size is read synchronously: three calls through the thread pool take longer than the read. */
const READ_AT_ONCE_BYTES = 256 * 1024;

async function readKnown(folder: ArchiveFolder, name: string, offset: number, length: number): Promise<Buffer> {
  if (typeof folder !== 'string') return folder.read(name, offset, length);
  const path = join(folder, name);
  if (length > READ_AT_ONCE_BYTES) {
    return withHandle(path, name, (handle) => readIntoAsync(Buffer.allocUnsafe(length), handle, offset));
  }
  return tryArchive(`cannot open archive file ${name}`, () => readRange(path, offset, length));
}

async function withHandle<T>(path: string, name: string, work: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(path, 'r').catch((cause) => {
    throw archiveError(`cannot open archive file ${name}`, cause);
  });
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

async function readMember(folder: ArchiveFolder, name: string, offset: number) {
  if (typeof folder !== 'string') return walkOne((from, bytes) => folder.read(name, from, bytes), offset);
  return withHandle(join(folder, name), name, (handle) =>
    walkOne((from, bytes) => readIntoAsync(Buffer.allocUnsafe(bytes), handle, from), offset),
  );
}

async function walkOne(read: (from: number, bytes: number) => Promise<Buffer>, offset: number) {
  const walk = new MemberWalk(offset);
  for (;;) {
    const result = walk.next();
    if (result.kind !== 'incomplete') return result;
    const { position, bytes } = walk.want;
    const chunk = await read(position, bytes);
    if (chunk.length === 0) return result;
    walk.feed(chunk);
  }
}

function refusal(where: string, problem: string): OrbweaverError {
  return new OrbweaverError('ERR_ARCHIVE', `cannot read the capture in ${where}: ${problem}`);
}
