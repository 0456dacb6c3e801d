/** What the server does for a connection that says nothing, asked over another one, which is closed again. */
import postgres from 'postgres';
import type { StoreAddress } from './address.ts';

/**
 * working: the server has the statement and is at it. lost: it waits for us, or knows nothing of the connection. unknown: it will not
 * tell, or a pooler is in between. unreachable: no other connection can be made, either.
 */
export const WHEREABOUTS = ['working', 'lost', 'unknown', 'unreachable'] as const;
export type Whereabouts = (typeof WHEREABOUTS)[number];

interface ProcessRow {
  readonly own: number;
  readonly state: string | null;
  readonly isWithClient: boolean;
  readonly isFresh: boolean;
  readonly isThere: boolean;
}

/** A process that writes to us and cannot is at work, too, by its state. */
const ASK = `SELECT pg_backend_pid() AS own, a.state, coalesce(a.wait_event_type = 'Client', false) AS "isWithClient",
  coalesce(a.state_change > clock_timestamp() - $2::float8 * interval '1 millisecond', false) AS "isFresh", a.pid IS NOT NULL AS "isThere"
  FROM (SELECT 1) one LEFT JOIN pg_stat_activity a ON a.pid = $1`;

/** `freshMs`: what has been so for less may be on its way to us. */
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
  // An answer may be here already, where this process stood still: it is read before the time counts.
  const timer = setTimeout(() => setImmediate(resolve, 'unreachable'), limitMs);
  const asked = sql.unsafe(ASK, [pid, freshMs]).then(
    (rows) => whereabouts(rows[0] as unknown as ProcessRow, rows.state.pid),
    // Who says no is there.
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
