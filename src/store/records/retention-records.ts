/** What the store is asked, and tells, when old versions go and the archive is made smaller. */
import type { ArchivePlace, CaptureRecord } from './records.ts';

/**
 * Which contents of a page stay: the newest so many, or all that were current at some moment since a time. The current one
 * always does.
 */
export type KeptContents =
  | { readonly kind: 'newest'; readonly contents: number }
  | { readonly kind: 'since'; readonly sinceMs: number };

/** What a rule leaves over, of some pages. */
export interface SuperfluousCaptures {
  /** Those whose payload another capture refers to are among them. */
  readonly captures: readonly { readonly id: number; readonly capture: CaptureRecord }[];
  /** The id to go on after; null when all pages have been judged. */
  readonly after: number | null;
}

export interface DroppedCaptures {
  readonly dropped: number;
  /** Of those, the ones that had no payload of their own. */
  readonly revisits: number;
  /** Superfluous as well, but what stays refers to their payload. */
  readonly needed: number;
  readonly after: number | null;
}

/** An archive file, and about how many of its bytes belong to captures that are kept; exact where it is none. */
export interface FileUse {
  readonly file: string;
  readonly bytes: number;
  readonly neededBytes: number;
}

/** The captures in a file by their offset, one in each place of the four lists. */
export interface FileCaptures {
  readonly file: string;
  readonly bytes: number;
  readonly ids: readonly number[];
  readonly timesMs: readonly number[];
  readonly offsets: readonly number[];
  readonly lengths: readonly number[];
}

/** All captures of some files are in another one now, or there are none. */
export interface ArchiveMove {
  readonly to: { readonly file: string; readonly bytes: number } | null;
  /** Of the new file, where workers of other machines have to know. */
  readonly place?: ArchivePlace;
  readonly from: readonly { readonly captures: FileCaptures; readonly newOffsets: readonly number[] }[];
}

export type CapturePlace = Pick<CaptureRecord, 'file' | 'offset' | 'length'>;

/** A capture by the id of its URL and its time. */
export interface CaptureKey {
  readonly id: number;
  readonly timeMs: number;
}

/** What the store says of one capture, for whoever holds the archive against it. */
export interface CaptureFacts extends CaptureKey {
  readonly url: string;
  readonly capture: CaptureRecord;
  /** The page of the copy, where this capture is what it has now, whole and without a fault; else null. */
  readonly page: { readonly bytes: number; readonly digest: string } | null;
}

/**
 * A capture that cannot be read, and why; a null takes an earlier mark back. Of a page that has no capture, the time is
 * 0.
 */
export interface DamageMark extends CaptureKey {
  readonly problem: string | null;
}

/** What marking damaged captures came to. */
export interface MarkedDamage {
  readonly marked: number;
  /** URLs that wait again, because what they have now was damaged. */
  readonly waiting: number;
}

/** Something that the tables themselves show to be wrong. */
export interface TableProblem {
  readonly problem: string;
  readonly url: string | null;
}
