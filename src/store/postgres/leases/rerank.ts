/**
 * Writes new ranks of waiting URLs, whichever worker holds their hosts. A URL whose row another transaction has
 * locked is skipped: it is being answered, or another worker with the same knowledge is moving it. Ranks are
 * only a preference, so they never make a transaction wait.
 *
 * The partner for SQLite is store/sqlite/commit/commit.ts; the
 * shared contract test is test/store/contract/moving-up.ts.
 */
import type { NewRank } from '../../contract.ts';
import { numbers } from '../connection/arrays.ts';
import type { WorkingSet } from '../rows/working-set.ts';

export async function rerank(set: WorkingSet, ranks: readonly NewRank[]): Promise<void> {
  if (ranks.length === 0) return;
  const wanted = oneEach(ranks).filter(({ id }) => !set.urls.has(id) || set.urls.get(id)?.state === 0);
  await set.session.run(
    `UPDATE ${set.schema}.urls u SET rank = n.rank, relevance = coalesce(n.relevance, u.relevance)
     FROM unnest($1::bigint[], $2::double precision[], $3::double precision[]) AS n(id, rank, relevance)
     WHERE u.id = n.id AND u.state = 0
       AND CASE WHEN n.relevance IS NULL THEN u.rank <> n.rank ELSE coalesce(u.relevance, 0) < n.relevance END
       AND u.id = ANY(ARRAY(
         SELECT w.id FROM ${set.schema}.urls w WHERE w.id = ANY($1::bigint[]) AND w.state = 0 FOR NO KEY UPDATE SKIP LOCKED))`,
    [
      numbers(wanted.map(({ id }) => id)),
      numbers(wanted.map(({ rank }) => rank)),
      numbers(wanted.map(({ relevance }) => relevance ?? null)),
    ],
  );
}

/**
 * Merges the ranks of each URL, as if they came one after the other: the
 * last one counts, or the one with the highest relevance.
 */
function oneEach(ranks: readonly NewRank[]): NewRank[] {
  const byId = new Map<number, NewRank>();
  for (const rank of ranks) {
    const before = byId.get(rank.id)?.relevance;
    const isLess = before !== undefined && rank.relevance !== undefined && rank.relevance <= before;
    if (!isLess) byId.set(rank.id, rank);
  }
  return [...byId.values()];
}
