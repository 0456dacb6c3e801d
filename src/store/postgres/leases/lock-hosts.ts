import { numbers } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';

/**
 * Locks the rows of hosts of one part until the end of the transaction. A transaction that changes URLs which others
 * may also change locks their host first, as a commit does. This avoids a deadlock between a host and its URLs.
 */
export async function lockHosts(
  session: Session,
  schema: string,
  part: number,
  hostIds: Iterable<number>,
): Promise<void> {
  await session.run(
    `SELECT id FROM ${schema}.hosts WHERE part = $1 AND id = ANY($2::bigint[]) ORDER BY id FOR NO KEY UPDATE`,
    [part, numbers(new Set(hostIds))],
  );
}
