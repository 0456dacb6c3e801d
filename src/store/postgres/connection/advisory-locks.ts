/**
 * Advisory locks of a crawl, called turns. A turn is taken "alone" (exclusive) or "together" (shared), and ends
 * with its transaction. A transaction that takes several turns takes them in the order of TURNS. All turns
 * except the first are taken after the rows are locked.
 */
import type { Session } from './database.ts';

/** Separates these locks from the locks of other programs. */
export const LOCK_SPACE = 0x6f7262;

/**
 * crossing: a commit that changes only its own hosts takes it together, any other commit takes it alone; before all
 * rows. unlinking: links are removed, and pages may lose their last link. linking: links and redirects are added
 * (together), or pages are found to have none (alone). numbering: changes get their numbers.
 */
const TURNS = ['crossing', 'unlinking', 'linking', 'numbering'] as const;
export type Turn = (typeof TURNS)[number];

/** The caller need not wait for the promise: later statements of the session wait for the lock on the server. */
export function takeCrawlLock(
  session: Session,
  schema: string,
  turn: Turn,
  how: 'alone' | 'together',
): Promise<unknown> {
  const lock = how === 'alone' ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
  return session.run(`SELECT ${lock}($1, hashtext($2))`, [LOCK_SPACE, `${schema} ${turn}`]);
}
