/**
 * The progress of `verify`, in two files of the data folder: `verify.json` has the cursor and the counts,
 * `verify.jsonl` has one finding per line. What always holds: the findings of everything before the cursor are in the
 * second file. A killed run loses at most the checks since the last save, and the next run repeats them.
 */
import { appendFileSync, readFileSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OrbweaverError } from '../core/errors.ts';
import { makeDataFile, makeDataFolder } from '../core/file-modes.ts';
import { safeJson } from '../core/safe-text.ts';
import { FINDING_KINDS, type Finding, type FindingKind } from './findings.ts';

const STATE_FILE = 'verify.json';
export const FINDINGS_FILE = 'verify.jsonl';

const VERIFY_PHASES = ['database', 'files', 'pages', 'done'] as const;
export type VerifyPhase = (typeof VERIFY_PHASES)[number];

const NO_COUNTS = {
  /** Numbers of checked archive files, captures, records of all kinds and bytes. */
  files: 0,
  captures: 0,
  records: 0,
  bytes: 0,
  /** Number of checked URLs of the database. */
  urls: 0,
  /**
   * Responses in the archive that the database does not know: dropped versions and refused
   * responses. They are not damage.
   */
  unknownRecords: 0,
  /**
   * Files in the archive folder that the database does not know, and bytes after the known end of
   * a file. They are not damage.
   */
  unknownFiles: 0,
  unknownBytes: 0,
  /** Files on other machines. They are not checked here. */
  elsewhereFiles: 0,
  /** Damage that an earlier repair has marked. */
  knownDamage: 0,
  /** The results of `--repair`: marked responses, removed marks, and URLs that wait to be fetched again. */
  marked: 0,
  restored: 0,
  refetch: 0,
};

export type VerifyCounts = typeof NO_COUNTS & { findings: Record<FindingKind, number> };

export interface VerifyState {
  readonly version: 1;
  readonly startedAt: string;
  savedAt: string;
  repair: boolean;
  phase: VerifyPhase;
  /** All files before this one, in the order of names, are checked, and this file is checked up to the offset. */
  file: string;
  offset: number;
  /** All URLs up to this id are checked. */
  urlId: number;
  /** Length of the findings file that belongs to this state. */
  findingBytes: number;
  readonly counts: VerifyCounts;
}

export function newState(nowMs: number, repair: boolean): VerifyState {
  const at = new Date(nowMs).toISOString();
  const findings = Object.fromEntries(Object.keys(FINDING_KINDS).map((kind) => [kind, 0]));
  const counts = { ...NO_COUNTS, findings: findings as VerifyCounts['findings'] };
  const cursor = { phase: 'database', file: '', offset: 0, urlId: 0, findingBytes: 0 } as const;
  return { version: 1, startedAt: at, savedAt: at, repair, ...cursor, counts };
}

/** Returns the state of the last run in a folder. Returns null if there is none or it cannot be read. */
export function readState(dir: string): VerifyState | null {
  try {
    const state = JSON.parse(readFileSync(join(dir, STATE_FILE), 'utf8')) as VerifyState;
    return state.version === 1 && VERIFY_PHASES.includes(state.phase) ? state : null;
  } catch {
    return null;
  }
}

/** Returns the findings of a run, oldest first. Returns none if the file cannot be read. */
export function readFindings(
  dir: string,
  { findingBytes }: Pick<VerifyState, 'findingBytes'>,
  limit: number,
): Finding[] {
  try {
    const text = readFileSync(join(dir, FINDINGS_FILE)).subarray(0, findingBytes).toString('utf8');
    const lines = text.split('\n', limit).filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Finding);
  } catch {
    return [];
  }
}

/** Writes the findings first and then the cursor that covers them. Returns false if the folder is not writable. */
export function saveState(dir: string, state: VerifyState, findings: readonly Finding[], nowMs: number): boolean {
  try {
    // A machine that only checks the crawl of a database has no data folder yet.
    makeDataFolder(dir, null);
    const path = join(dir, FINDINGS_FILE);
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > state.findingBytes) truncateSync(path, state.findingBytes);
    const text = findings.map((finding) => `${safeJson(finding)}\n`).join('');
    makeDataFile(path, null);
    appendFileSync(path, text);
    state.findingBytes += Buffer.byteLength(text);
    state.savedAt = new Date(nowMs).toISOString();
    const part = join(dir, `${STATE_FILE}.${process.pid}.part`);
    makeDataFile(part, null);
    writeFileSync(part, `${safeJson(state)}\n`);
    renameSync(part, join(dir, STATE_FILE));
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return false;
    const isFull = code === 'ENOSPC' || code === 'EDQUOT';
    const what = `cannot save the progress of the check in ${dir}: ${message}`;
    throw new OrbweaverError(isFull ? 'ERR_DISK_FULL' : 'ERR_DIR', what, { cause: error });
  }
}
