/**
 * Counting the links that commits have written, and closing the rows they are in; or only joining rows, so that there are never too
 * many. One process at a time does it: whoever comes while another is at it has nothing to do.
 */
import type { CountChange } from '../../graph/backlink-counts.ts';
import { targetsOf } from '../../graph/segment-links.ts';
import { addBacklinks } from './backlink-blocks.ts';
import type { Session } from './database.ts';
import type { Engine } from './engine.ts';
import { deleteRows, type GraphRow, openRows } from './graph-rows.ts';

/**
 * A count writes each block that any of the links leads to, be it one link or hundreds: with links to anywhere that is every block there
 * is, and the larger part of the log if it is done every two thousand pages. What is not counted is read by whoever asks for exact
 * counts, 2 to 3 bytes a link. Nothing is lost with a worker that ends before it counts: the next count finds its rows.
 */
export const MOST_UNCOUNTED_LINKS = 2 ** 20;
const LOCK_SPACE = 0x6f7263;
/** Rows of this process that are not joined, before it sees to that: every look at what is not counted reads them all. */
const MOST_UNJOINED = 512;
/** Held in memory while links are counted, eight bytes each. What several workers have gathered may be more: it is counted in several rounds. */
const MOST_TARGETS = 2 ** 20;

/** `onChange` hears of each URL whose count changed. */
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
    // Of all parts together: links of every part lead to most blocks, and each would be written once a part.
    for (let part = 0; part < parts.count; part++) {
      const some = await join(session, db.schema, part, await openRows(session, db.schema, part), true);
      targets.push(some);
      held += some.length;
      if (held >= MOST_TARGETS) await add();
    }
    await add();
  });
}

/** Ascending. */
function merged(lists: readonly Float64Array[], length: number): Float64Array {
  const all = new Float64Array(length);
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all.sort();
}

/** Pages without links give nobody a reason to count. */
export async function joinNowAndThen({ db, parts, memory }: Engine): Promise<void> {
  if (memory.unjoinedRows < MOST_UNJOINED) return;
  memory.unjoinedRows = 0;
  await db.transaction(async (session) => {
    if (!(await isFirst(session, db.schema))) return;
    for (let part = 0; part < parts.count; part++) {
      // What was joined before stays as it is: it would be written again with every round.
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

/** Makes one row of these open ones of a part, and gives its targets, ascending. */
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
