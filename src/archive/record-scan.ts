/**
 * Reads the records of one of our archive files, even if it is damaged. In: a path and a start offset. Out: every
 * complete record in file order, and every range of bytes without a record.
 *
 * What always holds: a record is returned only if its gzip checksum and its lengths are correct. A damaged range is
 * skipped up to the next complete record. The file is only read.
 */
import { closeSync, fstatSync, openSync } from 'node:fs';
import { constants, gunzipSync } from 'node:zlib';
import { tryArchive } from './archive-error.ts';
import { MEMBER_HEADER } from './gzip-member.ts';
import { MemberWalk } from './gzip-walk.ts';
import { readInto } from './read-bytes.ts';
import { parseWarcRecord, type WarcRecord } from './warc-parse.ts';

export type Scanned =
  | { readonly kind: 'record'; readonly record: WarcRecord }
  /** `isEnd`: the file ends inside a record, as after a crash. */
  | { readonly kind: 'damage'; readonly fromOffset: number; readonly toOffset: number; readonly isEnd: boolean };

const MAGIC = MEMBER_HEADER.subarray(0, 4);
const SEARCH_BYTES = 1024 * 1024;
/** Enough bytes of a member to see whether it begins a record. */
const GLANCE_BYTES = 512;
const RECORD_START = /^WARC\/1\.[01]\r\n/;
const EXCHANGE_TYPES: readonly string[] = ['response', 'revisit'];

export function* scanRecords(path: string, fromOffset = 0): Generator<Scanned, void, void> {
  const fd = tryArchive(`cannot open ${path}`, () => openSync(path, 'r'));
  try {
    const endOffset = fstatSync(fd).size;
    let walk = new MemberWalk(fromOffset);
    for (;;) {
      const at = walk.offset;
      const found = readNext(fd, walk);
      if (found.kind === 'record') {
        yield found;
        continue;
      }
      if (at >= endOffset) return;
      const next = nextRecordOffset(fd, at + 1, endOffset);
      yield { kind: 'damage', fromOffset: at, toOffset: next, isEnd: found.kind === 'partial' && next === endOffset };
      if (next === endOffset) return;
      walk = new MemberWalk(next);
    }
  } finally {
    tryArchive('cannot close an archive file after reading it', () => closeSync(fd));
  }
}

/** How many complete exchanges there are after an offset. Counting stops at `most`. */
export function countExchanges(path: string, fromOffset: number, most: number): number {
  let count = 0;
  for (const found of scanRecords(path, fromOffset)) {
    if (found.kind === 'record' && isExchange(found.record) && ++count >= most) break;
  }
  return count;
}

export function isExchange({ type }: Pick<WarcRecord, 'type'>): boolean {
  return EXCHANGE_TYPES.includes(type);
}

/**
 * The fields of the warcinfo record at the start of a file, keyed by lower-case
 * names. Empty if there is no such record.
 */
export function warcinfoFields(path: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const [first] = firstRecord(path);
  if (first?.type !== 'warcinfo') return fields;
  for (const line of first.block.toString('utf8').split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return fields;
}

/**
 * The name under which a file was written, according to its warcinfo record. Null if the record does not contain it.
 */
export function writtenName(path: string): string | null {
  const [first] = firstRecord(path);
  return first?.type === 'warcinfo' ? (first.headers.get('warc-filename') ?? null) : null;
}

function firstRecord(path: string): WarcRecord[] {
  for (const found of scanRecords(path)) return found.kind === 'record' ? [found.record] : [];
  return [];
}

function readNext(
  fd: number,
  walk: MemberWalk,
): { kind: 'record'; record: WarcRecord } | { kind: 'partial' } | { kind: 'damaged' } {
  for (;;) {
    const result = walk.next();
    if (result.kind === 'member') {
      const record = parseWarcRecord(result.plain, result.offset, result.length);
      return record === null ? { kind: 'damaged' } : { kind: 'record', record };
    }
    if (result.kind === 'damaged') return { kind: 'damaged' };
    const { position, bytes } = walk.want;
    const chunk = readAt(fd, position, bytes);
    if (chunk.length === 0) return { kind: 'partial' };
    walk.feed(chunk);
  }
}

/**
 * Bodies may be gzip data too, so the magic number alone proves nothing. The
 * member must begin a record and be complete.
 */
function nextRecordOffset(fd: number, fromOffset: number, endOffset: number): number {
  for (let position = fromOffset; position < endOffset; ) {
    const chunk = readAt(fd, position, SEARCH_BYTES);
    if (chunk.length < MAGIC.length) return endOffset;
    for (let at = chunk.indexOf(MAGIC); at >= 0; at = chunk.indexOf(MAGIC, at + 1)) {
      if (isRecordAt(fd, position + at)) return position + at;
    }
    // A magic number may lie across the border of two chunks.
    position += Math.max(1, chunk.length - (MAGIC.length - 1));
  }
  return endOffset;
}

function isRecordAt(fd: number, offset: number): boolean {
  try {
    const glance = readAt(fd, offset, GLANCE_BYTES);
    const text = gunzipSync(glance, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 64 * 1024 });
    if (!RECORD_START.test(text.toString('latin1', 0, 16))) return false;
  } catch {
    return false;
  }
  return readNext(fd, new MemberWalk(offset)).kind === 'record';
}

function readAt(fd: number, position: number, bytes: number): Buffer {
  return readInto(Buffer.allocUnsafe(bytes), fd, position);
}
