/** Payloads that revisit records refer to. Such a payload stays as long as one of its revisit records does. */

import { texts } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';

/** Returns the digests, out of the given ones, that a revisit record refers to. */
export async function referredTo(session: Session, schema: string, digests: readonly string[]): Promise<Set<string>> {
  if (digests.length === 0) return new Set();
  const rows = await session.all(
    `SELECT DISTINCT payload_digest AS digest FROM ${schema}.captures WHERE revisit AND payload_digest = ANY($1::text[])`,
    [texts(new Set(digests))],
  );
  return new Set(rows.map(({ digest }) => digest));
}
