/**
 * After a loss of power the archive can be shorter than the database says: what it lost is fetched again, and with it what
 * only refers to a payload that was lost, whichever file that is in.
 */
import type { DatabaseSync } from 'node:sqlite';
import { ON_TOPIC } from '../../core/on-topic.ts';
import type { Reason } from '../../core/reasons.ts';
import { URL_STATES } from '../contract.ts';
import type { LinkGraph } from './link-graph.ts';
import type { Tally } from './tally.ts';

interface LostRow {
  id: number;
  host_id: number;
  state: number;
  reason: Reason | null;
  bytes: number;
  relevance: number | null;
  graph_seq: number | null;
}

/** What lies behind `?2` of the file `?1`, and the revisits of payloads there. */
const LOST = `SELECT c.url_id, c.fetched_at FROM captures c JOIN archive_files f ON f.id = c.file_id
  WHERE (f.name = ?1 AND c.offset + c.length > ?2)
    OR (c.revisit = 1 AND c.payload_digest IN (
      SELECT l.payload_digest FROM captures l JOIN archive_files g ON g.id = l.file_id
      WHERE l.revisit = 0 AND g.name = ?1 AND l.offset + l.length > ?2))`;

export function forgetCaptures(db: DatabaseSync, graph: LinkGraph, file: string, from: number, tally: Tally): number {
  const lost = db
    .prepare(
      `SELECT u.id, u.host_id, u.state, u.reason, coalesce(p.bytes, 0) AS bytes, p.relevance, p.graph_seq
       FROM urls u LEFT JOIN pages p ON p.url_id = u.id WHERE u.id IN (SELECT url_id FROM (${LOST})) ORDER BY u.id`,
    )
    .all(file, from) as unknown as LostRow[];
  const unlinked: { id: number; seq: number }[] = [];
  const wait = db.prepare(`UPDATE urls SET state = 0, reason = NULL, failures = 0, redirect_to = NULL WHERE id = ?`);
  const dropPage = db.prepare('DELETE FROM pages WHERE url_id = ?');
  for (const { id, host_id, state, reason, bytes, relevance, graph_seq } of lost) {
    // One that waits to be tried again waits on, with its failures and its time.
    if (URL_STATES[state] === 'waiting') continue;
    wait.run(id);
    if (graph_seq !== null) unlinked.push({ id, seq: graph_seq });
    dropPage.run(id);
    tally.leaves(host_id, URL_STATES[state]!, reason);
    tally.enters(host_id, 'waiting', null);
    tally.add('bytes', -bytes);
    if (relevance !== null) {
      tally.add('judged', -1);
      tally.add('on-topic', relevance >= ON_TOPIC ? -1 : 0);
    }
  }
  if (lost.length > 0) {
    // `contents` has no index by page; it is small beside the crawl and this is rare, so one pass over it will do.
    db.exec('DELETE FROM contents WHERE url_id NOT IN (SELECT url_id FROM pages)');
    graph.remove(unlinked);
  }
  db.prepare(`DELETE FROM captures WHERE (url_id, fetched_at) IN (${LOST})`).run(file, from);
  db.prepare('UPDATE archive_files SET bytes = ? WHERE name = ?').run(from, file);
  // Captures were lost in other files as well; whoever needs to know counts them anew.
  db.exec('UPDATE archive_files SET kept = NULL');
  return lost.length;
}
