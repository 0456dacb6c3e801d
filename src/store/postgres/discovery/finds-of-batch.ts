import type { CommitBatch, UrlResult } from '../../contract.ts';
import { numbers } from '../connection/arrays.ts';
import type { Database } from '../connection/database.ts';
import type { Find } from './finds.ts';

/**
 * All URLs that a batch names, with the page on which each was found. Links are made known in any case. The target of a
 * redirect, the canonical URL and the stand-in are made known only if the result counts.
 */
export async function findsOf(db: Database, batch: CommitBatch): Promise<Find[]> {
  const leading = batch.results.filter((result) => othersOf(result).length > 0);
  const refused = leading.length === 0 ? new Set<number>() : await refusedOf(db, batch, leading);
  const finds: Find[] = [];
  const done = new Set<number>();
  for (const result of batch.results) {
    const { id, foundLinks } = result;
    for (const link of foundLinks) finds.push({ found: link, via: id });
    // Only the first of several results for one URL counts, unless it leaves the URL waiting.
    if (refused.has(id) || done.has(id)) continue;
    if (result.state !== 'waiting') done.add(id);
    for (const other of othersOf(result)) finds.push({ found: other, via: id });
  }
  for (const found of batch.found) finds.push({ found, via: null });
  return finds;
}

/**
 * URLs whose results do not count at this moment. For a visit to a known page only its visit
 * row can tell, so such a result is never refused here.
 */
async function refusedOf(
  db: Database,
  { owner }: CommitBatch,
  results: readonly UrlResult[],
): Promise<ReadonlySet<number>> {
  const first = results.filter(({ revisit }) => revisit === undefined);
  const refused = new Set(first.map(({ id }) => id));
  const rows = await db.all(
    `SELECT u.id FROM ${db.schema}.urls u JOIN ${db.schema}.hosts h ON h.id = u.host_id
     WHERE u.id = ANY($1::bigint[]) AND u.state = 0 AND (h.lease_owner = $2 OR EXISTS
       (SELECT 1 FROM ${db.schema}.host_shares s WHERE s.host_id = h.id AND s.lease_owner = $2))`,
    [numbers(refused), owner],
  );
  for (const { id } of rows) refused.delete(id);
  return refused;
}

function othersOf({ redirectTo, standIn, page }: UrlResult) {
  return [redirectTo, standIn, page?.canonical].filter((other) => other !== null && other !== undefined);
}
