/**
 * The SQL conditions that decide, by the server's clock, that a worker is dead and that the lease of a host has
 * expired.
 */

/** The server's time, in milliseconds. */
export const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/**
 * The condition on a row of `workers`: a worker is dead when one lease has passed since its last heartbeat. `prefix`:
 * the alias of the table, with a dot.
 */
export function isAliveAt(now: string, prefix = ''): string {
  return `${prefix}beat_at + ${prefix}lease_ms > ${now}`;
}

export const IS_ALIVE = isAliveAt(NOW);

/** The lease owner of a shared host. It stands for no worker, and no worker can have this name. */
export const SHARED = '*';

/**
 * The condition on a row `h` of `hosts`: its lease, if any, has expired. The caller also compares with its own estimate
 * of the server's clock, but that is not enough. After a failover to a server whose clock is behind, leases are renewed
 * by the new clock while some callers still use the old one. A shared host is exempt, because its time is not the end
 * of a lease; the times of its shares are checked.
 */
export const HAS_EXPIRED = `(h.lease_owner IS NULL OR h.lease_owner = '${SHARED}' OR h.ready_at <= ${NOW})`;
