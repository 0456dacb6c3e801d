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
  const placed = wanted.filter(({ hostId }) => hostId !== undefined);
  const byPart = set.parts.group(placed, ({ hostId }) => set.parts.ofHost(hostId!));
  const lost = wanted.filter(({ hostId }) => hostId === undefined);
  await Promise.all([
    ...byPart.map(([part, some]) => move(set, some, part)),
    ...(lost.length > 0 ? [move(set, lost, null)] : []),
  ]);
}

/** If `part` is null, all parts are searched. */
function move({ session, schema }: WorkingSet, ranks: readonly NewRank[], part: number | null): Promise<number> {
  const isHere = (row: string): string => (part === null ? '' : `${row}.part = $4 AND`);
  return session.run(
    `UPDATE ${schema}.urls u SET rank = n.rank, relevance = coalesce(n.relevance, u.relevance)
     FROM unnest($1::bigint[], $2::double precision[], $3::double precision[]) AS n(id, rank, relevance)
     WHERE ${isHere('u')} u.id = n.id AND u.state = 0
       AND CASE WHEN n.relevance IS NULL THEN u.rank <> n.rank ELSE coalesce(u.relevance, 0) < n.relevance END
       AND u.id = ANY(ARRAY(
         SELECT w.id FROM ${schema}.urls w WHERE ${isHere('w')} w.id = ANY($1::bigint[]) AND w.state = 0
         FOR NO KEY UPDATE SKIP LOCKED))`,
    [
      numbers(ranks.map(({ id }) => id)),
      numbers(ranks.map(({ rank }) => rank)),
      numbers(ranks.map(({ relevance }) => relevance ?? null)),
      ...(part === null ? [] : [part]),
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
