/**
 * Detects loops of redirects. The partner for PostgreSQL is store/postgres/commit/loop-check.ts;
 * the shared contract test is test/store/contract/duplicates.ts.
 */
import type { StatementSync } from 'node:sqlite';

/** Largest number of steps that are followed to detect a loop. */
const MAX_CHAIN = 100;

/** Whether the chain that begins at `from` passes through `id`. */
export function leadsBack(id: number, from: number, next: StatementSync): boolean {
  let at: number | null = from;
  for (let step = 0; step < MAX_CHAIN && at !== null; step++) {
    if (at === id) return true;
    at = (next.get(at) as { next: number | null } | undefined)?.next ?? null;
  }
  return false;
}
