/**
 * Leases of whole hosts: taken by name, kept alive, given back. Rows are locked in the order of their keys, as commits lock them.
 */
import type { HostLease, Store } from '../contract.ts';
import { numbers } from './arrays.ts';
import type { Database, Session } from './database.ts';
import { HAS_LAPSED, HOST, SHARED, toLease } from './lease-rows.ts';
import type { Parts } from './parts.ts';

type LeaseRequest = Parameters<Store['lease']>[0];

export class HostLeases {
  readonly #db: Database;
  readonly #parts: Parts;

  constructor(db: Database, parts: Parts) {
    this.#db = db;
    this.#parts = parts;
  }

  /** Hosts by their ids, whether something waits there or not; one that the owner holds already is its own for longer. */
  async lease({ owner, hostIds, nowMs, leaseMs }: LeaseRequest): Promise<readonly HostLease[]> {
    const { schema } = this.#db;
    const [now, until] = [Math.floor(nowMs), Math.floor(nowMs + leaseMs)];
    const found = new Map<number, HostLease>();
    await Promise.all(
      this.#byPart(hostIds).map(async ([part, some]) => {
        const rows = await this.#db.all(
          `UPDATE ${schema}.hosts h SET lease_owner = $3, ready_at = $4::bigint,
             asked_at = CASE WHEN h.lease_owner <> $3 THEN greatest(h.asked_at, h.ready_at) ELSE h.asked_at END
           WHERE h.part = $1 AND h.id = ANY(ARRAY(
             SELECT h.id FROM ${schema}.hosts h WHERE h.part = $1 AND h.id = ANY($2::bigint[])
               AND (h.lease_owner IS NULL OR h.lease_owner = $3 OR (h.lease_owner <> '${SHARED}' AND h.ready_at <= $5 AND ${HAS_LAPSED}))
             ORDER BY h.id FOR UPDATE))
           RETURNING ${HOST}`,
          [part, numbers(some), owner, until, now],
        );
        for (const row of rows) found.set(row.id, toLease(row, []));
      }),
    );
    return [...new Set(hostIds)].flatMap((id) => found.get(id) ?? []);
  }

  /** Also one that has run out, as long as nobody took it. */
  async renew(owner: string, untilMs: number): Promise<void> {
    const { schema } = this.#db;
    await Promise.all(
      Array.from({ length: this.#parts.count }, (_, part) =>
        this.#db.run(
          `UPDATE ${schema}.hosts h SET ready_at = $3::bigint WHERE h.part = $1 AND h.id = ANY(ARRAY(
             SELECT h.id FROM ${schema}.hosts h WHERE h.part = $1 AND h.lease_owner = $2 ORDER BY h.id FOR NO KEY UPDATE))`,
          [part, owner, Math.floor(untilMs)],
        ),
      ),
    );
  }

  /** Returns how many of them were the owner's. */
  release(owner: string, hostIds: readonly number[], nowMs: number): Promise<number> {
    const { schema } = this.#db;
    return this.#db.transaction(async (session) => {
      const released = this.#byPart(hostIds).flatMap(([part, some]) => {
        // A statement of its own: what others have found there in the meantime is seen by the next one.
        const locked = session.run(
          `SELECT h.id FROM ${this.#parts.leaf(schema, 'hosts', part)} h WHERE h.part = $1 AND h.id = ANY($2::bigint[]) AND h.lease_owner = $3
           ORDER BY h.id FOR UPDATE`,
          [part, numbers(some), owner],
        );
        return [locked.then(() => 0), giveBack(session, schema, this.#parts, part, some, owner, nowMs)];
      });
      return (await Promise.all(released)).reduce((sum, count) => sum + count, 0);
    });
  }

  #byPart(hostIds: readonly number[]): [part: number, hostIds: number[]][] {
    return this.#parts.group(
      [...new Set(hostIds)].sort((a, b) => a - b),
      (id) => this.#parts.ofHost(id),
    );
  }
}

/** Each is ready again when its next URL is. Their rows have to be locked. */
export function giveBack(
  session: Session,
  schema: string,
  parts: Parts,
  part: number,
  hostIds: readonly number[],
  owner: string,
  nowMs: number,
): Promise<number> {
  const waiting = `FROM ${parts.leaf(schema, 'urls', part)} u WHERE u.part = $1 AND u.host_id = h.id AND u.state = 0`;
  return session.run(
    `UPDATE ${parts.leaf(schema, 'hosts', part)} h SET lease_owner = NULL, ready_at = CASE
       WHEN EXISTS (SELECT 1 ${waiting} AND u.due_at IS NULL)
         THEN greatest($4::bigint, h.blocked_until, h.asked_at + ceil(coalesce(h.delay_ms, 0))::bigint)
       ELSE (SELECT greatest(u.due_at, $4::bigint, h.blocked_until) ${waiting} AND u.due_at IS NOT NULL
             ORDER BY u.due_at LIMIT 1) END
     WHERE h.part = $1 AND h.id = ANY($2::bigint[]) AND h.lease_owner = $3`,
    [part, numbers(hostIds), owner, Math.ceil(nowMs)],
  );
}
