/**
 * Marks on pages of hosts with a watcher. Commits and watcher reports both write marks.
 *
 * The partner for SQLite is store/sqlite/changes/watchers.ts; the
 * shared contract test is test/store/contract/watchers.ts.
 */
import { type CommitBatch, type MarkUpdate, type UrlState, WATCH_MARKS } from '../../contract.ts';
import { numbers } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';
import type { WorkingSet } from '../rows/working-set.ts';

/** Writes the marks of a commit whose results count. */
export async function setMarks(
  { session, schema }: WorkingSet,
  { results, marks = [] }: CommitBatch,
  states: readonly (UrlState | null)[],
): Promise<void> {
  const counting = new Set(results.filter((_, i) => states[i] !== null).map(({ id }) => id));
  const counted = marks.filter(({ id }) => counting.has(id));
  await writeMarks(session, schema, counted);
}

/** If a page has several marks, the last one is stored. */
export async function writeMarks(session: Session, schema: string, updates: readonly MarkUpdate[]): Promise<void> {
  const last = [...new Map(updates.map((update) => [update.id, update])).values()];
  const sorted = last.sort((a, b) => a.hostId - b.hostId || a.id - b.id);
  const marked = sorted.filter(({ mark }) => mark !== null);
  const unmarked = sorted.filter(({ mark }) => mark === null);
  const keys = (rows: readonly MarkUpdate[]) => [
    numbers(rows.map(({ hostId }) => hostId)),
    numbers(rows.map(({ id }) => id)),
  ];
  const sent: Promise<unknown>[] = [];
  if (marked.length > 0) {
    const sql = `INSERT INTO ${schema}.watch_marks (host_id, url_id, mark)
      SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::smallint[])
      ON CONFLICT (host_id, url_id) DO UPDATE SET mark = excluded.mark`;
    const places = marked.map(({ mark }) => WATCH_MARKS.indexOf(mark!));
    sent.push(session.run(sql, [...keys(marked), numbers(places)]));
  }
  if (unmarked.length > 0) {
    const sql = `DELETE FROM ${schema}.watch_marks m USING unnest($1::bigint[], $2::bigint[]) AS g(host_id, url_id)
      WHERE m.host_id = g.host_id AND m.url_id = g.url_id`;
    sent.push(session.run(sql, keys(unmarked)));
  }
  await Promise.all(sent);
}
