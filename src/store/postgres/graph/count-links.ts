/**
 * Counts the links that commits have written, and closes their rows; or only joins rows, so that there are never too
 * many. One process at a time does this; another process that tries it meanwhile has nothing to do.
 *
 * The partner for SQLite is store/sqlite/graph/link-graph.ts; the shared contract test is test/store/contract/graph.ts.
 */
import type { CountChange } from '../../../graph/backlink-counts.ts';
import { targetsOf } from '../../../graph/segment-reader.ts';
import type { Session } from '../connection/database.ts';
import type { Engine } from '../engine.ts';
import { addBacklinks } from './backlink-blocks.ts';
import { deleteRows, type GraphRow, openRows } from './graph-rows.ts';

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

/** Calls `onChange` for each URL whose count changed. */
export function countOpenLinks({ db, parts, memory }: Engine, onChange: CountChange): Promise<void> {
  memory.uncountedLinks = 0;
  memory.unjoinedRows = 0;
  return db.transaction(async (session) => {
    if (!(await isFirst(session, db.schema))) return;
    let targets: Float64Array[] = [];
    let held = 0;
    const add = async (): Promise<void> => {
      await addBacklinks(session, db.schema, merged(targets, held), 1, onChange);
      targets = [];
      held = 0;
    };
    // All parts are counted together, because links of every part lead to most blocks,
    // and each block would be written once for each part.
    for (let part = 0; part < parts.count; part++) {
      const some = await join(session, db.schema, part, await openRows(session, db.schema, part), true);
      targets.push(some);
      held += some.length;
      if (held >= MOST_TARGETS) await add();
    }
    await add();
  });
}

/** The targets of all lists, ascending. */
function merged(lists: readonly Float64Array[], length: number): Float64Array {
  const all = new Float64Array(length);
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all.sort();
}

/** Pages without links never cause a count, so their rows are joined here. */
export async function joinNowAndThen({ db, parts, memory }: Engine): Promise<void> {
  if (memory.unjoinedRows < MOST_UNJOINED) return;
  memory.unjoinedRows = 0;
  await db.transaction(async (session) => {
    if (!(await isFirst(session, db.schema))) return;
    for (let part = 0; part < parts.count; part++) {
      // Rows that were joined before are left alone. Otherwise they would be written again in every round.
      const unjoined = await openRows(session, db.schema, part, 'AND first = seq');
      if (unjoined.length > 1) await join(session, db.schema, part, unjoined, false);
    }
  });
}

async function isFirst(session: Session, schema: string): Promise<boolean> {
  const [row] = await session.all('SELECT pg_try_advisory_xact_lock($1, hashtext($2)) AS is_first', [
    LOCK_SPACE,
    schema,
  ]);
  return row!.is_first;
}

/** Joins these open rows of a part into one row, and returns its targets, ascending. */
async function join(
  session: Session,
  schema: string,
  part: number,
  open: readonly GraphRow[],
  isClosing: boolean,
): Promise<Float64Array> {
  const last = open.at(-1);
  if (last === undefined) return new Float64Array(0);
  const lists = Buffer.concat(open.map((row) => row.lists));
  const targets = targetsOf([lists]);
  await deleteRows(
    session,
    schema,
    part,
    open.map(({ seq }) => seq),
  );
  await session.run(
    `INSERT INTO ${schema}.graph (part, seq, first, closed, links, lists)
     VALUES ($1, $2, $3, ${isClosing ? `nextval('${schema}.closings')` : 'NULL'}, $4, $5)`,
    [part, last.seq, Math.min(...open.map(({ first }) => first)), targets.length, lists],
  );
  return targets;
}
