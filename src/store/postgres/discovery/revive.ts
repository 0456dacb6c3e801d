/**
 * Lets URLs wait that were left out and are now found where the reason does not hold: nearer to
 * the seeds, nearer to the topic, or named by the user. The caller must have locked their hosts.
 *
 * The partner for SQLite is store/sqlite/discovery/discovery.ts; the shared contract tests are
 * test/store/contract/seen.ts and test/store/contract/parameters/stand-ins.ts.
 */
import { countReleased, REVIVED } from '../../rules/left-out.ts';
import type { Tally } from '../../rules/tally.ts';
import { numbers, texts } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';
import type { KnownUrl } from './look-up.ts';

/** Lets these URLs wait, each with the depth and the place in the queue of the new find. */
export async function revive(session: Session, schema: string, urls: readonly KnownUrl[], tally: Tally): Promise<void> {
  if (urls.length === 0) return;
  const open = urls.map(({ id, place }) => ({ id, ...place.open! }));
  const rows = await session.all(
    `WITH held AS (SELECT u.id, u.reason FROM ${schema}.urls u WHERE u.id = ANY($1::bigint[])
       AND u.reason = ANY($8::text[]) ORDER BY u.id FOR NO KEY UPDATE)
     UPDATE ${schema}.urls u SET state = 0, reason = NULL, depth = least(u.depth, n.depth), hops = n.hops, rank = n.rank,
       relevance = n.relevance, inherited = n.inherited, steps_off = n.steps_off
     FROM held, unnest($1::bigint[], $2::integer[], $3::double precision[], $4::double precision[], $5::double precision[],
       $6::integer[], $7::smallint[]) AS n(id, depth, rank, relevance, inherited, steps_off, hops)
     WHERE u.id = held.id AND n.id = held.id RETURNING u.host_id, held.reason`,
    [
      numbers(open.map(({ id }) => id)),
      numbers(open.map(({ depth }) => depth)),
      numbers(open.map(({ rank }) => rank)),
      numbers(open.map(({ relevance }) => relevance)),
      numbers(open.map(({ trail }) => trail?.inherited ?? null)),
      numbers(open.map(({ trail }) => trail?.stepsOff ?? null)),
      numbers(open.map(({ hops }) => hops)),
      texts(REVIVED),
    ],
  );
  for (const { host_id, reason } of rows) countReleased(host_id, reason, tally);
}

/** A URL that the user names is fetched, although it has a stand-in. */
export async function fetchAsNamed(
  session: Session,
  schema: string,
  urls: readonly KnownUrl[],
  tally: Tally,
): Promise<void> {
  if (urls.length === 0) return;
  const rows = await session.all(
    `UPDATE ${schema}.urls SET state = 0, reason = NULL, stand_in = NULL
     WHERE id = ANY($1::bigint[]) AND reason = 'ignored-parameter' RETURNING host_id`,
    [numbers(urls.map(({ id }) => id))],
  );
  for (const { host_id } of rows) countReleased(host_id, 'ignored-parameter', tally);
}
