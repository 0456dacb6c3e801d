import { numbers } from './arrays.ts';
import type { Session } from './database.ts';

/**
 * Keeps the rows of hosts of one part until the end of the transaction. Whoever changes URLs of a host that others may change, too,
 * holds the host first, as a commit does: then nobody waits for a host while somebody waits for its URLs.
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
