import type { Reason } from '../../core/reasons.ts';
import { numbers, plainTexts } from './arrays.ts';
import type { Session } from './database.ts';
import type { Place } from './finds.ts';

export interface KnownUrl {
  readonly place: Place;
  readonly id: number;
  readonly reason: Reason | null;
}

/**
 * Those of a part that are known, by the `table` of its URLs. The hottest statement of all: asked for in the order of the index, which keeps neighbours
 * together, and in a way that the server can only answer by going into it once a URL.
 */
export async function lookUp(
  session: Session,
  table: string,
  part: number,
  places: readonly Place[],
): Promise<KnownUrl[]> {
  const sorted = inOrder(places);
  const rows = await session.all<{ n: number; id: number; reason: Reason | null }>(
    `SELECT f.n, u.id, u.reason FROM unnest($2::bigint[], $3::uuid[]) WITH ORDINALITY AS f(host_id, key, n),
       LATERAL (SELECT id, reason FROM ${table} WHERE part = $1 AND host_id = f.host_id AND key = f.key LIMIT 1) u`,
    [part, numbers(sorted.map(({ hostId }) => hostId)), plainTexts(sorted.map(({ found }) => found.key))],
  );
  return rows.map(({ n, id, reason }) => ({ place: sorted[n - 1]!, id, reason }));
}

/** In the order of the index, which is also that of locks: two that find the same URLs never wait for each other in a ring. */
export function inOrder<T extends Pick<Place, 'hostId' | 'found'>>(places: readonly T[]): T[] {
  return places.toSorted((a, b) => a.hostId - b.hostId || (a.found.key < b.found.key ? -1 : 1));
}
