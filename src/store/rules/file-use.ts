/** Estimates how much of an archive file is needed, from the facts about its captures. */
import { OrbweaverError } from '../../core/errors.ts';
import type { FileCaptures, FileUse } from '../records/retention-records.ts';

export interface FileRow {
  readonly id: number;
  readonly name: string;
  readonly bytes: number;
  readonly dropped: number;
  readonly dropped_bytes: number;
  /** Captures in the file and the length of their records; null if they have not been counted. */
  kept: number | null;
  kept_bytes: number;
}

/**
 * A capture has other records besides its first one, but they are seldom seven times as large. A file
 * with fewer dropped bytes than this need not be counted.
 */
export function isWorthCounting({ bytes, dropped_bytes }: FileRow, neededShare: number): boolean {
  return 8 * dropped_bytes >= (1 - neededShare) * bytes;
}

/** Null if more than this share of bytes is needed, or if the captures have not been counted. */
export function wastefulUse(row: FileRow, neededShare: number): FileUse | null {
  const { name, bytes, dropped, dropped_bytes, kept, kept_bytes } = row;
  if (kept === null) return null;
  // Requests and metadata are not in the store, so each capture gets an equal part of the remaining bytes.
  const besidesBytes = Math.max(0, bytes - kept_bytes - dropped_bytes) / (kept + dropped);
  const neededBytes = kept === 0 ? 0 : Math.min(bytes, Math.round(kept_bytes + kept * besidesBytes));
  return kept === 0 || neededBytes < neededShare * bytes ? { file: name, bytes, neededBytes } : null;
}

export interface GrowingList extends FileCaptures {
  readonly ids: number[];
  readonly timesMs: number[];
  readonly offsets: number[];
  readonly lengths: number[];
}

export function emptyList(file: string, bytes: number): GrowingList {
  return { file, bytes, ids: [], timesMs: [], offsets: [], lengths: [] };
}

export function moveRefusal(problem: string): OrbweaverError {
  return new OrbweaverError('ERR_INTERNAL', `the archive cannot be rewritten: ${problem}`);
}
