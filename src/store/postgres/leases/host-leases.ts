/**
 * Leases of whole hosts: taken by id, renewed, given back. Rows are
 * locked in the order of their keys, as commits lock them.
 *
 * What always holds: taking hosts never waits. A worker whose machine froze during a commit keeps its rows locked for a
 * while, and must not block other workers on other hosts.
 *
 * The partner for SQLite is store/sqlite/leases/claim.ts; the shared contract test is test/store/contract/leases.ts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostLease, Store } from '../../contract.ts';
import { numbers, plainTexts } from '../connection/arrays.ts';
import type { Database, Session } from '../connection/database.ts';
import { HAS_EXPIRED, SHARED } from './lease-conditions.ts';
import { hostColumns, toLease } from './lease-rows.ts';

type LeaseRequest = Parameters<Store['lease']>[0];

/**
 * A free host may be locked for a moment by a worker that has found links to
 * it. It is tried again this many times, with this pause.
 */
const MOST_TRIES = 4;
const BETWEEN_TRIES_MS = 50;

export class HostLeases {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Leases hosts by id, whether URLs wait there or not. If the owner already holds a host, its lease is renewed. */
  async lease(request: LeaseRequest): Promise<readonly HostLease[]> {
    const found = new Map<number, HostLease>();
    let wanted = request.hostIds;
    for (let tries = 1; wanted.length > 0; tries++) {
      for (const lease of await this.#take({ ...request, hostIds: wanted })) found.set(lease.hostId, lease);
      const rest = wanted.filter((id) => !found.has(id));
      if (rest.length === 0 || tries >= MOST_TRIES) break;
      wanted = await this.#free({ ...request, hostIds: rest });
      if (wanted.length > 0) await sleep(BETWEEN_TRIES_MS);
    }
    return [...new Set(request.hostIds)].flatMap((id) => found.get(id) ?? []);
  }

  async #take({ owner, hostIds, nowMs, leaseMs }: LeaseRequest): Promise<HostLease[]> {
    const { schema } = this.#db;
    const rows = await this.#db.all(
      `UPDATE ${schema}.hosts h SET lease_owner = $2, ready_at = $3::bigint,
         asked_at = CASE WHEN h.lease_owner <> $2 THEN greatest(h.asked_at, h.ready_at) ELSE h.asked_at END
       WHERE h.id = ANY(ARRAY(
         SELECT h.id FROM ${schema}.hosts h WHERE h.id = ANY($1::bigint[]) AND ${isFree(2, 4)}
         ORDER BY h.id FOR UPDATE SKIP LOCKED))
       RETURNING ${hostColumns(schema)}`,
      [numbers(hostIds), owner, Math.floor(nowMs + leaseMs), Math.floor(nowMs)],
    );
    return rows.map((row) => toLease(row, []));
  }

  /** The hosts that the owner could lease. */
  async #free({ owner, hostIds, nowMs }: LeaseRequest): Promise<number[]> {
    const rows = await this.#db.all(
      `SELECT h.id FROM ${this.#db.schema}.hosts h WHERE h.id = ANY($1::bigint[]) AND ${isFree(2, 3)}`,
      [numbers(hostIds), owner, Math.floor(nowMs)],
    );
    return rows.map(({ id }) => id as number);
  }

  /** Also renews a lease that has run out, as long as no other worker took it. */
  async renew(owner: string, untilMs: number): Promise<void> {
    const { schema } = this.#db;
    await this.#db.run(
      `UPDATE ${schema}.hosts h SET ready_at = $2::bigint WHERE h.id = ANY(ARRAY(
         SELECT h.id FROM ${schema}.hosts h WHERE h.lease_owner = $1 ORDER BY h.id FOR NO KEY UPDATE))`,
      [owner, Math.floor(untilMs)],
    );
  }

  /** Takes one host at a time, so it never waits for a second host while it has locked a first one. */
  async unblock(hosts: readonly string[], reasons: readonly string[], nowMs: number): Promise<void> {
    const { schema } = this.#db;
    for (const host of hosts) {
      await this.#db.run(
        `WITH freed AS (
           UPDATE ${schema}.hosts h SET blocked_until = 0, ready_at = CASE WHEN h.waiting > 0
             THEN greatest($2::bigint, h.asked_at + ceil(coalesce(h.delay_ms, 0))::bigint) END
           WHERE h.host = $1 AND h.lease_owner IS NULL AND h.trouble = ANY($3::text[]) RETURNING h.id)
         UPDATE ${schema}.urls u SET due_at = NULL FROM freed
         WHERE u.host_id = freed.id AND u.state = 0 AND u.due_at IS NOT NULL AND u.reason = ANY($3::text[])`,
        [host, Math.ceil(nowMs), plainTexts(reasons)],
      );
    }
  }

  /**
   * Returns how many hosts were the owner's. It must take effect once:
   * before a retry, the owner may have leased the hosts again.
   */
  release(owner: string, hostIds: readonly number[], nowMs: number, askedUntilMs: number): Promise<number> {
    const { schema } = this.#db;
    const give = async (session: Session): Promise<number> => {
      // A separate statement, so that the next one sees the URLs that other workers have found there meanwhile.
      const locked = session.run(
        `SELECT h.id FROM ${schema}.hosts h WHERE h.id = ANY($1::bigint[]) AND h.lease_owner = $2 ORDER BY h.id FOR UPDATE`,
        [numbers(hostIds), owner],
      );
      const [, count] = await Promise.all([locked, giveBack(session, schema, { hostIds, owner, nowMs, askedUntilMs })]);
      return count;
    };
    return this.#db.transaction(give, { isToldOnce: true });
  }
}

/** Hosts whose leases end. */
export interface GivenBack {
  readonly hostIds: readonly number[];
  readonly owner: string;
  readonly nowMs: number;
  /** Requests of unknown outcome may have been sent to the hosts until then. */
  readonly askedUntilMs?: number;
}

/** Each host is ready again when its next URL is. The caller must have locked the rows. */
export function giveBack(
  session: Session,
  schema: string,
  { hostIds, owner, nowMs, askedUntilMs = 0 }: GivenBack,
): Promise<number> {
  const waiting = `FROM ${schema}.urls u WHERE u.host_id = h.id AND u.state = 0`;
  return session.run(
    `UPDATE ${schema}.hosts h SET lease_owner = NULL, asked_at = greatest(h.asked_at, $4::bigint), ready_at = CASE
       WHEN EXISTS (SELECT 1 ${waiting} AND u.due_at IS NULL)
         THEN greatest($3::bigint, h.blocked_until, greatest(h.asked_at, $4::bigint) + ceil(coalesce(h.delay_ms, 0))::bigint)
       ELSE (SELECT greatest(u.due_at, $3::bigint, h.blocked_until) ${waiting} AND u.due_at IS NOT NULL
             ORDER BY u.due_at LIMIT 1) END
     WHERE h.id = ANY($1::bigint[]) AND h.lease_owner = $2`,
    [numbers(hostIds), owner, Math.ceil(nowMs), Math.ceil(askedUntilMs)],
  );
}

/**
 * SQL condition: the host is free, is the owner's, or has a lease that has run out. The arguments are the
 * positions of the owner and of the time among the values.
 */
function isFree(owner: number, nowMs: number): string {
  return `(h.lease_owner IS NULL OR h.lease_owner = $${owner} OR (h.lease_owner <> '${SHARED}' AND h.ready_at <= $${nowMs} AND ${HAS_EXPIRED}))`;
}
