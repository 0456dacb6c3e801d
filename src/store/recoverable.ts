/** The additional calls of a store for rebuilding a crawl from its archive. Only an engine of one process has them. */
import type { CaptureRecord, ClaimedUrl, Store } from './contract.ts';

/** A capture that is older than a capture in the store. It is added to the history and changes nothing else. */
export interface OlderCapture {
  readonly id: number;
  readonly capture: CaptureRecord;
}

export interface RecoverableStore extends Store {
  /** Returns the waiting URLs among `ids`, in the form of a claim. */
  waitingUrls(ids: readonly number[]): Promise<readonly ClaimedUrl[]>;
  /** Lets skipped URLs wait that never answered, because the archive has responses for them. Returns their number. */
  admit(ids: readonly number[], nowMs: number): Promise<number>;
  /** Adds captures at their own times; `files` has the same meaning as in a commit. */
  addHistory(older: readonly OlderCapture[], files: ReadonlyMap<string, number>): Promise<void>;
  /** Records how many bytes of each file are in the store from now on. */
  setArchiveFiles(files: ReadonlyMap<string, number>): Promise<void>;
}
