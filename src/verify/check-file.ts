/**
 * Compares one archive file with the store in both directions at once: a merge of its records and the store's captures
 * in this file, in the order of their offsets. In: the file and the captures. Out: findings. What always holds: every
 * finding is checked against the store again before it is reported, because another process may have moved or dropped
 * the capture in the meantime. Only a window of the file is in memory.
 */
import type { WarcRecord } from '../archive/warc-parse.ts';
import type { CaptureFacts, CaptureKey, FileCaptures, Store } from '../store/contract.ts';
import { SystemVote } from './check-member.ts';
import { captureProblem, ownProblem, pageProblem, recordIdOf } from './check-record.ts';
import type { FileBytes } from './file-bytes.ts';
import { type Finding, type FindingKind, type Found, isoTime, NO_PLACE } from './findings.ts';
import type { VerifyCounts } from './verify-state.ts';
import { type WalkStep, walkRecords } from './walk-records.ts';

export type FileCheckStore = Pick<Store, 'captureFacts' | 'archiveFiles'>;

export interface FileCheck {
  readonly store: FileCheckStore;
  readonly bytes: FileBytes;
  readonly captures: FileCaptures;
  /** The offset to start at: 0, or the offset where an earlier run stopped. */
  readonly from: number;
  readonly counts: Pick<VerifyCounts, 'records' | 'captures' | 'bytes' | 'unknownRecords'>;
  readonly found: (found: Found) => Promise<void>;
  /** Called for a capture that is marked as damaged although its record is sound. */
  readonly restored: (facts: CaptureFacts) => Promise<void>;
  /** Called after each record with the offset up to which the file is checked. The check ends if it returns true. */
  readonly checkedTo: (offset: number) => Promise<boolean>;
}

/** The place of a problem in the file. */
type Stretch = { readonly offset: number; readonly bytes: number | null };

/** Number of captures whose facts are read in one query. */
const FACTS_AT_ONCE = 500;
/**
 * A record id consists of the id of its file and its offset (archive/record-id.ts). Moved records keep their old id.
 */
const FIRST_ID = /^(urn:uuid:[0-9a-f-]{24})0{12}$/;

/** Files with records from other files, which may have been written on another system (archive/compact.ts). */
const IS_COMPACTED = /-kept-\d+\.warc\.gz$/;

/** Returns true if the file was checked to its end. */
export async function checkFile(check: FileCheck): Promise<boolean> {
  return new FileChecker(check).run();
}

class FileChecker {
  readonly #check: FileCheck;
  #next = 0;
  #facts: readonly (CaptureFacts | null)[] = [];
  #factsFrom = 0;
  #idPrefix: string | null = null;
  readonly #systems: SystemVote;
  /** The id of the response record before the next request or metadata record. Null if it is not known. */
  #answerId: string | null = null;

  constructor(check: FileCheck) {
    this.#check = check;
    this.#systems = new SystemVote(!IS_COMPACTED.test(check.captures.file));
  }

