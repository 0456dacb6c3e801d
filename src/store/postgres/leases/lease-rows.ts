/** Converts rows of hosts into leases. */
import type { ClaimedUrl, HostLease, HostManners, HostShare } from '../../contract.ts';
import { type RobotsRow, toNotFound, toRobots } from '../../records/record-rows.ts';
import type { Row } from '../connection/database.ts';

/** The columns of a lease, from a row `h`. */
export function hostColumns(schema: string): string {
  return `h.id, h.host, h.asked_at, h.delay_ms, h.blocked_until, h.robots_status, h.robots_body, h.robots_at, h.robots_since,
    h.not_found, h.waiting, (SELECT counts FROM ${schema}.templates t WHERE t.host_id = h.id) AS template,
    (SELECT evidence FROM ${schema}.noise_evidence e WHERE e.host_id = h.id) AS noise`;
}

export function toLease(row: Row, urls: readonly ClaimedUrl[], share?: HostShare): HostLease {
  return {
    hostId: row.id,
    host: row.host,
    manners: toManners(row),
    robots: toRobots({ ...row, robots_body: robotsBody(row) } as RobotsRow),
    urls,
    ...(row.template && { template: row.template }),
    ...(row.noise && { noise: row.noise }),
    ...(row.not_found !== null && { notFound: toNotFound(row.not_found)! }),
    ...(share && { share }),
  };
}

export function toManners(row: Row): HostManners {
  return { askedAtMs: row.asked_at, delayMs: row.delay_ms, blockedUntilMs: row.blocked_until };
}

/** The body as it was received: it is stored as bytes, because a text in PostgreSQL cannot hold every character. */
export function robotsBody(row: Row): string {
  return row.robots_body === null ? '' : (row.robots_body as Buffer).toString();
}
