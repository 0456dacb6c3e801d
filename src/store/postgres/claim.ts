/**
 * Claims: which hosts are worked on, by whom, and which of their URLs come next. Only the lease of a host is written; its
 * URLs are handed out in order by whoever holds it.
 */
import type { ClaimedUrl, HostLease, ListShares, Store } from '../contract.ts';
import { numbers } from './arrays.ts';
import type { Database, Row, Session } from './database.ts';
import type { Parts } from './parts.ts';

const HOST =
  'id, host, asked_at, delay_ms, blocked_until, robots_status, robots_body, robots_at, lease_owner, ready_at';
const CLAIMED = 'id, url, depth, hops, failures, relevance, inherited, steps_off AS "stepsOff", stand_in AS "standIn"';

type Calls = Pick<Store, 'claim' | 'claimMore' | 'lease' | 'renew' | 'release' | 'nextReadyAtMs'>;

export class Claims implements Calls {
  readonly #db: Database;
  readonly #parts: Parts;

  constructor(db: Database, parts: Parts) {
    this.#db = db;
    this.#parts = parts;
  }

  async claim({
    owner,
    hosts,
    urlsPerHost,
    nowMs,
    leaseMs,
  }: Parameters<Store['claim']>[0]): Promise<readonly HostLease[]> {
    const { schema } = this.#db;
    return this.#db.transaction(async (session) => {
      const leases: HostLease[] = [];
      for (let part = 0; part < this.#parts.count && leases.length < hosts; part++) {
        const rows = await session.all(
          `SELECT ${HOST} FROM ${schema}.hosts WHERE part = $1 AND ready_at <= $2 AND lease_owner IS DISTINCT FROM $3
           ORDER BY ready_at LIMIT $4 FOR UPDATE SKIP LOCKED`,
          [part, nowMs, owner, hosts - leases.length],
        );
        if (rows.length === 0) continue;
        const ids = numbers(rows.map(({ id }) => id));
        await session.run(
          `UPDATE ${schema}.hosts SET lease_owner = $2, ready_at = $3 WHERE part = $1 AND id = ANY($4::bigint[])`,
          [part, owner, nowMs + leaseMs, ids],
        );
        for (const row of rows)
          leases.push(toLease(row, await this.#next(session, row.id, urlsPerHost, new Set(), nowMs)));
      }
      return leases;
    });
  }

  async lease(_request: Parameters<Store['lease']>[0]): Promise<readonly HostLease[]> {
    throw new Error('not yet');
  }

  claimMore(
    hostId: number,
    limit: number,
    besides: ReadonlySet<number>,
    nowMs: number,
    _lists?: ListShares,
  ): Promise<readonly ClaimedUrl[]> {
    return this.#next(this.#db, hostId, limit, besides, nowMs);
  }

  async #next(
    session: Session,
    hostId: number,
    limit: number,
    besides: ReadonlySet<number>,
    nowMs: number,
  ): Promise<readonly ClaimedUrl[]> {
    const part = this.#parts.ofHost(hostId);
    await session.run(
      `UPDATE ${this.#db.schema}.urls SET due_at = NULL
       WHERE part = $1 AND host_id = $2 AND state = 0 AND due_at IS NOT NULL AND due_at <= $3`,
      [part, hostId, nowMs],
    );
    const rows = await session.all(
      `SELECT ${CLAIMED} FROM ${this.#db.schema}.urls
       WHERE part = $1 AND host_id = $2 AND state = 0 AND due_at IS NULL AND id <> ALL($3::bigint[]) ORDER BY rank, id LIMIT $4`,
      [part, hostId, numbers(besides), limit],
    );
    return rows as unknown as ClaimedUrl[];
  }

  async renew(owner: string, untilMs: number): Promise<void> {
    await this.#db.run(`UPDATE ${this.#db.schema}.hosts SET ready_at = $2 WHERE lease_owner = $1`, [owner, untilMs]);
  }

  async release(owner: string, hostIds: readonly number[], nowMs: number): Promise<void> {
    const { schema } = this.#db;
    await Promise.all(
      this.#parts
        .group(hostIds, (id) => this.#parts.ofHost(id))
        .map(([part, some]) =>
          this.#db.run(
            `UPDATE ${schema}.hosts h SET lease_owner = NULL, ready_at = CASE
             WHEN EXISTS (SELECT 1 FROM ${schema}.urls u WHERE u.part = $1 AND u.host_id = h.id AND u.state = 0 AND u.due_at IS NULL)
               THEN greatest($4::bigint, h.blocked_until, h.asked_at + ceil(coalesce(h.delay_ms, 0))::bigint)
             ELSE (SELECT greatest(min(u.due_at), $4::bigint, h.blocked_until) FROM ${schema}.urls u
                   WHERE u.part = $1 AND u.host_id = h.id AND u.state = 0 AND u.due_at IS NOT NULL HAVING min(u.due_at) IS NOT NULL) END
           WHERE h.part = $1 AND h.id = ANY($2::bigint[]) AND h.lease_owner = $3`,
            [part, numbers(some), owner, nowMs],
          ),
        ),
    );
  }

  async nextReadyAtMs(): Promise<number | null> {
    const [row] = await this.#db.all(
      `SELECT min(ready_at) AS at FROM ${this.#db.schema}.hosts WHERE ready_at IS NOT NULL`,
    );
    return row!.at;
  }
}

function toLease(row: Row, urls: readonly ClaimedUrl[]): HostLease {
  return {
    hostId: row.id,
    host: row.host,
    manners: { askedAtMs: row.asked_at, delayMs: row.delay_ms, blockedUntilMs: row.blocked_until },
    robots:
      row.robots_status === null
        ? null
        : { status: row.robots_status, body: row.robots_body ?? '', fetchedAtMs: row.robots_at ?? 0 },
    urls,
  };
}
