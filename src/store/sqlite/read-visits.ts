/** What planning and looking at pages again need to know of them. Reads only. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Reason } from '../../core/reasons.ts';
import type { CaptureRecord, ClaimedUrl, VisitRecord } from '../contract.ts';
import { CAPTURE, type CaptureRow, toCapture } from './capture-rows.ts';
import { VISIT_KINDS } from './visits.ts';

type VisitRow = readonly number[];

interface RevisitRow extends Omit<CaptureRow, 'file'> {
  readonly file: string | null;
  readonly id: number;
  readonly url: string;
  readonly depth: number;
  readonly hops: number;
  readonly relevance: number | null;
  readonly inherited: number | null;
  readonly steps_off: number | null;
  readonly failures: number;
  readonly checked_at: number;
  readonly etag: string | null;
  readonly last_modified: string | null;
  readonly digest: Uint8Array | null;
  readonly redirect_to: string | null;
  readonly trouble: Reason | null;
  readonly streak: number;
}

/** Looks in a row that found another content each, from which on those are told: what always changes is learned from them. */
const TELLING_STREAK = 4;

export class VisitReader {
  readonly #after: StatementSync;
  readonly #byIds: StatementSync;
  readonly #versions: StatementSync;
  readonly #last: StatementSync;

  constructor(db: DatabaseSync) {
    this.#after = db.prepare(
      `SELECT url_id, host_id, pattern, depth, kind, is_source, checked_at, checks, changes, changed_log, quiet_ms, interval_ms,
         failures, not_before, claimed_at, claim_seen
       FROM visits WHERE url_id > ? ORDER BY url_id LIMIT ?`,
    );
    // Planning reads millions of them: rows as arrays take two thirds of the time.
    this.#after.setReturnArrays(true);
    this.#byIds = db.prepare(
      `SELECT u.id, u.url, u.depth, u.hops, u.relevance, u.inherited, u.steps_off, v.failures, v.checked_at, v.trouble, v.streak,
         p.etag, p.last_modified, p.digest, r.url AS redirect_to, ${CAPTURE}
       FROM json_each(?) j
       CROSS JOIN visits v ON v.url_id = j.value
       JOIN urls u ON u.id = v.url_id
       LEFT JOIN pages p ON p.url_id = u.id
       LEFT JOIN urls r ON r.id = u.redirect_to
       LEFT JOIN captures c ON c.url_id = p.url_id AND c.fetched_at = (
         SELECT max(fetched_at) FROM captures WHERE url_id = p.url_id AND status BETWEEN 200 AND 299)
       LEFT JOIN archive_files f ON f.id = c.file_id
       ORDER BY j.key`,
    );
    this.#versions = db.prepare(
      `SELECT ${CAPTURE} FROM captures c JOIN archive_files f ON f.id = c.file_id
       WHERE c.url_id = ? AND c.status BETWEEN 200 AND 299 ORDER BY c.fetched_at DESC LIMIT ${TELLING_STREAK + 1}`,
    );
    // Rows are narrow: a million of them are read in a tenth of a second, and no commit pays for an index.
    this.#last = db.prepare('SELECT max(checked_at) AS at FROM visits WHERE checks > 0');
  }

  visitsAfter(after: number, limit: number): VisitRecord[] {
    return (this.#after.all(after, limit) as unknown as VisitRow[]).map(toVisit);
  }

  revisits(ids: readonly number[]): ClaimedUrl[] {
    return (this.#byIds.all(JSON.stringify(ids)) as unknown as RevisitRow[]).map((row) =>
      toClaimed(row, row.streak >= TELLING_STREAK ? this.#versionsOf(row.id) : []),
    );
  }

  lastLookMs(): number | null {
    return (this.#last.get() as { at: number | null }).at;
  }

  #versionsOf(id: number): CaptureRecord[] {
    return (this.#versions.all(id) as unknown as CaptureRow[]).map(toCapture);
  }
}

function toVisit(row: VisitRow): VisitRecord {
  return {
    id: row[0]!,
    hostId: row[1]!,
    pattern: row[2]!,
    depth: row[3]!,
    state: VISIT_KINDS[row[4]!]!,
    isSource: row[5] === 1,
    checkedAtMs: row[6]!,
    checks: row[7]!,
    changes: row[8]!,
    changedLogMs: row[9]!,
    quietMs: row[10]!,
    intervalMs: row[11]!,
    failures: row[12]!,
    notBeforeMs: row[13]!,
    claimedMs: row[14]!,
    claimSeenMs: row[15]!,
  };
}

function toClaimed(row: RevisitRow, versions: readonly CaptureRecord[]): ClaimedUrl {
  const { id, url, depth, hops, failures, relevance, inherited, steps_off, file } = row;
  return {
    id,
    url,
    depth,
    hops,
    failures,
    relevance,
    inherited,
    stepsOff: steps_off,
    earlier: {
      checkedAtMs: row.checked_at,
      failures,
      etag: row.etag ?? '',
      lastModified: row.last_modified ?? '',
      digest: row.digest === null ? '' : Buffer.from(row.digest).toString('hex'),
      capture: file === null ? null : toCapture({ ...row, file }),
      redirectTo: row.redirect_to,
      trouble: row.trouble,
      versions,
    },
  };
}
