/** URLs that were left out, and are found where the reason does not hold: nearer to the seeds, nearer to the topic, by name. */
import { countReleased, REVIVED } from '../left-out.ts';
import type { Tally } from '../tally.ts';
import { numbers, texts } from './arrays.ts';
import type { Session } from './database.ts';
import { lockHosts } from './lock-hosts.ts';
import type { KnownUrl } from './look-up.ts';
import type { Parts } from './parts.ts';

/** Lets them wait, each with the depth and the place in the queue of the find that let it in. */
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

/** What a user names is fetched as it was named, though another URL stood for it. */
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
