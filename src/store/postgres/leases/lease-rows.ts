/** Rows of hosts as leases tell of them. */
import type { ClaimedUrl, HostLease, HostManners, HostShare } from '../contract.ts';
import type { Row } from './database.ts';
import { NOW } from './worker-leases.ts';

/** Whose lease it is that stands on a host which is shared: nobody's, and nobody can have this name. */
export const SHARED = '*';

/**
 * Whether the lease on a row `h`, if there is one, has run out by the server's own clock. The asker's idea of that clock is compared
 * besides, and is not enough: where a server takes over whose clock is behind, leases are renewed by the new one while some still go by
 * the old. A shared host is exempt, since its time is no lease's end: that of its shares is looked at.
 */
export const HAS_LAPSED = `(h.lease_owner IS NULL OR h.lease_owner = '${SHARED}' OR h.ready_at <= ${NOW})`;

/** The columns of a lease, of a row `h`. */
export const HOST =
  'h.id, h.host, h.asked_at, h.delay_ms, h.blocked_until, h.robots_status, h.robots_body, h.robots_at, h.waiting';

export function toLease(row: Row, urls: readonly ClaimedUrl[], share?: HostShare): HostLease {
  return {
    hostId: row.id,
    host: row.host,
    manners: toManners(row),
    robots:
      row.robots_status === null
        ? null
        : { status: row.robots_status, body: robotsBody(row), fetchedAtMs: row.robots_at ?? 0 },
    urls,
    ...(share && { share }),
  };
}

export function toManners(row: Row): HostManners {
  return { askedAtMs: row.asked_at, delayMs: row.delay_ms, blockedUntilMs: row.blocked_until };
}

/** As it was read: a text of PostgreSQL would not hold all of it. */
export function robotsBody(row: Row): string {
  return row.robots_body === null ? '' : (row.robots_body as Buffer).toString();
}
