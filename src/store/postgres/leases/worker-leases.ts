/**
 * All leases of a worker: renewed with each heartbeat, given up when the worker leaves or was dead. Rows are locked in
 * the order of their keys, as commits lock them. This avoids a deadlock.
 */
import type { Session } from '../connection/database.ts';
import { IS_ALIVE, NOW } from './lease-conditions.ts';

/** The tables with leases: hosts, and shares of large hosts (M5). */
const LEASED = [
  {
    table: 'hosts',
    key: 'id',
    hostId: 'id',
    slot: 'slot',
    // The host may have received requests until the end of the lease, or
    // until now. Its delay counts from the earlier of both.
    asked: `asked_at = greatest(asked_at, least(ready_at, ${NOW})),`,
  },
  { table: 'host_shares', key: 'host_id, share', hostId: 'host_id', slot: 'NULL::smallint', asked: '' },
] as const;

/**
 * Renews the leases of a worker that is alive; all statements are sent at once. Returns the hosts that
 * it holds: whole hosts with their slots, shares without.
 */
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
       AND EXISTS (SELECT 1 FROM ${schema}.workers w WHERE w.owner = $1 AND ${IS_ALIVE})
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
    // A shared host must be ready no later than any of its shares.
    session.run(
      `WITH freed AS (
         UPDATE ${schema}.${table} SET lease_owner = NULL, ${asked} ready_at = least(ready_at, ${NOW}) WHERE lease_owner = $1
         RETURNING ${hostId} AS id)
       UPDATE ${schema}.hosts h SET ready_at = least(h.ready_at, ${NOW}) FROM freed f
       WHERE h.id = f.id AND h.lease_owner = '*'`,
      [owner],
    ),
  ]);
  await Promise.all(sent);
}

export async function isAnyLeased(session: Session, schema: string): Promise<boolean> {
  const found = LEASED.map(({ table }) =>
    // No worker holds a shared host itself; the workers hold its shares.
    session.all(`SELECT 1 FROM ${schema}.${table} WHERE lease_owner IS NOT NULL AND lease_owner <> '*' LIMIT 1`),
  );
  return (await Promise.all(found)).some((rows) => rows.length > 0);
}

function lockAll(schema: string, table: string, key: string): string {
  return `SELECT ${key} FROM ${schema}.${table} WHERE lease_owner = $1 ORDER BY ${key} FOR NO KEY UPDATE`;
}
