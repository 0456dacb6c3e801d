/**
 * Lets skipped URLs wait when their reason no longer applies: the depth limit was raised, private addresses were
 * allowed, or the topic has changed.
 *
 * The partner for PostgreSQL is store/postgres/discovery/release-skipped.ts;
 * the shared contract test is test/store/contract/seen.ts.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Reason } from '../../../core/reasons.ts';
import type { Counts } from '../../contract.ts';
import { countReleased } from '../../rules/left-out.ts';
import type { Tally } from '../../rules/tally.ts';

export const ANY_DEPTH = Number.MAX_SAFE_INTEGER;

/** Lets URLs wait that were skipped for this reason, up to a depth. Returns their number. */
export function letWait(db: DatabaseSync, reason: Reason, depth: number, tally: Tally): number {
  const rows = db
    .prepare('UPDATE urls SET state = 0, reason = NULL WHERE reason = ? AND depth <= ? RETURNING host_id')
    .all(reason, depth) as { host_id: number }[];
  for (const { host_id } of rows) countReleased(host_id, reason, tally);
  return rows.length;
}

/** Deletes every judgement by the former topic. Returns the number of URLs that wait again. */
export function forgetTopic(db: DatabaseSync, { judged, onTopic }: Counts, tally: Tally): number {
  tally.add('judged', -judged);
  tally.add('on-topic', -onTopic);
  db.exec('UPDATE pages SET relevance = NULL WHERE relevance IS NOT NULL');
  const released = letWait(db, 'off-topic', ANY_DEPTH, tally);
  db.exec('UPDATE urls SET relevance = NULL, inherited = NULL, steps_off = NULL WHERE relevance IS NOT NULL');
  return released;
}
