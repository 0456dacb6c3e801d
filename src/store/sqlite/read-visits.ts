/**
 * Reads the visits for the planning of a refresh and for the visits themselves.
 *
 * The partner for PostgreSQL is store/postgres/read-visits.ts;
 * the shared contract test is test/store/contract/visits.ts.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Reason } from '../../core/reasons.ts';
import type { ClaimedUrl, VisitRecord } from '../contract.ts';
import { VISIT_KINDS } from '../rules/visit-rules.ts';
import { TableAccess } from './table-access.ts';

type VisitRow = readonly (number | null)[];

type RevisitRow = [
  id: number,
  url: string,
  depth: number,
  hops: number,
  relevance: number | null,
  inherited: number | null,
  stepsOff: number | null,
  failures: number,
  checkedAt: number,
  trouble: Reason | null,
  streak: number,
  etag: string | null,
  lastModified: string | null,
  digest: string | null,
  redirectTo: string | null,
  regions: Uint8Array | null,
  wordCounts: Uint8Array | null,
];

const COLUMNS = `url_id, host_id, pattern, depth, kind, is_source, checked_at, checks, changes, changed_log, quiet_ms,
       interval_ms, failures, not_before, claimed_at, claim_seen, copy_of, coalesce(orphaned_at, 0), rhythm`;

export class VisitReader extends TableAccess {
  readonly #after = this.db.prepare(`SELECT ${COLUMNS} FROM visits WHERE url_id > ? ORDER BY url_id LIMIT ?`);
  readonly #some = this.db.prepare(
    `SELECT ${COLUMNS} FROM visits WHERE url_id IN (SELECT value FROM json_each(?)) ORDER BY url_id`,
  );
  readonly #byIds = this.db.prepare(
    `SELECT u.id, u.url, u.depth, u.hops, u.relevance, u.inherited, u.steps_off, v.failures, v.checked_at, v.trouble, v.streak,
       p.etag, p.last_modified, lower(hex(p.digest)), r.url, p.regions, p.word_counts
     FROM json_each(?) j
     CROSS JOIN visits v ON v.url_id = j.value
     JOIN urls u ON u.id = v.url_id
     LEFT JOIN pages p ON p.url_id = u.id
     LEFT JOIN urls r ON r.id = u.redirect_to
     ORDER BY j.key`,
  );
  // Rows are narrow: a million of them are read in a tenth of a second, and no commit pays for an index.
  readonly #last = this.db.prepare('SELECT max(checked_at) AS at FROM visits WHERE checks > 0');

  constructor(db: DatabaseSync) {
    super(db);
    // Planning reads millions of rows: rows as arrays take two thirds of the time.
    this.#after.setReturnArrays(true);
    this.#some.setReturnArrays(true);
    this.#byIds.setReturnArrays(true);
  }

  visitsAfter(after: number, limit: number): VisitRecord[] {
    return (this.#after.all(after, limit) as unknown as VisitRow[]).map(toVisit);
  }

  visitsOf(ids: readonly number[]): VisitRecord[] {
    return (this.#some.all(JSON.stringify(ids)) as unknown as VisitRow[]).map(toVisit);
  }

  revisits(ids: readonly number[]): ClaimedUrl[] {
    return (this.#byIds.all(JSON.stringify(ids)) as unknown as RevisitRow[]).map(toClaimed);
  }

  lastLookMs(): number | null {
    return (this.#last.get() as { at: number | null }).at;
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
    copyOf: row[16] ?? null,
    orphanedMs: row[17]!,
    rhythm: row[18]!,
  };
}

function toClaimed(row: RevisitRow): ClaimedUrl {
  const [id, url, depth, hops, relevance, inherited, stepsOff, failures, checkedAtMs, trouble, streak] = row;
  const [, , , , , , , , , , , etag, lastModified, digest, redirectTo, regions, wordCounts] = row;
  return {
    id,
    url,
    depth,
    hops,
    failures,
    relevance,
    inherited,
    stepsOff,
    earlier: {
      checkedAtMs,
      failures,
      trouble,
      etag: etag ?? '',
      lastModified: lastModified ?? '',
      digest: digest ?? '',
      regions,
      wordCounts,
      streak,
      redirectTo,
    },
  };
}
