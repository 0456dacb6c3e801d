/** How a capture is read from the tables. */
import type { CaptureRecord } from '../contract.ts';

/** Its columns, of `captures` as `c` and `archive_files` as `f`. */
export const CAPTURE =
  'c.fetched_at, c.status, c.content_type, c.payload_digest, f.name AS file, c.offset, c.length, c.revisit';

export interface CaptureRow {
  fetched_at: number;
  status: number;
  content_type: string;
  payload_digest: string;
  file: string;
  offset: number;
  length: number;
  revisit: number;
}

export function toCapture(row: CaptureRow): CaptureRecord {
  return {
    fetchedAtMs: row.fetched_at,
    status: row.status,
    contentType: row.content_type,
    payloadDigest: row.payload_digest,
    file: row.file,
    offset: row.offset,
    length: row.length,
    revisit: row.revisit === 1,
  };
}
