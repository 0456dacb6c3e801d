import { numbers } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';

/**
 * Locks the rows of hosts until the end of the transaction. A transaction that changes URLs which others
 * may also change locks their host first, as a commit does. This avoids a deadlock between a host and its URLs.
 */
export async function lockHosts(session: Session, schema: string, hostIds: Iterable<number>): Promise<void> {
  const sql = `SELECT id FROM ${schema}.hosts WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE`;
  await session.run(sql, [numbers(new Set(hostIds))]);
}
