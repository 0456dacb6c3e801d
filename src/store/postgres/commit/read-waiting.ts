/**
 * Reads, with one statement, everything that a commit needs about URLs with their first answer: their rows, which stay
 * locked, the times of their last captures, the claims of change sources, and that they have no page and no visit row.
 */
import { numbers } from '../connection/arrays.ts';
import { URLS, type UrlRow } from '../rows/table-rows.ts';
import type { WorkingSet } from '../rows/working-set.ts';

export interface WaitingUrl {
  readonly id: number;
  readonly lastCaptureMs: number | null;
  readonly claimedAtMs: number | null;
}

interface WaitingRow extends UrlRow {
  readonly last_capture: number | null;
  readonly claimed_at: number | null;
  readonly has_page: boolean;
  readonly has_visit: boolean;
}

/** URLs without a row are stored as missing. */
export async function readWaiting(set: WorkingSet, ids: ReadonlySet<number>): Promise<readonly WaitingUrl[]> {
  const { session, schema } = set;
  // EXISTS is not used: while the tables are small, the server would read whole tables for it.
  const columns = Object.keys(URLS.columns).map((name) => `u."${name}"`);
  const rows = await session.all<WaitingRow & Record<string, unknown>>(
    `SELECT ${columns.join()},
       (SELECT max(c.fetched_at) FROM ${schema}.captures c WHERE c.url_id = u.id) AS last_capture,
       (SELECT s.claimed_at FROM ${schema}.claims s WHERE s.url_id = u.id) AS claimed_at,
       (SELECT p.url_id FROM ${schema}.pages p WHERE p.url_id = u.id) IS NOT NULL AS has_page,
       (SELECT v.url_id FROM ${schema}.visits v WHERE v.url_id = u.id) IS NOT NULL AS has_visit
     FROM ${schema}.urls u WHERE u.id = ANY($1::bigint[]) ORDER BY u.id FOR NO KEY UPDATE OF u`,
    [numbers(ids)],
  );
  const urls = rows.map(({ last_capture: _, claimed_at: __, has_page: ___, has_visit: ____, ...url }) => url);
  set.urls.hold(ids, urls as readonly UrlRow[]);
  set.pages.lack(rows.filter(({ has_page }) => !has_page).map(({ id }) => id));
  set.visits.lack(rows.filter(({ has_visit }) => !has_visit).map(({ id }) => id));
  return rows.map(({ id, last_capture, claimed_at }) => ({
    id,
    lastCaptureMs: last_capture,
    claimedAtMs: claimed_at,
  }));
}
