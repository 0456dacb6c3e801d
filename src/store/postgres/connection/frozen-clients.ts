/**
 * Clients that froze in the middle of a statement. The server ends a transaction that is idle for too long, but one whose statement it has
 * and whose values it waits for is not idle: it would keep its locks, hosts among them, for as long as the client is frozen. So whoever
 * works looks for such ones, and ends their connections.
 */
import type { Session } from './database.ts';

/** As long as a lease usually is. Values of some megabytes over a slow line take a while, too, and who sends them is not frozen. */
const FROZEN_MS = 60_000;
const LOOK_EVERY_MS = 10_000;

/** Calls of our own kind, by the same user: others' are not ours to end. Who sends a COPY is waited for all the time. */
const END_FROZEN = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND usename = current_user AND application_name = current_setting('application_name')
    AND state = 'active' AND wait_event = 'ClientRead' AND query NOT ILIKE 'COPY%'
    AND state_change < clock_timestamp() - $1::float8 * interval '1 millisecond'`;

/** Returns how many there were. */
export function endFrozen(session: Session, frozenMs = FROZEN_MS): Promise<number> {
  return session.run(END_FROZEN, [frozenMs]);
}

/** Again and again; returns what ends it. A look that fails is followed by another. */
export function keepEndingFrozen(session: Session): () => void {
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    endFrozen(session)
      .catch(() => {})
      .finally(() => {
        isLooking = false;
      });
  }, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}
