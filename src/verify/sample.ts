/**
 * A few captures of the whole archive, chosen at random and checked as `verify` checks them: what a refresh does each
 * time. In: an open
 * store, the archive folders of this machine. Out: how many were checked, and what was found. Always: it ends within
 * its time, and its
 * result is noted in the store for `status`.
 */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { isArchiveFileName } from '../archive/archive-file.ts';
import { parseWarcRecord } from '../archive/warc-parse.ts';
import { publish } from '../core/events.ts';
import type { CaptureFacts, Store } from '../store/contract.ts';
import { checkMember } from './check-member.ts';
import { captureProblem, ownProblem } from './check-record.ts';

export type SampleStore = Pick<Store, 'sampleCaptures' | 'captureFacts' | 'setNote' | 'note'>;

/** What `refresh --json` and `status --json` tell of it: a contract. */
export interface SampleResult {
  readonly checked: number;
  readonly damaged: number;
}

export interface NotedSample extends SampleResult {
  readonly at: string;
}

/** As many as cost a few milliseconds. */
const CAPTURES = 16;
/** A slow disk ends the sample early. */
const MOST_MS = 250;
/** Larger records are left to `verify`: reading one would cost as much as all the others. */
const MOST_BYTES = 4 * 1024 * 1024;
const NOTE = 'sample-check';

export async function sampleArchive(
  store: SampleStore,
  archives: readonly string[],
  nowMs: number,
  random: () => number = Math.random,
): Promise<SampleResult> {
  const endMs = performance.now() + MOST_MS;
  const keys = await store.sampleCaptures(Array.from({ length: CAPTURES }, random));
  let [checked, damaged] = [0, 0];
  let first: string | null = null;
  for (const facts of await store.captureFacts(keys)) {
    if (performance.now() > endMs) break;
    const problem = facts === null ? 'none' : problemOf(facts, archives);
    if (problem === 'none') continue;
    checked++;
    if (problem === null || !(await isStillThere(store, facts!))) continue;
    damaged++;
    first ??= `${facts!.url}: ${problem} (${facts!.capture.file} at ${facts!.capture.offset})`;
  }
  await store.setNote(
    NOTE,
    JSON.stringify({ at: new Date(nowMs).toISOString(), checked, damaged } satisfies NotedSample),
  );
  if (first !== null) {
    const some = `${damaged} of ${checked} answers that were checked at random are damaged in the archive, the first ${first}`;
    publish('crawl/warning', { message: `${some}; check all of it: orbweaver verify` });
  }
  return { checked, damaged };
}

/** The last sample; null where none was taken. */
export async function lastSample(store: Pick<Store, 'note'>): Promise<NotedSample | null> {
  return JSON.parse((await store.note(NOTE)) ?? 'null') as NotedSample | null;
}

/** Null where it is sound, and `none` where it is not to be judged here. */
function problemOf(facts: CaptureFacts, archives: readonly string[]): string | 'none' | null {
  const { file, offset, length, damage } = facts.capture;
  if (damage !== undefined || length > MOST_BYTES || !isArchiveFileName(file)) return 'none';
  const folder = archives.find((one) => existsSync(join(one, file)));
  // On another machine, or missing: that is what the start of a run, and verify, look for.
  if (folder === undefined) return 'none';
  const bytes = readRange(join(folder, file), offset, length);
  if (typeof bytes === 'string') return bytes;
  const member = checkMember(bytes, offset);
  if (member.kind === 'incomplete') return 'the file ends inside the record';
  if (member.kind === 'damaged') return member.problem;
  const record = parseWarcRecord(member.plain, offset, member.length);
  if (record === null) return 'the member holds no WARC record';
  return ownProblem(record) ?? captureProblem(record, facts);
}

async function isStillThere(store: SampleStore, { id, timeMs, capture }: CaptureFacts): Promise<boolean> {
  const [now] = await store.captureFacts([{ id, timeMs }]);
  return now?.capture.file === capture.file && now.capture.offset === capture.offset;
}

/** The bytes, or why the disk does not give them. */
function readRange(path: string, offset: number, length: number): Buffer | string {
  try {
    const fd = openSync(path, 'r');
    try {
      const bytes = Buffer.allocUnsafe(length);
      return bytes.subarray(0, readSync(fd, bytes, 0, length, offset));
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return `it cannot be read: ${(error as Error).message}`;
  }
}
