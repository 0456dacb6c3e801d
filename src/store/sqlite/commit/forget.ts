/**
 * Handles an archive that is shorter than the database says, after a power failure. Lost captures are fetched again,
 * and so are captures that only refer to a lost payload, in whatever file they are. For a page this means its current
 * content. If only an older version is lost, the page stays.
 *
 * The partner for PostgreSQL is store/postgres/commit/forget.ts;
 * the shared contract test is test/store/contract/commits.ts.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Reason } from '../../../core/reasons.ts';
import { URL_STATES, type UrlState } from '../../contract.ts';
import type { Tally } from '../../rules/tally.ts';
import { Visits } from '../changes/visits.ts';
import type { LinkGraph } from '../graph/link-graph.ts';
import type { Canonicals } from './canonicals.ts';
import { Copies } from './copies.ts';
import { PageWriter } from './write-page.ts';

/** Finds the captures behind offset `?2` of the file `?1`, and the revisits of their payloads. */
const FIND_LOST = `INSERT INTO lost SELECT c.url_id, c.fetched_at FROM captures c JOIN archive_files f ON f.id = c.file_id
  WHERE (f.name = ?1 AND c.offset + c.length > ?2)
    OR (c.revisit = 1 AND c.payload_digest IN (
      SELECT l.payload_digest FROM captures l JOIN archive_files g ON g.id = l.file_id
      WHERE l.revisit = 0 AND g.name = ?1 AND l.offset + l.length > ?2))`;

const IS_LOST = 'EXISTS (SELECT 1 FROM lost l WHERE l.url_id = c.url_id AND l.fetched_at = c.fetched_at)';

/** Pages whose newest response is lost, unless another capture has the same payload. */
const LOST_PAGES = `SELECT c.url_id AS id FROM pages p JOIN captures c ON c.url_id = p.url_id AND c.fetched_at = (
    SELECT max(fetched_at) FROM captures WHERE url_id = p.url_id AND status BETWEEN 200 AND 299)
  WHERE p.url_id IN (SELECT url_id FROM lost) AND ${IS_LOST} AND NOT EXISTS (
    SELECT 1 FROM captures k WHERE k.url_id = c.url_id AND k.payload_digest = c.payload_digest
      AND k.status BETWEEN 200 AND 299
      AND NOT EXISTS (SELECT 1 FROM lost l WHERE l.url_id = k.url_id AND l.fetched_at = k.fetched_at))`;

/** The state of a URL without a page comes from its newest capture. A waiting URL keeps waiting. */
const ANSWERED = (['redirect', 'failed'] satisfies UrlState[]).map((state) => URL_STATES.indexOf(state)).join();
const LOST_ANSWERS = `SELECT u.id FROM urls u JOIN captures c ON c.url_id = u.id AND c.fetched_at = (
    SELECT max(fetched_at) FROM captures WHERE url_id = u.id)
  WHERE u.id IN (SELECT url_id FROM lost) AND u.state IN (${ANSWERED}) AND ${IS_LOST}`;

/** Pages that have no response with a 2xx status in the archive. */
const WITHOUT_ANSWER = `SELECT p.url_id AS id FROM pages p WHERE p.url_id IN (SELECT url_id FROM lost) AND NOT EXISTS (
    SELECT 1 FROM captures c WHERE c.url_id = p.url_id AND c.status BETWEEN 200 AND 299)`;

/** The components of the store that know the pages. */
export interface PageParts {
  readonly graph: LinkGraph;
  readonly canonicals: Canonicals;
}

/** Creates or empties the table for lost captures, which `letLostWait` reads. */
export function emptyLost(db: DatabaseSync): void {
  db.exec(`CREATE TEMP TABLE IF NOT EXISTS lost (url_id INTEGER, fetched_at INTEGER, PRIMARY KEY (url_id, fetched_at));
    DELETE FROM lost`);
}

/** Lets URLs wait again whose current response is among the captures in `lost`. Returns their number. */
export function letLostWait(db: DatabaseSync, parts: PageParts, tally: Tally): number {
  const lost = db.prepare(`${LOST_PAGES} UNION ${LOST_ANSWERS} UNION ${WITHOUT_ANSWER} ORDER BY 1`).all();
  const ids = (lost as { id: number }[]).map(({ id }) => id);
  letWait(db, parts, ids, tally);
  return ids.length;
}

/** Returns the number of URLs that wait again. */
export function forgetCaptures(db: DatabaseSync, parts: PageParts, file: string, from: number, tally: Tally): number {
  emptyLost(db);
  db.prepare(FIND_LOST).run(file, from);
  const waiting = letLostWait(db, parts, tally);
  db.exec('DELETE FROM captures WHERE (url_id, fetched_at) IN (SELECT url_id, fetched_at FROM lost); DELETE FROM lost');
  db.prepare('UPDATE archive_files SET bytes = ? WHERE name = ?').run(from, file);
  // Captures in other files may be lost too, so the counts of all files are reset and computed again when needed.
  db.exec('UPDATE archive_files SET kept = NULL');
  return waiting;
}

interface AnsweredRow {
  readonly host_id: number;
  readonly state: number;
  readonly reason: Reason | null;
  readonly redirect_to: number | null;
}

/** Resets the URLs as if they had not been fetched. */
function letWait(db: DatabaseSync, { graph, canonicals }: PageParts, ids: readonly number[], tally: Tally): void {
  const copies = new Copies(db);
  const pages = new PageWriter(db, graph);
  const visits = new Visits(db);
  const stateOf = db.prepare('SELECT host_id, state, reason, redirect_to FROM urls WHERE id = ?');
  const wait = db.prepare('UPDATE urls SET state = 0, reason = NULL, failures = 0, redirect_to = NULL WHERE id = ?');
  const unlinked: { id: number; seq: number }[] = [];
  for (const id of ids) {
    const page = pages.kept(id);
    if (page !== null) {
      copies.handOn(id, page.digest, tally);
      pages.remove(id, page, tally);
      unlinked.push({ id, seq: page.graph_seq });
    }
    const { host_id, state, reason, redirect_to } = stateOf.get(id) as unknown as AnsweredRow;
    wait.run(id);
    canonicals.changes(id);
    if (redirect_to !== null) canonicals.leavesRedirect(redirect_to);
    visits.remove(id);
    tally.leaves(host_id, URL_STATES[state]!, reason);
    tally.enters(host_id, 'waiting', null);
  }
  graph.remove(unlinked);
  canonicals.settle(tally);
}
