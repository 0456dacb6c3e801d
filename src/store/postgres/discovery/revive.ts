/**
 * Lets URLs wait that were left out and are now found where the reason does not hold: nearer to
 * the seeds, nearer to the topic, or named by the user.
 *
 * The partner for SQLite is store/sqlite/discovery/discovery.ts; the shared contract tests are
 * test/store/contract/seen.ts and test/store/contract/stand-ins.ts.
 */
import { countReleased, REVIVED } from '../../rules/left-out.ts';
import type { Tally } from '../../rules/tally.ts';
import { numbers, texts } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';
import { lockHosts } from '../leases/lock-hosts.ts';
import type { Parts } from '../rows/parts.ts';
import type { KnownUrl } from './look-up.ts';

/** Lets these URLs wait, each with the depth and the place in the queue of the new find. */
export async function revive(
  session: Session,
  schema: string,
  parts: Parts,
  urls: readonly KnownUrl[],
  tally: Tally,
): Promise<void> {
  for (const [part, some] of parts.group(urls, ({ place }) => parts.ofHost(place.hostId))) {
    await lockHosts(
      session,
      schema,
      part,
      some.map(({ place }) => place.hostId),
    );
    const open = some.map(({ id, place }) => ({ id, ...place.open! }));
    const rows = await session.all(
      `WITH held AS (SELECT u.id, u.reason FROM ${schema}.urls u WHERE u.part = $1 AND u.id = ANY($2::bigint[])
         AND u.reason = ANY($8::text[]) ORDER BY u.id FOR NO KEY UPDATE)
       UPDATE ${schema}.urls u SET state = 0, reason = NULL, depth = least(u.depth, n.depth), hops = n.hops, rank = n.rank,
         relevance = n.relevance, inherited = n.inherited, steps_off = n.steps_off
       FROM held, unnest($2::bigint[], $3::integer[], $4::double precision[], $5::double precision[], $6::double precision[],
         $7::integer[], $9::smallint[]) AS n(id, depth, rank, relevance, inherited, steps_off, hops)
       WHERE u.part = $1 AND u.id = held.id AND n.id = held.id RETURNING u.host_id, held.reason`,
      [
        part,
        numbers(open.map(({ id }) => id)),
        numbers(open.map(({ depth }) => depth)),
        numbers(open.map(({ rank }) => rank)),
        numbers(open.map(({ relevance }) => relevance)),
        numbers(open.map(({ trail }) => trail?.inherited ?? null)),
        numbers(open.map(({ trail }) => trail?.stepsOff ?? null)),
        texts(REVIVED),
        numbers(open.map(({ hops }) => hops)),
      ],
    );
    for (const { host_id, reason } of rows) countReleased(host_id, reason, tally);
  }
}

/** A URL that the user names is fetched, although it has a stand-in. */
export async function fetchAsNamed(
  session: Session,
  schema: string,
  parts: Parts,
  urls: readonly KnownUrl[],
  tally: Tally,
): Promise<void> {
  for (const [part, some] of parts.group(urls, ({ place }) => parts.ofHost(place.hostId))) {
    await lockHosts(
      session,
      schema,
      part,
      some.map(({ place }) => place.hostId),
    );
    const rows = await session.all(
      `UPDATE ${schema}.urls SET state = 0, reason = NULL, stand_in = NULL
       WHERE part = $1 AND id = ANY($2::bigint[]) AND reason = 'ignored-parameter' RETURNING host_id`,
      [part, numbers(some.map(({ id }) => id))],
    );
    for (const { host_id } of rows) countReleased(host_id, 'ignored-parameter', tally);
  }
}
