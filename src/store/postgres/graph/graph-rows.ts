/**
 * Reads the rows of the link graph: where the list of a page is, and which links are not counted yet.
 *
 * The lists of a commit are in the row with its number until that row is joined with others. A joined row has
 * the last of their numbers and also stores the first. Commits end in another order than they took their
 * numbers, so a row may lie inside the span of a row that was joined before it was written. The list of a page
 * is in one of the rows whose span includes its number.
 *
 * The partner for SQLite is store/sqlite/graph/link-graph.ts; the shared contract test is test/store/contract/graph.ts.
 */
import { listOf } from '../../../graph/deleted-lists.ts';
import { type LinkEnd, linksOf, targetsOf } from '../../../graph/segment-reader.ts';
import type { Session } from '../connection/database.ts';

/**
 * Rows after a page's number that are searched. There are at most as many as workers:
 * rows that were being committed while others were joined.
 */
const MOST_SPANS = 256;

export interface GraphRow {
  readonly seq: number;
  readonly first: number;
  readonly closed: number | null;
  readonly links: number;
  readonly lists: Uint8Array;
}

export interface ListPlace {
  readonly page: number;
  /** The number that is stored in the page's row. */
  readonly seq: number;
}

/** The row that has the list of a page; null if there is none. `isHeld` locks the row for a change. */
export async function rowOf(
  session: Session,
  schema: string,
  { page, seq }: ListPlace,
  isHeld = false,
): Promise<GraphRow | null> {
  const spans = await session.all(
    `SELECT seq, first FROM ${schema}.graph WHERE seq >= $1 ORDER BY seq LIMIT ${MOST_SPANS}`,
    [seq],
  );
  const candidates = spans.filter(({ first }) => first <= seq).map((row) => row.seq as number);
  for (const candidate of candidates) {
    const [row] = await session.all<GraphRow>(
      `SELECT seq, first, closed, links, lists FROM ${schema}.graph WHERE seq = $1 ${isHeld ? 'FOR UPDATE' : ''}`,
      [candidate],
    );
    // The row was joined with others at this moment.
    if (row === undefined) return rowOf(session, schema, { page, seq }, isHeld);
    if (listOf(row.lists, page) !== null) return row;
  }
  return null;
}

/** The links of a page; none if it has no list. */
export async function linksIn(session: Session, schema: string, place: ListPlace): Promise<LinkEnd[]> {
  const row = await rowOf(session, schema, place);
  return (row && linksOf(row.lists, place.page)) ?? [];
}

/** The targets of all links that are not counted, ascending. */
export async function openTargets(session: Session, schema: string): Promise<Float64Array> {
  const rows = await session.all(`SELECT lists FROM ${schema}.graph WHERE closed IS NULL`);
  return targetsOf(rows.map(({ lists }) => lists));
}
