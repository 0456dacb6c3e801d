/**
 * Marks the pages of a host that were committed before the host was asked for a path that does not exist, and that have
 * the same bytes as the answer (`soft-404`). Runs inside the commit's transaction, after its rows are written.
 *
 * The partner for SQLite is store/sqlite/commit/soft-404s.ts;
 * the shared contract test is test/store/contract/soft-404s.ts.
 */
import { type CommitBatch, URL_STATES } from '../../contract.ts';
import { SOFT_404 } from '../../rules/left-out.ts';
import { numbers } from '../connection/arrays.ts';
import { ownOf } from '../leases/host-updates.ts';
import { contentKey } from '../rows/contents.ts';
import type { WorkingSet } from '../rows/working-set.ts';
import type { CommitScope } from './commit-scope.ts';

const [FETCHED, DUPLICATE] = [URL_STATES.indexOf('fetched'), URL_STATES.indexOf('duplicate')];

export async function markSoft404s(
  set: WorkingSet,
  { hosts }: CommitBatch,
  { leased }: Pick<CommitScope, 'leased'>,
): Promise<void> {
  const { session, schema, tally } = set;
  for (const { hostId, notFound } of ownOf(hosts, leased)) {
    if (notFound?.kind !== 'page') continue;
    const { digest } = notFound;
    // The original of the content and its duplicates, except seeds and the main page.
    const rows = await session.all(
      `SELECT u.id, u.state, u.reason FROM ${schema}.urls u JOIN ${schema}.hosts h ON h.id = u.host_id
         JOIN ${schema}.pages p ON p.url_id = u.id
       WHERE u.id IN (SELECT url_id FROM ${schema}.contents WHERE digest = $1::uuid
           UNION SELECT url_id FROM ${schema}.pages WHERE digest = decode($2, 'hex') AND duplicate_of = 0)
         AND u.host_id = $3 AND u.depth > 0 AND u.url <> h.host || '/' AND p.digest = decode($2, 'hex')
         AND u.state IN (${FETCHED}, ${DUPLICATE}) ORDER BY u.id FOR NO KEY UPDATE OF u`,
      [contentKey(digest!), digest!, hostId],
    );
    if (rows.length === 0) continue;
    const ids = [numbers(rows.map(({ id }) => id))];
    await session.run(
      `UPDATE ${schema}.urls SET state = ${FETCHED}, reason = '${SOFT_404}', touched = $2 WHERE id = ANY($1::bigint[])`,
      [...ids, await set.touchSeq()],
    );
    await session.run(
      `UPDATE ${schema}.pages SET duplicate_of = NULL, near_of = NULL WHERE url_id = ANY($1::bigint[])`,
      ids,
    );
    for (const { state, reason } of rows) {
      tally.leaves(hostId, URL_STATES[state]!, reason);
      tally.enters(hostId, 'fetched', SOFT_404);
    }
  }
}
