/**
 * Marks on pages of hosts with a watcher. Commits and watcher reports both write marks.
 *
 * The partner for SQLite is store/sqlite/changes/watchers.ts; the
 * shared contract test is test/store/contract/watchers.ts.
 */
import { type CommitBatch, type MarkUpdate, type UrlState, WATCH_MARKS } from '../../contract.ts';
import { numbers } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';
import type { Parts } from '../rows/parts.ts';
import type { WorkingSet } from '../rows/working-set.ts';

/** Writes the marks of a commit whose results count. */
export async function setMarks(
  { session, schema, parts }: WorkingSet,
  { results, marks = [] }: CommitBatch,
  states: readonly (UrlState | null)[],
): Promise<void> {
  const counting = new Set(results.filter((_, i) => states[i] !== null).map(({ id }) => id));
  const counted = marks.filter(({ id }) => counting.has(id));
  await writeMarks(session, schema, parts, counted);
}

/** If a page has several marks, the last one is stored. */
export async function writeMarks(
  session: Session,
  schema: string,
  parts: Parts,
  updates: readonly MarkUpdate[],
): Promise<void> {
  const last = [...new Map(updates.map((update) => [update.id, update])).values()];
  const sent: Promise<unknown>[] = [];
  for (const [part, some] of parts.group(last, ({ hostId }) => parts.ofHost(hostId))) {
    const sorted = some.toSorted((a, b) => a.hostId - b.hostId || a.id - b.id);
    const marked = sorted.filter(({ mark }) => mark !== null);
    const unmarked = sorted.filter(({ mark }) => mark === null);
    const keys = (rows: readonly MarkUpdate[]) => [
      numbers(rows.map(({ hostId }) => hostId)),
      numbers(rows.map(({ id }) => id)),
    ];
    if (marked.length > 0) {
      const sql = `INSERT INTO ${schema}.watch_marks (part, host_id, url_id, mark)
        SELECT $1::smallint, * FROM unnest($2::bigint[], $3::bigint[], $4::smallint[])
        ON CONFLICT (part, host_id, url_id) DO UPDATE SET mark = excluded.mark`;
      const places = marked.map(({ mark }) => WATCH_MARKS.indexOf(mark!));
      sent.push(session.run(sql, [part, ...keys(marked), numbers(places)]));
    }
    if (unmarked.length > 0) {
      const sql = `DELETE FROM ${schema}.watch_marks m USING unnest($2::bigint[], $3::bigint[]) AS g(host_id, url_id)
        WHERE m.part = $1 AND m.host_id = g.host_id AND m.url_id = g.url_id`;
      sent.push(session.run(sql, [part, ...keys(unmarked)]));
    }
  }
  await Promise.all(sent);
}
