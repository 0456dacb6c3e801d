/** Asks the server, over a second connection that is closed afterwards, what it does for a silent connection. */
import postgres from 'postgres';
import type { StoreAddress } from './address.ts';

/**
 * working: the server has the statement and works on it. lost: the server waits for the client, or
 * does not know the connection. unknown: the server does not say, or a pooler is in between.
 * unreachable: a second connection cannot be made either.
 */
const WHEREABOUTS = ['working', 'lost', 'unknown', 'unreachable'] as const;
export type Whereabouts = (typeof WHEREABOUTS)[number];

interface ProcessRow {
  readonly own: number;
  readonly state: string | null;
  readonly isWithClient: boolean;
  readonly isFresh: boolean;
  readonly isThere: boolean;
}

/** A process that cannot send its answer to the client also has the state "active", so the wait event is read, too. */
const ASK = `SELECT pg_backend_pid() AS own, a.state, coalesce(a.wait_event_type = 'Client', false) AS "isWithClient",
  coalesce(a.state_change > clock_timestamp() - $2::float8 * interval '1 millisecond', false) AS "isFresh", a.pid IS NOT NULL AS "isThere"
  FROM (SELECT 1) one LEFT JOIN pg_stat_activity a ON a.pid = $1`;

/** `freshMs`: an answer that is younger than this may still be on its way. */
export async function askOfProcess(
  { options }: StoreAddress,
  pid: number,
  freshMs: number,
  limitMs: number,
): Promise<Whereabouts> {
  const sql = postgres({
    ...options,
    max: 1,
    fetch_types: false,
    prepare: false,
    onnotice: () => {},
    backoff: () => 0,
  });
  const { promise: late, resolve } = Promise.withResolvers<Whereabouts>();
  // If this process was suspended, the answer may have arrived already. It is read before the timeout counts.
  const timer = setTimeout(() => setImmediate(resolve, 'unreachable'), limitMs);
  const asked = sql.unsafe(ASK, [pid, freshMs]).then(
    (rows) => whereabouts(rows[0] as unknown as ProcessRow, rows.state.pid),
    // A server that refuses the question is reachable.
    (error: Error): Whereabouts => (error instanceof postgres.PostgresError ? 'unknown' : 'unreachable'),
  );
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
    void sql.end({ timeout: 0 });
  }
}

function whereabouts(row: ProcessRow, greetedBy: number): Whereabouts {
  if (row.own !== greetedBy) return 'unknown';
  if (!row.isThere) return 'lost';
  if (row.state === null || row.state === 'disabled') return 'unknown';
  const isAtWork = row.state === 'active' || row.state === 'fastpath function call';
  return (isAtWork && !row.isWithClient) || row.isFresh ? 'working' : 'lost';
}