  async run(): Promise<boolean> {
    const { bytes, captures, counts, from, checkedTo } = this.#check;
    if (from === 0 && bytes.sizeBytes < captures.bytes && (await this.#isShort())) await this.#reportShort();
    if (!(await this.#isOwnFile(from))) return true;
    while (this.#offset() < from) this.#next++;
    for await (const step of walkRecords(bytes, captures, from)) {
      const before = this.#next;
      while (this.#offset() < step.offset) await this.#lost();
      if (step.kind === 'damaged') await this.#damaged(step);
      else {
        const { offset, end, system } = step;
        this.#systems.add(system, { offset, bytes: end - offset, key: this.#keyAt(offset) });
        await this.#record(step.record);
      }
      // Captures whose offset is inside a record. No record can begin there.
      while (this.#offset() < step.end) await this.#lost();
      counts.records++;
      counts.captures += this.#next - before;
      counts.bytes += step.end - step.offset;
      if (await checkedTo(step.end)) return false;
    }
    for (const member of this.#systems.odd()) {
      const problem = 'the gzip header names another system than the records around it';
      await this.#report('damaged-record', member, problem, member.key);
    }
    return true;
  }

  #keyAt(offset: number): CaptureKey | null {
    return this.#offset() === offset ? this.#key(this.#next) : null;
  }

  /** The offset of the next capture that counts. `#reportShort` reports the captures after the end of the file. */
  #offset(): number {
    const { captures, bytes } = this.#check;
    const offset = captures.offsets[this.#next] ?? Number.POSITIVE_INFINITY;
    return offset < bytes.endOffset ? offset : Number.POSITIVE_INFINITY;
  }

  async #isShort(): Promise<boolean> {
    const { store, captures, bytes } = this.#check;
    // The store may have been updated since: the end of the file may be known to be lost.
    return ((await store.archiveFiles()).get(captures.file) ?? 0) > bytes.sizeBytes;
  }

  async #reportShort(): Promise<void> {
    const { store, captures, bytes, found } = this.#check;
    const isBehind = (i: number) => captures.offsets[i]! + captures.lengths[i]! > bytes.sizeBytes;
    const problem = `the file has ${bytes.sizeBytes} bytes, but the database says ${captures.bytes}`;
    await found(await wholeFile(store, captures, { kind: 'short-file', offset: bytes.sizeBytes, problem }, isBehind));
  }

  /** The first record names its file. If it is damaged, this check is skipped, and the walk reports the damage. */
  async #isOwnFile(from: number): Promise<boolean> {
    const { bytes, captures, found, store } = this.#check;
    for await (const step of walkRecords(bytes, captures, 0)) {
      if (step.kind === 'damaged' || step.record.type !== 'warcinfo') return true;
      this.#idPrefix = FIRST_ID.exec(recordIdOf(step.record))?.[1] ?? null;
      const name = step.record.headers.get('warc-filename') ?? '';
      if (name === captures.file) return true;
      if (from > 0 || !(await store.archiveFiles()).has(captures.file)) return false;
      const problem = `the file was written as ${name}`;
      await found(await wholeFile(store, captures, { kind: 'swapped-file', offset: 0, problem }));
      return false;
    }
    return true;
  }

  async #record(record: WarcRecord): Promise<void> {
    const isAnswer = record.type === 'response' || record.type === 'revisit';
    const stretch = { offset: record.offset, bytes: record.length };
    const problem = ownProblem(record) ?? this.#placeProblem(record);
    if (isAnswer) this.#answerId = problem === null ? recordIdOf(record) : null;
    if (this.#offset() !== record.offset) {
      if (problem !== null) await this.#report('damaged-record', stretch, problem, null);
      else if (isAnswer) this.#check.counts.unknownRecords++;
      return;
    }
    const facts = await this.#factsOfNext();
    const key = this.#key(this.#next++);
    if (problem !== null) return this.#report('damaged-record', stretch, problem, key);
    // The capture was moved or dropped after the captures were listed.
    if (facts === null || !this.#isHere(facts, record.offset)) return;
    const differing = captureProblem(record, facts);
    if (differing !== null) {
      // Another response may be in place of the right one. The request record after it must not be reported for that.
      this.#answerId = null;
      return this.#report('mismatch', stretch, differing, key);
    }
    const page = await pageProblem(record, facts);
    if (page !== null) return this.#report('page-mismatch', stretch, page, key);
    if (facts.capture.damage !== undefined) await this.#check.restored(facts);
  }

  /** Checks whether the record fits its place in the file. */
  #placeProblem(record: WarcRecord): string | null {
    if ((record.type === 'warcinfo') !== (record.offset === 0)) {
      return 'a file must begin with a warcinfo record and have no other';
    }
    const id = recordIdOf(record);
    if (this.#idPrefix !== null && id !== this.#idPrefix + record.offset.toString(16).padStart(12, '0')) {
      return 'the id of the record does not match its position';
    }
    if (record.type !== 'request' && record.type !== 'metadata') return null;
    const answerId = record.headers.get('warc-concurrent-to') ?? '';
    const isOther = this.#answerId !== null && answerId !== `<${this.#answerId}>`;
    return isOther ? 'the record does not belong to the response before it' : null;
  }

  async #damaged({ offset, end, problem }: Extract<WalkStep, { kind: 'damaged' }>): Promise<void> {
    const { bytes, captures } = this.#check;
    this.#answerId = null;
    const isCapture = this.#offset() === offset;
    const key = isCapture ? this.#key(this.#next++) : null;
    // The record that the end of the file cuts through is reported with the file.
    if (end >= bytes.endOffset && bytes.endOffset < captures.bytes) return;
    await this.#report('damaged-record', { offset, bytes: end - offset }, problem, key);
  }

  async #lost(): Promise<void> {
    const stretch = { offset: this.#offset(), bytes: null };
    await this.#report('lost-record', stretch, 'no record begins at this offset', this.#key(this.#next++));
  }

  async #report(kind: FindingKind, stretch: Stretch, problem: string, key: CaptureKey | null): Promise<void> {
    const { store, found, captures } = this.#check;
    if (key === null) {
      // The file may have been given up in the meantime. Then there is nothing to report.
      if (!(await store.archiveFiles()).has(captures.file)) return;
      await found({ finding: this.#finding(kind, stretch, problem, null), damaged: [], payloads: [], marked: 0 });
      return;
    }
    const [facts] = await store.captureFacts([key]);
    if (!facts || !this.#isHere(facts, stretch.offset)) return;
    const payloads = facts.capture.revisit ? [] : [facts.capture.payloadDigest];
    const marked = facts.capture.damage === undefined ? 0 : 1;
    await found({ finding: this.#finding(kind, stretch, problem, facts), damaged: [key], payloads, marked });
  }

  #finding(kind: FindingKind, { offset, bytes }: Stretch, problem: string, facts: CaptureFacts | null): Finding {
    const { file } = this.#check.captures;
    const fetchedAt = facts === null ? null : isoTime(facts.capture.fetchedAtMs);
    const captures = facts === null ? 0 : 1;
    return { kind, problem, file, offset, bytes, url: facts?.url ?? null, fetchedAt, captures };
  }

  #isHere({ capture }: CaptureFacts, offset: number): boolean {
    return capture.file === this.#check.captures.file && capture.offset === offset;
  }

  #key(i: number): CaptureKey {
    const { ids, timesMs } = this.#check.captures;
    return { id: ids[i]!, timeMs: timesMs[i]! };
  }

  async #factsOfNext(): Promise<CaptureFacts | null> {
    const { store, captures } = this.#check;
    if (this.#next >= this.#factsFrom + this.#facts.length) {
      const to = Math.min(this.#next + FACTS_AT_ONCE, captures.ids.length);
      const keys: CaptureKey[] = [];
      for (let i = this.#next; i < to; i++) keys.push(this.#key(i));
      this.#facts = await store.captureFacts(keys);
      this.#factsFrom = this.#next;
    }
    return this.#facts[this.#next - this.#factsFrom] ?? null;
  }
}

/** A finding about a whole file, with the selected captures that the store still has in this file. */
export async function wholeFile(
  store: Pick<Store, 'captureFacts'>,
  { file, ids, timesMs }: FileCaptures,
  { kind, offset, problem }: Pick<Finding, 'kind' | 'offset' | 'problem'>,
  isMeant: (i: number) => boolean = () => true,
): Promise<Found> {
  const keys = ids.map((id, i) => ({ id, timeMs: timesMs[i]! })).filter((_, i) => isMeant(i));
  const damaged: CaptureKey[] = [];
  const payloads: string[] = [];
  let marked = 0;
  for (let from = 0; from < keys.length; from += FACTS_AT_ONCE) {
    for (const facts of await store.captureFacts(keys.slice(from, from + FACTS_AT_ONCE))) {
      if (facts?.capture.file !== file) continue;
      damaged.push({ id: facts.id, timeMs: facts.timeMs });
      if (!facts.capture.revisit) payloads.push(facts.capture.payloadDigest);
      if (facts.capture.damage !== undefined) marked++;
    }
  }
  return { finding: { kind, problem, ...NO_PLACE, file, offset, captures: damaged.length }, damaged, payloads, marked };
}
