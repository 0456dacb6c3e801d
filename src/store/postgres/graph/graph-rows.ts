/**
 * The rows of the link graph, read: where the list of a page is, and what is not counted yet.
 *
 * A commit's lists are in the row of its number until that row is joined with others; a joined row has the last of their numbers
 * and remembers the first. Commits end in another order than their numbers were taken, so that a row may come to lie inside the
 * span of one that was joined before: the list of a page is in one of the rows whose span has its number.
 */
import { targetsOf } from '../../graph/segment-links.ts';
import { listOf } from '../../graph/struck-lists.ts';
import { numbers } from './arrays.ts';
import type { Session } from './database.ts';

/** Rows behind a page's number that are looked at: those that were being committed while others were joined, no more than workers. */
const MOST_SPANS = 256;

export interface GraphRow {
  readonly part: number;
  readonly seq: number;
  readonly first: number;
  readonly closed: number | null;
  readonly links: number;
  readonly lists: Uint8Array;
}

export interface ListPlace {
  readonly part: number;
  readonly page: number;
  /** As the page remembers it. */
  readonly seq: number;
}

/** The row that has the list of a page; null where none has. `isHeld`: it is going to be changed. */
export async function rowOf(
  session: Session,
  schema: string,
  { part, page, seq }: ListPlace,
  isHeld = false,
): Promise<GraphRow | null> {
  const spans = await session.all(
    `SELECT seq, first FROM ${schema}.graph WHERE part = $1 AND seq >= $2 ORDER BY seq LIMIT ${MOST_SPANS}`,
    [part, seq],
  );
  const candidates = spans.filter(({ first }) => first <= seq).map((row) => row.seq as number);
  for (const candidate of candidates) {
    const [row] = await session.all<GraphRow>(
      `SELECT part, seq, first, closed, links, lists FROM ${schema}.graph WHERE part = $1 AND seq = $2 ${isHeld ? 'FOR UPDATE' : ''}`,
      [part, candidate],
    );
    // It was joined with others in this instant.
    if (row === undefined) return rowOf(session, schema, { part, page, seq }, isHeld);
    if (listOf(row.lists, page) !== null) return row;
  }
  return null;
}

/** The targets of all links that are not counted, ascending. */
export async function openTargets(session: Session, schema: string): Promise<Float64Array> {
  const rows = await session.all(`SELECT lists FROM ${schema}.graph WHERE closed IS NULL`);
  return targetsOf(rows.map(({ lists }) => lists));
}

/** Open rows of one part, held, in the order of their numbers; `condition`: only some of them. */
export function openRows(session: Session, schema: string, part: number, condition = ''): Promise<readonly GraphRow[]> {
  return session.all<GraphRow>(
    `SELECT part, seq, first, closed, links, lists FROM ${schema}.graph
     WHERE part = $1 AND closed IS NULL ${condition} ORDER BY seq FOR UPDATE`,
    [part],
  );
}

export async function deleteRows(
  session: Session,
  schema: string,
  part: number,
  seqs: readonly number[],
): Promise<void> {
  await session.run(`DELETE FROM ${schema}.graph WHERE part = $1 AND seq = ANY($2::bigint[])`, [part, numbers(seqs)]);
}
