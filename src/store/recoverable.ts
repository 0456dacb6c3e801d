/**
 * What rebuilding a crawl from its archive asks of a store besides what a crawl does. Only an engine of one process has
 * it.
 */
import type { CaptureRecord, ClaimedUrl, Store } from './contract.ts';

/** A capture that is older than one the store has: it becomes history, and changes nothing else. */
export interface OlderCapture {
  readonly id: number;
  readonly capture: CaptureRecord;
}

export interface RecoverableStore extends Store {
  /** Those of these URLs that wait, as a claim would give them. */
  waitingUrls(ids: readonly number[]): Promise<readonly ClaimedUrl[]>;
  /** Lets URLs wait that were left out and never answered: the archive has answers of them. Returns how many. */
  admit(ids: readonly number[], nowMs: number): Promise<number>;
  /** Adds captures at their own times; `files` as in a commit. */
  addHistory(older: readonly OlderCapture[], files: ReadonlyMap<string, number>): Promise<void>;
  /** So much of each of these files is in the store from now on. */
  setArchiveFiles(files: ReadonlyMap<string, number>): Promise<void>;
}
