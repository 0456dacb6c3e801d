/**
 * Leases of whole hosts: taken by name, kept alive, given back. Rows are locked in the order of their keys, as commits lock them.
 *
 * Always: who takes hosts waits for nobody. One whose machine froze in the middle of a commit keeps its rows locked for a while, and must
 * not hold up what others do elsewhere.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostLease, Store } from '../contract.ts';
import { numbers } from './arrays.ts';
import type { Database, Session } from './database.ts';
import { HAS_LAPSED, HOST, SHARED, toLease } from './lease-rows.ts';
import type { Parts } from './parts.ts';

type LeaseRequest = Parameters<Store['lease']>[0];

/** A host that is free and locked, by one who has found links to it, is tried again: so often, and so long apart. */
const MOST_TRIES = 4;
const BETWEEN_TRIES_MS = 50;

export class HostLeases {
  readonly #db: Database;
  readonly #parts: Parts;

  constructor(db: Database, parts: Parts) {
    this.#db = db;
    this.#parts = parts;
  }

  /** Hosts by their ids, whether something waits there or not; one that the owner holds already is its own for longer. */
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
    const [now, until] = [Math.floor(nowMs), Math.floor(nowMs + leaseMs)];
    const taken = this.#byPart(hostIds).map(([part, some]) =>
      this.#db.all(
        `UPDATE ${schema}.hosts h SET lease_owner = $3, ready_at = $4::bigint,
           asked_at = CASE WHEN h.lease_owner <> $3 THEN greatest(h.asked_at, h.ready_at) ELSE h.asked_at END
         WHERE h.part = $1 AND h.id = ANY(ARRAY(
           SELECT h.id FROM ${schema}.hosts h WHERE h.part = $1 AND h.id = ANY($2::bigint[]) AND ${isFree(3, 5)}
           ORDER BY h.id FOR UPDATE SKIP LOCKED))
         RETURNING ${HOST}`,
        [part, numbers(some), owner, until, now],
      ),
    );
    return (await Promise.all(taken)).flat().map((row) => toLease(row, []));
  }

  /** Those that the owner could have. */
  async #free({ owner, hostIds, nowMs }: LeaseRequest): Promise<number[]> {
    const free = this.#byPart(hostIds).map(([part, some]) =>
      this.#db.all(
        `SELECT h.id FROM ${this.#db.schema}.hosts h WHERE h.part = $1 AND h.id = ANY($2::bigint[]) AND ${isFree(3, 4)}`,
        [part, numbers(some), owner, Math.floor(nowMs)],
      ),
    );
    return (await Promise.all(free)).flat().map(({ id }) => id as number);
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

  /** Returns how many of them were the owner's. Once: when it is tried again, they may be the owner's anew. */
  release(owner: string, hostIds: readonly number[], nowMs: number, askedUntilMs: number): Promise<number> {
    const { schema } = this.#db;
    const give = async (session: Session): Promise<number> => {
      const released = this.#byPart(hostIds).flatMap(([part, some]) => {
        // A statement of its own: what others have found there in the meantime is seen by the next one.
        const locked = session.run(
          `SELECT h.id FROM ${this.#parts.leaf(schema, 'hosts', part)} h WHERE h.part = $1 AND h.id = ANY($2::bigint[]) AND h.lease_owner = $3
           ORDER BY h.id FOR UPDATE`,
          [part, numbers(some), owner],
        );
        return [locked.then(() => 0), giveBack(session, schema, this.#parts, part, some, owner, nowMs, askedUntilMs)];
      });
      return (await Promise.all(released)).reduce((sum, count) => sum + count, 0);
    };
    return this.#db.transaction(give, { isToldOnce: true });
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
  askedUntilMs = 0,
): Promise<number> {
  const waiting = `FROM ${parts.leaf(schema, 'urls', part)} u WHERE u.part = $1 AND u.host_id = h.id AND u.state = 0`;
  return session.run(
    `UPDATE ${parts.leaf(schema, 'hosts', part)} h SET lease_owner = NULL, asked_at = greatest(h.asked_at, $5::bigint), ready_at = CASE
       WHEN EXISTS (SELECT 1 ${waiting} AND u.due_at IS NULL)
         THEN greatest($4::bigint, h.blocked_until, greatest(h.asked_at, $5::bigint) + ceil(coalesce(h.delay_ms, 0))::bigint)
       ELSE (SELECT greatest(u.due_at, $4::bigint, h.blocked_until) ${waiting} AND u.due_at IS NOT NULL
             ORDER BY u.due_at LIMIT 1) END
     WHERE h.part = $1 AND h.id = ANY($2::bigint[]) AND h.lease_owner = $3`,
    [part, numbers(hostIds), owner, Math.ceil(nowMs), Math.ceil(askedUntilMs)],
  );
}

/** Whether a host is nobody's, the owner's own, or of one whose lease has run out; given the places of the owner and of the time. */
function isFree(owner: number, nowMs: number): string {
  return `(h.lease_owner IS NULL OR h.lease_owner = $${owner} OR (h.lease_owner <> '${SHARED}' AND h.ready_at <= $${nowMs} AND ${HAS_LAPSED}))`;
}
