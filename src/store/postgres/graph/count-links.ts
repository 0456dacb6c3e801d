/**
 * Counts the links that commits have written, and closes their rows; or only joins rows, so that there are never too
 * many. One process at a time does this; another process that tries it meanwhile has nothing to do.
 *
 * The partner for SQLite is store/sqlite/graph/link-graph.ts; the shared contract test is test/store/contract/graph.ts.
 */
import type { CountChange } from '../../../graph/backlink-counts.ts';
import { targetsOf } from '../../../graph/segment-reader.ts';
import { numbers } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';
import type { Engine } from '../engine.ts';
import { addBacklinks } from './backlink-blocks.ts';
import type { GraphRow } from './graph-rows.ts';

/**
 * Counting writes every block that has a target of a link, for one link or for hundreds. With links to
 * anywhere this is every block, and most of the write-ahead log if it is done every two thousand
 * pages. Exact counts also read the uncounted links, 2 to 3 bytes each. If a worker ends before it
 * counts, nothing is lost: the next count finds its rows.
 */
export const MOST_UNCOUNTED_LINKS = 2 ** 20;
const LOCK_SPACE = 0x6f7263;
/**
 * When this process has written so many rows that are not joined, it
 * joins them: every read of uncounted links reads them all.
 */
const MOST_UNJOINED = 512;
/**
 * Targets in memory during counting, eight bytes each. If several workers
 * have gathered more, they are counted in several rounds.
 */
const MOST_TARGETS = 2 ** 20;

type OpenRow = Pick<GraphRow, 'seq' | 'links'>;

/** Calls `onChange` for each URL whose count changed. */
export function countOpenLinks({ db, memory }: Engine, onChange: CountChange): Promise<void> {
  memory.uncountedLinks = 0;
  memory.unjoinedRows = 0;
  return db.transaction(async (session) => {
    if (!(await isFirst(session, db.schema))) return;
    const open = await openRows(session, db.schema, '');
    for (const rows of rounds(open)) {
      await addBacklinks(session, db.schema, await join(session, db.schema, rows, true), 1, onChange);
    }
  });
}

function* rounds(open: readonly OpenRow[]): Generator<readonly OpenRow[]> {
  let [from, targets] = [0, 0];
  for (const [i, { links }] of open.entries()) {
    targets += links;
    if (targets < MOST_TARGETS && i < open.length - 1) continue;
    yield open.slice(from, i + 1);
    [from, targets] = [i + 1, 0];
  }
}

/** Pages without links never cause a count, so their rows are joined here. */
export async function joinNowAndThen({ db, memory }: Engine): Promise<void> {
  if (memory.unjoinedRows < MOST_UNJOINED) return;
  memory.unjoinedRows = 0;
  await db.transaction(async (session) => {
    if (!(await isFirst(session, db.schema))) return;
    // Rows that were joined before are left alone. Otherwise they would be written again in every round.
    const unjoined = await openRows(session, db.schema, 'AND first = seq');
    if (unjoined.length > 1) await join(session, db.schema, unjoined, false);
  });
}

async function isFirst(session: Session, schema: string): Promise<boolean> {
  const [row] = await session.all('SELECT pg_try_advisory_xact_lock($1, hashtext($2)) AS is_first', [
    LOCK_SPACE,
    schema,
  ]);
  return row!.is_first;
}

/** Open rows, locked, in the order of their numbers. `condition` selects some of them. */
function openRows(session: Session, schema: string, condition: string): Promise<readonly OpenRow[]> {
  return session.all<OpenRow>(
    `SELECT seq, links FROM ${schema}.graph WHERE closed IS NULL ${condition} ORDER BY seq FOR UPDATE`,
  );
}

/** Joins these open rows into one row, and returns its targets, ascending. */
async function join(
  session: Session,
  schema: string,
  open: readonly OpenRow[],
  isClosing: boolean,
): Promise<Float64Array> {
  const deleted = await session.all<GraphRow>(
    `DELETE FROM ${schema}.graph WHERE seq = ANY($1::bigint[]) RETURNING seq, first, lists`,
    [numbers(open.map(({ seq }) => seq))],
  );
  const rows = deleted.toSorted((a, b) => a.seq - b.seq);
  const lists = Buffer.concat(rows.map((row) => row.lists));
  const targets = targetsOf([lists]);
  await session.run(
    `INSERT INTO ${schema}.graph (seq, first, closed, links, lists)
     VALUES ($1, $2, ${isClosing ? `nextval('${schema}.closings')` : 'NULL'}, $3, $4)`,
    [rows.at(-1)!.seq, Math.min(...rows.map(({ first }) => first)), targets.length, lists],
  );
  return targets;
}
