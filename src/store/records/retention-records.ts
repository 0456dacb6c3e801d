/** Records for dropping old versions and for making the archive smaller. */
import type { ArchivePlace, CaptureRecord } from './records.ts';

/**
 * The contents of a page that are kept: the newest ones up to a number, or all that were current at some moment since a
 * time. The current content is always kept.
 */
export type KeptContents =
  | { readonly kind: 'newest'; readonly contents: number }
  | { readonly kind: 'since'; readonly sinceMs: number };

/** Captures of some pages that a retention rule does not keep. */
export interface SuperfluousCaptures {
  /** This includes captures whose payload another capture refers to. */
  readonly captures: readonly { readonly id: number; readonly capture: CaptureRecord }[];
  /** The id to continue after; null when all pages have been judged. */
  readonly after: number | null;
}

export interface DroppedCaptures {
  readonly dropped: number;
  /** Number of dropped captures without a payload of their own. */
  readonly revisits: number;
  /** Number of captures that are superfluous too, but that stay because a kept capture refers to their payload. */
  readonly needed: number;
  readonly after: number | null;
}

/** An archive file, and about how many of its bytes belong to kept captures. The number is exact if it is 0. */
export interface FileUse {
  readonly file: string;
  readonly bytes: number;
  readonly neededBytes: number;
}

/** The captures in a file, by offset. Each index of the four lists describes one capture. */
export interface FileCaptures {
  readonly file: string;
  readonly bytes: number;
  readonly ids: readonly number[];
  readonly timesMs: readonly number[];
  readonly offsets: readonly number[];
  readonly lengths: readonly number[];
}

/** All captures of the files in `from` are now in the file `to`. `to` is null if there are none. */
export interface ArchiveMove {
  readonly to: { readonly file: string; readonly bytes: number } | null;
  /** The place of the new file, if workers on other machines must know it. */
  readonly place?: ArchivePlace;
  readonly from: readonly { readonly captures: FileCaptures; readonly newOffsets: readonly number[] }[];
}

export type CapturePlace = Pick<CaptureRecord, 'file' | 'offset' | 'length'>;

/** Identifies a capture by the id of its URL and its time. */
export interface CaptureKey {
  readonly id: number;
  readonly timeMs: number;
}

/** The facts about one capture in the store, for a comparison with the archive. */
export interface CaptureFacts extends CaptureKey {
  readonly url: string;
  readonly capture: CaptureRecord;
  /** The page in the copy if this capture is its current content, complete and without a fault; otherwise null. */
  readonly page: { readonly bytes: number; readonly digest: string } | null;
}

/**
 * A capture that cannot be read, with the problem; null removes an earlier mark. The time is 0
 * for a page without a capture.
 */
export interface DamageMark extends CaptureKey {
  readonly problem: string | null;
}

/** The result of marking damaged captures. */
export interface MarkedDamage {
  readonly marked: number;
  /** Number of URLs that wait again because their current capture is damaged. */
  readonly waiting: number;
}

/** A problem that is visible in the tables themselves. */
export interface TableProblem {
  readonly problem: string;
  readonly url: string | null;
}
