/**
 * Checks a few random captures of the whole archive as `verify` does. Every refresh runs it. In: an open store and the
 * archive folders of this machine. Out: the number of checked and of damaged captures. What always holds: it ends
 * within its time limit, and its result is stored for `status`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isArchiveFileName } from '../archive/archive-file.ts';
import { readRange } from '../archive/read-bytes.ts';
import { parseWarcRecord } from '../archive/warc-parse.ts';
import { publish } from '../core/events.ts';
import type { CaptureFacts, Store } from '../store/contract.ts';
import { checkMember } from './check-member.ts';
import { captureProblem, ownProblem } from './check-record.ts';

export type SampleStore = Pick<Store, 'sampleCaptures' | 'captureFacts' | 'setNote' | 'note'>;

/** The fields that `refresh --json` and `status --json` print. They are a stable interface. */
export interface SampleResult {
  readonly checked: number;
  readonly damaged: number;
}

export interface NotedSample extends SampleResult {
  readonly at: string;
}

/** This many captures cost a few milliseconds. */
const CAPTURES = 16;
/** A slow disk ends the sample early. */
const MAX_MS = 250;
/** Larger records are left to `verify`: one of them would cost as much as all others. */
const MAX_BYTES = 4 * 1024 * 1024;
const NOTE = 'sample-check';

export async function sampleArchive(
  store: SampleStore,
  archives: readonly string[],
  nowMs: number,
  random: () => number = Math.random,
): Promise<SampleResult> {
  const endMs = performance.now() + MAX_MS;
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
    const some = `${damaged} of ${checked} randomly checked responses are damaged in the archive, the first is ${first}`;
    publish('crawl/warning', { message: `${some}; to check the whole archive: orbweaver verify` });
  }
  return { checked, damaged };
}

/** The result of the last sample, or null. */
export async function lastSample(store: Pick<Store, 'note'>): Promise<NotedSample | null> {
  return JSON.parse((await store.note(NOTE)) ?? 'null') as NotedSample | null;
}

/** Returns the problem, null if the capture is sound, and `none` if it cannot be judged here. */
function problemOf(facts: CaptureFacts, archives: readonly string[]): string | 'none' | null {
  const { file, offset, length, damage } = facts.capture;
  if (damage !== undefined || length > MAX_BYTES || !isArchiveFileName(file)) return 'none';
  const folder = archives.find((one) => existsSync(join(one, file)));
  // The file is on another machine or missing. The start of a run and `verify` check for missing files.
  if (folder === undefined) return 'none';
  let bytes: Buffer;
  try {
    bytes = readRange(join(folder, file), offset, length);
  } catch (error) {
    return `it cannot be read: ${(error as Error).message}`;
  }
  const member = checkMember(bytes, offset);
  if (member.kind === 'incomplete') return 'the file ends inside the record';
  if (member.kind === 'damaged') return member.problem;
  const record = parseWarcRecord(member.plain, offset, member.length);
  if (record === null) return 'the gzip member has no WARC record';
  return ownProblem(record) ?? captureProblem(record, facts);
}

async function isStillThere(store: SampleStore, { id, timeMs, capture }: CaptureFacts): Promise<boolean> {
  const [now] = await store.captureFacts([{ id, timeMs }]);
  return now?.capture.file === capture.file && now.capture.offset === capture.offset;
}
