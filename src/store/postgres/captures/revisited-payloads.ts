/** Payloads that revisits refer to: they stay as long as one does. */
import { texts } from './arrays.ts';
import type { Session } from './database.ts';

/** Those of these that a revisit refers to. */
export async function referredTo(session: Session, schema: string, digests: readonly string[]): Promise<Set<string>> {
  if (digests.length === 0) return new Set();
  const rows = await session.all(
    `SELECT DISTINCT payload_digest AS digest FROM ${schema}.captures WHERE revisit AND payload_digest = ANY($1::text[])`,
    [texts(new Set(digests))],
  );
  return new Set(rows.map(({ digest }) => digest));
}
