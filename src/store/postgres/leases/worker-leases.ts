/**
 * What a worker holds, as a whole: kept alive with each beat, given up when it leaves or was dead. Rows are locked in the order of their
 * keys, as commits lock them, so that neither ever waits for the other in a ring.
 */
import type { Session } from './database.ts';

/** The server's time. */
export const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** What can be leased: hosts, and shares of large ones (M5). */
const LEASED = [
  {
    table: 'hosts',
    key: 'part, id',
    hostId: 'id',
    slot: 'slot',
    // It may have been asked up to the end of the lease, or up to now: its delay counts from the earlier of both.
    asked: `asked_at = greatest(asked_at, least(ready_at, ${NOW})),`,
  },
  { table: 'host_shares', key: 'part, host_id, share', hostId: 'host_id', slot: 'NULL::smallint', asked: '' },
] as const;

/** Of a worker that is alive. All is sent at once. Returns the hosts that it holds, whole ones with their slots, shares without. */
export async function renewLeases(
  session: Session,
  schema: string,
  owner: string,
  leaseMs: number,
): Promise<ReadonlyMap<number, number | null>> {
  const renewed = LEASED.map(async ({ table, key, hostId, slot }) => {
    const [, rows] = await Promise.all([
      session.run(lockAll(schema, table, key), [owner]),
      session.all<{ id: number; slot: number | null }>(
        `UPDATE ${schema}.${table} SET ready_at = ${NOW} + $2::bigint WHERE lease_owner = $1
       AND EXISTS (SELECT 1 FROM ${schema}.workers w WHERE w.owner = $1 AND w.beat_at + w.lease_ms > ${NOW})
       RETURNING ${hostId} AS id, ${slot} AS slot`,
        [owner, leaseMs],
      ),
    ]);
    return rows;
  });
  return new Map((await Promise.all(renewed)).flat().map(({ id, slot }) => [id, slot]));
}

export async function freeLeases(session: Session, schema: string, owner: string): Promise<void> {
  const sent = LEASED.flatMap(({ table, key, hostId, asked }) => [
    session.run(lockAll(schema, table, key), [owner]),
    // A host that is shared is ready no later than any of its shares.
    session.run(
      `WITH freed AS (
         UPDATE ${schema}.${table} SET lease_owner = NULL, ${asked} ready_at = least(ready_at, ${NOW}) WHERE lease_owner = $1
         RETURNING part, ${hostId} AS id)
       UPDATE ${schema}.hosts h SET ready_at = least(h.ready_at, ${NOW}) FROM freed f
       WHERE h.part = f.part AND h.id = f.id AND h.lease_owner = '*'`,
      [owner],
    ),
  ]);
  await Promise.all(sent);
}

export async function isAnyLeased(session: Session, schema: string): Promise<boolean> {
  const found = LEASED.map(({ table }) =>
    // A host that is shared is nobody's: its shares are.
    session.all(`SELECT 1 FROM ${schema}.${table} WHERE lease_owner IS NOT NULL AND lease_owner <> '*' LIMIT 1`),
  );
  return (await Promise.all(found)).some((rows) => rows.length > 0);
}

function lockAll(schema: string, table: string, key: string): string {
  return `SELECT ${key} FROM ${schema}.${table} WHERE lease_owner = $1 ORDER BY ${key} FOR NO KEY UPDATE`;
}
