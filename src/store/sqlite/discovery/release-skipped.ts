/**
 * URLs that were left out for a reason that holds no more wait after all: the depth limit was raised, private addresses
 * were allowed, the topic has changed.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Reason } from '../../core/reasons.ts';
import type { Counts } from '../contract.ts';
import { countReleased } from '../left-out.ts';
import type { Tally } from '../tally.ts';

export const ANY_DEPTH = Number.MAX_SAFE_INTEGER;

/** Lets URLs wait that were skipped for this reason, up to a depth. Returns how many. */
export function letWait(db: DatabaseSync, reason: Reason, depth: number, tally: Tally): number {
  const rows = db
    .prepare('UPDATE urls SET state = 0, reason = NULL WHERE reason = ? AND depth <= ? RETURNING host_id')
    .all(reason, depth) as { host_id: number }[];
  for (const { host_id } of rows) countReleased(host_id, reason, tally);
  return rows.length;
}

/** Nothing counts that was judged by the former topic. Returns how many URLs wait again. */
export function forgetTopic(db: DatabaseSync, { judged, onTopic }: Counts, tally: Tally): number {
  tally.add('judged', -judged);
  tally.add('on-topic', -onTopic);
  db.exec('UPDATE pages SET relevance = NULL WHERE relevance IS NOT NULL');
  const released = letWait(db, 'off-topic', ANY_DEPTH, tally);
  db.exec('UPDATE urls SET relevance = NULL, inherited = NULL, steps_off = NULL WHERE relevance IS NOT NULL');
  return released;
}
