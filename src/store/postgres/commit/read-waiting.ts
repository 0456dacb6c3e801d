/**
 * Reads, with one statement for each part, everything that a commit needs about URLs with their first answer: their
 * rows, which stay locked, the times of their last captures, the claims of change sources, and that they have no page
 * and no visit row. A statement costs the server more than the few rows that it finds in each part.
 */
import { numbers } from '../connection/arrays.ts';
import { URLS, type UrlRow } from '../rows/shapes.ts';
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

/** Reads the URLs of one part. URLs without a row are stored as missing. */
export async function readWaiting(
  set: WorkingSet,
  part: number,
  ids: ReadonlySet<number>,
): Promise<readonly WaitingUrl[]> {
  const { session, schema, parts } = set;
  const leaf = (table: 'urls' | 'pages' | 'visits' | 'captures') => parts.leaf(schema, table, part);
  // EXISTS is not used: while the tables are small, the server would read whole tables for it.
  const columns = Object.keys(URLS.columns).map((name) => `u."${name}"`);
  const rows = await session.all<WaitingRow & Record<string, unknown>>(
    `SELECT u.part, ${columns.join()},
       (SELECT max(c.fetched_at) FROM ${leaf('captures')} c WHERE c.part = $1 AND c.url_id = u.id) AS last_capture,
       (SELECT s.claimed_at FROM ${schema}.claims s WHERE s.part = $1 AND s.url_id = u.id) AS claimed_at,
       (SELECT p.url_id FROM ${leaf('pages')} p WHERE p.part = $1 AND p.url_id = u.id) IS NOT NULL AS has_page,
       (SELECT v.url_id FROM ${leaf('visits')} v WHERE v.part = $1 AND v.url_id = u.id) IS NOT NULL AS has_visit
     FROM ${leaf('urls')} u WHERE u.part = $1 AND u.id = ANY($2::bigint[]) ORDER BY u.id FOR NO KEY UPDATE OF u`,
    [part, numbers(ids)],
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
