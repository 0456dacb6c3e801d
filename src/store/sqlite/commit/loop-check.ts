import type { StatementSync } from 'node:sqlite';

/** Chains of redirects and of canonical links are followed this far to see whether they lead back. */
const MAX_CHAIN = 100;

/** Whether the chain that begins at `from` comes by `id`. */
export function leadsTo(id: number, from: number, next: StatementSync): boolean {
  let at: number | null = from;
  for (let step = 0; step < MAX_CHAIN && at !== null; step++) {
    if (at === id) return true;
    at = (next.get(at) as { next: number | null } | undefined)?.next ?? null;
  }
  return false;
}
