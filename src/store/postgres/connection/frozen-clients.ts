/**
 * Ends the connections of clients that froze in the middle of a statement. The server ends a transaction that is idle
 * for too long. A transaction whose statement has arrived, but whose values have not, is not idle: it would keep its
 * locks, also on hosts, as long as the client is frozen. So every worker looks for such connections and ends them.
 */
import type { Session } from './database.ts';

/**
 * The usual length of a lease. Values of some megabytes over a slow
 * line also take a while, and such a client is not frozen.
 */
const FROZEN_MS = 60_000;
const LOOK_EVERY_MS = 10_000;

/**
 * Only connections of this program, by the same user. A COPY is
 * excluded, because the server always waits for its client.
 */
const END_FROZEN = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND usename = current_user AND application_name = current_setting('application_name')
    AND state = 'active' AND wait_event = 'ClientRead' AND query NOT ILIKE 'COPY%'
    AND state_change < clock_timestamp() - $1::float8 * interval '1 millisecond'`;

/** Returns the number of ended connections. */
export function endFrozen(session: Session, frozenMs = FROZEN_MS): Promise<number> {
  return session.run(END_FROZEN, [frozenMs]);
}

/** Repeats `endFrozen`, also after a failure. Returns the function that stops it. */
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
