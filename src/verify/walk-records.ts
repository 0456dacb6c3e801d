/**
 * Walks through the records of an archive file in order, across damage. In: the bytes of the file and the places
 * of the store's captures. Out: each sound member, and each damaged range. What always holds: a damaged range ends
 * where the next sound record begins, or where a record begins according to the store. One damaged record
 * therefore hides no other record.
 */

import { MEMBER_HEADER } from '../archive/gzip-member.ts';
import { parseWarcRecord, type WarcRecord } from '../archive/warc-parse.ts';
import type { FileCaptures } from '../store/contract.ts';
import { checkMember, endByBlocks, systemOf } from './check-member.ts';
import type { FileBytes } from './file-bytes.ts';

export type WalkStep =
  | {
      readonly kind: 'record';
      readonly offset: number;
      readonly end: number;
      readonly record: WarcRecord;
      /** The system in the gzip header, see check-member.ts. */
      readonly system: number | null;
    }
  | { readonly kind: 'damaged'; readonly offset: number; readonly end: number; readonly problem: string };

/** The store's captures in a file, ordered by offset. */
export type KnownPlaces = Pick<FileCaptures, 'offsets' | 'lengths'>;

type Taken = Extract<WalkStep, { kind: 'record' }> | { readonly kind: 'damaged'; readonly problem: string };

/** Most records are smaller. Larger records are read in a second step. */
const FIRST_BYTES = 64 * 1024;
const SCAN_BYTES = 256 * 1024;
const MAGIC = MEMBER_HEADER.subarray(0, 4);

/** A record must begin at `from`. */
export async function* walkRecords(
  bytes: FileBytes,
  { offsets, lengths }: KnownPlaces,
  from: number,
): AsyncGenerator<WalkStep, void, void> {
  let next = 0;
  for (let at = from; at < bytes.endOffset; ) {
    while (next < offsets.length && offsets[next]! < at) next++;
    const length = offsets[next] === at ? lengths[next]! : null;
    const following = Math.min(offsets[length === null ? next : next + 1] ?? bytes.endOffset, bytes.endOffset);
    // A damaged stream may ask for ever more bytes. A sound record ends before the next capture begins.
    const taken = await takeRecord(bytes, at, Math.max(FIRST_BYTES, following - at));
    if (taken.kind === 'record') {
      yield taken;
      at = taken.end;
      continue;
    }
    const end = await endOfDamage(bytes, at, length, following);
    yield { kind: 'damaged', offset: at, end, problem: taken.problem };
    at = end;
  }
}

/** Returns the record at this offset if it is sound and at most `maxBytes` long. */
async function takeRecord(bytes: FileBytes, at: number, maxBytes: number): Promise<Taken> {
  for (let want = Math.min(FIRST_BYTES, maxBytes); ; ) {
    const window = await bytes.around(at, want);
    const member = checkMember(window, at);
    if (member.kind === 'damaged') return member;
    if (member.kind === 'member') {
      const record = parseWarcRecord(member.plain, at, member.length);
      if (record === null) return { kind: 'damaged', problem: 'the gzip member has no WARC record' };
      return { kind: 'record', offset: at, end: at + member.length, record, system: systemOf(window) };
    }
    if (at + window.length >= bytes.endOffset) return { kind: 'damaged', problem: 'the file ends inside the record' };
    if (window.length >= maxBytes) return { kind: 'damaged', problem: 'the record has no end' };
    want = Math.min(maxBytes, 2 * window.length);
  }
}

/** Returns the offset at which to continue after a damaged record. `length` is its length in the store, if known. */
async function endOfDamage(bytes: FileBytes, at: number, length: number | null, following: number): Promise<number> {
  const stated = length ?? endByBlocks(await bytes.at(at, Math.min(FIRST_BYTES, following - at)));
  const expected = stated === null || at + stated > following ? following : at + stated;
  if (expected < following && MAGIC.equals(await bytes.at(expected, MAGIC.length))) return expected;
  // The length is not known, or no record begins after it: bytes may have been cut out.
  return (await nextRecord(bytes, at + 1, expected)) ?? expected;
}

/** Returns the first offset in a range at which a sound record begins. */
async function nextRecord(bytes: FileBytes, from: number, to: number): Promise<number | null> {
  for (let at = from; at < to; ) {
    const window = await bytes.at(at, Math.min(SCAN_BYTES, to - at));
    const found = window.indexOf(MAGIC);
    if (found < 0) {
      // The last bytes may be the start of the magic number.
      at += Math.max(1, window.length - MAGIC.length + 1);
      continue;
    }
    const candidate = at + found;
    const taken = await takeRecord(bytes, candidate, Math.max(FIRST_BYTES, to - candidate));
    if (taken.kind === 'record') return candidate;
    at = candidate + 1;
  }
  return null;
}
