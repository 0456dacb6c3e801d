import type { Reason } from '../../../core/reasons.ts';
import { numbers, plainTexts } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';
import type { Place } from './finds.ts';

export interface KnownUrl {
  readonly place: Place;
  readonly id: number;
  readonly reason: Reason | null;
  readonly hops: number;
}

/**
 * Finds the known URLs. This is the hottest statement. The keys are in the order of the index, which keeps
 * neighbours together, and the form of the statement forces one index search for each URL.
 */
export async function lookUp(session: Session, schema: string, places: readonly Place[]): Promise<KnownUrl[]> {
  const sorted = inOrder(places);
  const rows = await session.all<{ n: number } & Omit<KnownUrl, 'place'>>(
    `SELECT f.n, u.id, u.reason, u.hops FROM unnest($1::bigint[], $2::uuid[]) WITH ORDINALITY AS f(host_id, key, n),
       LATERAL (SELECT id, reason, hops FROM ${schema}.urls WHERE host_id = f.host_id AND key = f.key LIMIT 1) u`,
    [numbers(sorted.map(({ hostId }) => hostId)), plainTexts(sorted.map(({ found }) => found.key))],
  );
  return rows.map(({ n, id, reason, hops }) => ({ place: sorted[n - 1]!, id, reason, hops }));
}

/**
 * The order of the index is also the order of locks. This avoids a
 * deadlock between two workers that find the same URLs.
 */
export function inOrder<T extends Pick<Place, 'hostId' | 'found'>>(places: readonly T[]): T[] {
  return places.toSorted((a, b) => a.hostId - b.hostId || (a.found.key < b.found.key ? -1 : 1));
}
