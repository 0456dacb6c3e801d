/** What `verify` can find: a closed list of kinds, and one finding. docs/verify.md explains each kind. */
import type { CaptureKey } from '../store/contract.ts';

export const FINDING_KINDS = {
  'damaged-record': 'the bytes of a record are not those that were written',
  'lost-record': 'the database names a place where no record begins',
  mismatch: 'a record is sound, but the database says something else about it',
  'lost-payload': 'a revisit refers to a payload that can no longer be read',
  'missing-file': 'an archive file of the database is not in the folder',
  'short-file': 'an archive file is shorter than the database says',
  'swapped-file': 'an archive file has the content of another file',
  'page-mismatch': 'the page in the database is not the page in the archive',
  'page-without-capture': 'the database has a page, but no answer that it came from',
  database: 'the database itself is damaged',
} as const;

export type FindingKind = keyof typeof FINDING_KINDS;

export interface Finding {
  readonly kind: FindingKind;
  /** One sentence without a full stop: what is wrong. */
  readonly problem: string;
  /** The archive file, where one is concerned. */
  readonly file: string | null;
  readonly offset: number | null;
  /** How many bytes from there on cannot be trusted; null where that is not known. */
  readonly bytes: number | null;
  /** The URL whose answer is damaged. Null for records that are not an answer, such as a request. */
  readonly url: string | null;
  /** When that answer was fetched: with the URL it names the answer. */
  readonly fetchedAt: string | null;
  /** Answers that cannot be read because of this finding. */
  readonly captures: number;
}

/** A finding, with the captures that it makes unreadable: `--repair` marks them. */
export interface Found {
  readonly finding: Finding;
  readonly damaged: readonly CaptureKey[];
  /** The payloads that these captures had. Revisits may refer to them. */
  readonly payloads: readonly string[];
  /** Of these captures, those that an earlier repair has marked: nothing new is to be told of them. */
  readonly marked: number;
}

export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
