/**
 * Turns: what only one transaction of a crawl at a time may do, or what others may do only at the same time as each other. A turn
 * ends with its transaction. Whoever takes several takes them in the order of TURNS; all but the first after the rows it works on.
 */
import type { Session } from './database.ts';

/** So that no other program's lock is meant. */
export const LOCK_SPACE = 0x6f7262;

/**
 * crossing: a commit that keeps to its own hosts (together), or does not (alone); before all rows. unlinking: links go, and pages may be left without any. linking: links and redirects come (together with others), or pages
 * are found to have none (alone). numbering: changes get their numbers.
 */
const TURNS = ['crossing', 'unlinking', 'linking', 'numbering'] as const;
export type Turn = (typeof TURNS)[number];

/** Sent without waiting: the statements after it wait for it on the server. */
export function takeTurn(session: Session, schema: string, turn: Turn, how: 'alone' | 'together'): Promise<unknown> {
  const lock = how === 'alone' ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
  return session.run(`SELECT ${lock}($1, hashtext($2))`, [LOCK_SPACE, `${schema} ${turn}`]);
}
