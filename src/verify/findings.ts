/** The findings of `verify`: a closed list of kinds, and the type of one finding. docs/verify.md explains each kind. */
import type { CaptureKey } from '../store/contract.ts';

export const FINDING_KINDS = {
  'damaged-record': 'the bytes of a record differ from the bytes that were written',
  'lost-record': 'the database has a record at an offset where no record begins',
  mismatch: 'a record is intact, but the database does not agree with it',
  'lost-payload': 'a revisit refers to a payload that can no longer be read',
  'missing-file': 'an archive file that the database lists is not in the folder',
  'short-file': 'an archive file is shorter than the database says',
  'swapped-file': 'an archive file has the content of another file',
  'page-mismatch': 'the page in the database differs from the page in the archive',
  'page-without-capture': 'the database has a page without a response',
  database: 'the database itself is damaged',
} as const;

export type FindingKind = keyof typeof FINDING_KINDS;

export interface Finding {
  readonly kind: FindingKind;
  /** The problem in one sentence without a full stop. */
  readonly problem: string;
  /** The archive file, if the finding is about one. */
  readonly file: string | null;
  readonly offset: number | null;
  /** Number of bytes from the offset on that cannot be trusted. Null if it is not known. */
  readonly bytes: number | null;
  /** The URL of the damaged response. Null for other records, such as a request. */
  readonly url: string | null;
  /** The time when that response was fetched. URL and time identify the response. */
  readonly fetchedAt: string | null;
  /** Number of responses that cannot be read because of this finding. */
  readonly captures: number;
}

/** The fields of a finding that is about no place in the archive. */
export const NO_PLACE = { file: null, offset: null, bytes: null, url: null, fetchedAt: null, captures: 0 } as const;

/** A finding with the captures that it makes unreadable. `--repair` marks these captures. */
export interface Found {
  readonly finding: Finding;
  readonly damaged: readonly CaptureKey[];
  /** The payloads of these captures. Revisits may refer to them. */
  readonly payloads: readonly string[];
  /** Number of these captures that an earlier repair has marked. They are not reported again. */
  readonly marked: number;
}

export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
