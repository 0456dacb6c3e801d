/**
 * Checks one gzip member more strictly than a reader needs: also the bits that neither the checksum nor the inflater
 * checks. In: bytes that start where a member should start. Out: its plain bytes and its length, or the problem.
 *
 * The writer makes two forms (archive/gzip-member.ts, archive/record-batch.ts): stored blocks after a fixed header, and
 * the output of zlib at level 1. A member in any other form was changed after it was written.
 */
import { inflateRawSync } from 'node:zlib';
import { MEMBER_HEADER, MEMBER_TRAIL_BYTES } from '../archive/gzip-member.ts';
import { damaged, MAX_RECORD_BYTES, type MemberResult, takeMember } from '../archive/gzip-walk.ts';
import type { CaptureKey } from '../store/contract.ts';

const XFL = 8;
const OS = 9;
/**
 * RFC 1952 §2.3.1: at level 1 zlib writes 4 ("fastest algorithm"), and the system that it was compiled
 * for: Unix, Windows or macOS.
 */
const FASTEST = 4;
const SYSTEMS_OF_ZLIB: ReadonlySet<number> = new Set([3, 10, 19]);
const NO_TIME = MEMBER_HEADER.subarray(4, XFL);

export function checkMember(bytes: Buffer, offset: number): MemberResult {
  const member = takeMember(bytes, offset);
  if (member.kind !== 'member') return member;
  if (!bytes.subarray(4, XFL).equals(NO_TIME)) return damaged('the gzip header has an unexpected time');
  const isStoredForm = bytes[XFL] === MEMBER_HEADER[XFL] && bytes[OS] === MEMBER_HEADER[OS];
  if (isStoredForm) {
    return isAllStored(bytes, member.length) ? member : damaged('unused bits of a stored block are set');
  }
  if (bytes[XFL] !== FASTEST || !SYSTEMS_OF_ZLIB.has(bytes[OS]!))
    return damaged('the gzip header has unexpected fields');
  return hasCleanEnd(bytes, member) ? member : damaged('bits after the end of the compressed data are set');
}

/**
 * The system that the gzip header names. It is the same in all compressed members that one process wrote. Null
 * for a member of stored blocks.
 */
export function systemOf(bytes: Buffer): number | null {
  return bytes[OS] === MEMBER_HEADER[OS] ? null : bytes[OS]!;
}

/**
 * The end of a damaged member of stored blocks, from the lengths of its blocks, which are each written twice. Null if
 * the lengths are not consistent. `bytes` may extend beyond the member.
 */
export function endByBlocks(bytes: Buffer): number | null {
  for (let at = MEMBER_HEADER.length; at + 5 <= bytes.length; ) {
    const length = bytes.readUInt16LE(at + 1);
    if (bytes[at]! > 1 || (length ^ bytes.readUInt16LE(at + 3)) !== 0xffff) return null;
    const isLast = bytes[at] === 1;
    at += 5 + length;
    if (isLast) return at + MEMBER_TRAIL_BYTES;
  }
  return null;
}

/** True if every block is a stored block whose unused bits are zero. Only then are all bytes of the member checked. */
function isAllStored(bytes: Buffer, length: number): boolean {
  const end = length - MEMBER_TRAIL_BYTES;
  let at = MEMBER_HEADER.length;
  while (at < end) {
    const isLast = bytes[at] === 1;
    if (!isLast && bytes[at] !== 0) return false;
    at += 5 + bytes.readUInt16LE(at + 1);
    if (isLast) return at === end;
  }
  return false;
}

/**
 * Deflate data end inside a byte (RFC 1951 §3.1.1). zlib leaves the rest of that byte zero, and no reader checks it.
 * If the data inflate to the same bytes without the highest set bit, that bit is after the end of the data.
 */
function hasCleanEnd(bytes: Buffer, { length, plain }: Extract<MemberResult, { kind: 'member' }>): boolean {
  const last = length - MEMBER_TRAIL_BYTES - 1;
  const value = bytes[last]!;
  if (value === 0) return true;
  const deflated = Buffer.from(bytes.subarray(MEMBER_HEADER.length, last + 1));
  deflated[deflated.length - 1] = value & ~(1 << (31 - Math.clz32(value)));
  try {
    return !inflateRawSync(deflated, { maxOutputLength: MAX_RECORD_BYTES }).equals(plain);
  } catch {
    return true;
  }
}

export interface VotingMember {
  readonly offset: number;
  readonly bytes: number;
  readonly key: CaptureKey | null;
}

/** Members stored per system. The majority need not be stored, and a large minority is no accident. */
const MAX_REMEMBERED = 100;

/**
 * Checks the one byte of a compressed member that no other check covers: the system in the gzip header (RFC 1952
 * §2.3.1). One process writes all members of a file, so a minority of members that names another system was changed.
 */
export class SystemVote {
  readonly #isOneWriter: boolean;
  readonly #votes = new Map<number, { count: number; readonly members: VotingMember[] }>();

  constructor(isOneWriter: boolean) {
    this.#isOneWriter = isOneWriter;
  }

  add(system: number | null, member: VotingMember): void {
    if (system === null || !this.#isOneWriter) return;
    const vote = this.#votes.get(system) ?? { count: 0, members: [] };
    vote.count++;
    if (vote.members.length < MAX_REMEMBERED) vote.members.push(member);
    this.#votes.set(system, vote);
  }

  /** Returns the members of the minority, in file order. */
  odd(): VotingMember[] {
    const most = Math.max(0, ...[...this.#votes.values()].map(({ count }) => count));
    const few = [...this.#votes.values()].filter(({ count }) => count < most);
    return few.flatMap(({ members }) => members).sort((a, b) => a.offset - b.offset);
  }
}
