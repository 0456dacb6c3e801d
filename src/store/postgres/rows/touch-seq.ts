/**
 * The numbers of transactions that touch pages (`urls.touched`). In: a transaction. Out: its number, or the last number
 * up to which all such transactions are over.
 *
 * What always holds: a reader that has read all marks up to `lastTouch` never misses a smaller mark that is committed
 * later. A transaction first locks the last number so far, its floor, and takes its own number after that. So either
 * the reader finds the floor among the locks and stops there, or the number is above the last one that the reader saw.
 * The lock is shared and nobody takes it alone: no transaction waits for another, or for a reader.
 */
import type { Row, Session } from '../connection/session.ts';

const SPAN = 2 ** 32;
/** The upper half of the lock's key names the crawl, the lower half has the last digits of the floor. */
const KEY = (schema: string): string => `hashtext('${schema.replaceAll("'", "''")} touching')::bigint`;

export async function nextTouch(session: Session, schema: string): Promise<number> {
  const [, [row]] = await Promise.all([
    session.all(
      `SELECT pg_advisory_xact_lock_shared((${KEY(schema)} << 32) | (last_value & ${SPAN - 1})) FROM ${schema}.touch_seqs`,
    ),
    session.all(`SELECT nextval('${schema}.touch_seqs') AS seq`),
  ]);
  return row!.seq;
}

/** Must be read before the marks. The floors must be read after the last number. */
export async function lastTouch(session: Session, schema: string): Promise<number> {
  const [{ last } = { last: 1 } as Row] = await session.all(`SELECT last_value AS last FROM ${schema}.touch_seqs`);
  const floors = await session.all(
    `SELECT objid::bigint AS low FROM pg_locks
     WHERE locktype = 'advisory' AND objsubid = 1 AND classid::bigint = (${KEY(schema)} & ${SPAN - 1})
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return Math.min(last, ...floors.map(({ low }) => last - ((((last - low) % SPAN) + SPAN) % SPAN)));
}
