/**
 * A large host shared by several workers (M5). Its holder offers it. From then on no worker holds the
 * host itself; it has several shares, each with its own lease. A share has the URLs whose id modulo the
 * number of shares is its index, and some of the allowed parallel requests. So no URL belongs to
 * two workers, and all shares together have the allowed number of requests.
 *
 * What always holds: a host is whole or shared, never both. It is offered by a holder that has none of its URLs in
 * work, and it is whole again when no share is held: when the last share is given back, or when all leases have run
 * out. A transaction that takes a share, or changes which shares exist, locks the host's row. A holder locks its share
 * first, then the host (as commits do); a transaction that begins with the host skips locked shares. `hosts.ready_at`
 * of a shared host is not later than the time when a share can be taken.
 */
import type { HostSharing } from '../../cluster.ts';
import type { HostLease, HostShare } from '../../contract.ts';
import { numbers, texts } from '../connection/arrays.ts';
import type { Database, Row, Session } from '../connection/database.ts';
import { giveBack } from './host-leases.ts';
import { NOW, SHARED } from './lease-conditions.ts';
import { hostColumns, toLease } from './lease-rows.ts';
import { isAnyDue } from './next-urls.ts';

/** Waiting URLs for each share. With fewer, sharing costs more than it brings. */
const LEAST_WAITING = 500;
/** How long a share that was given back is left alone, because it had no work just now. */
const REST_MS = 1_000;
/** The same if few URLs wait: the other workers may finish first, and then the host is whole again. */
const LONG_REST_MS = 30_000;

interface ShareRow {
  readonly host_id: number;
  readonly share: number;
  readonly shares: number;
  readonly ready_at: number;
  readonly lease_owner: string | null;
  /** The share is leased, by the server's clock. */
  readonly is_held?: boolean;
}

/** Who may ask a host, and until when. For a shared host: when its next share is ready. */
interface HostTurn {
  readonly owner: string;
  readonly readyAtMs: number;
  /** An earlier time than the stored one changes nothing. */
  readonly askedAtMs?: number;
}

export interface TakenShare {
  readonly row: Row;
  /** Absent if the host is whole again. */
  readonly share?: HostShare;
}

export class HostShares implements HostSharing {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async crowdedHosts(owner: string, shares: number): Promise<readonly number[]> {
    const rows = await this.#db.all(
      `SELECT id FROM ${this.#db.schema}.hosts WHERE lease_owner = $1 AND waiting >= $2 AND coalesce(delay_ms, 0) = 0
       ORDER BY waiting DESC, id`,
      [owner, shares * LEAST_WAITING],
    );
    return rows.map((row) => row.id);
  }

  offerShares(
    hostId: number,
    owner: string,
    shares: number,
    nowMs: number,
    leaseMs: number,
  ): Promise<HostLease | null> {
    const { schema } = this.#db;
    const [now, until] = [Math.floor(nowMs), Math.floor(nowMs + leaseMs)];
    return this.#db.transaction(async (session) => {
      const [row] = await session.all(
        `SELECT ${hostColumns(schema)}, h.lease_owner, h.ready_at FROM ${schema}.hosts h WHERE h.id = $1 FOR UPDATE`,
        [hostId],
      );
      // The answer to an offer may get lost; then the offer is repeated.
      if (row?.lease_owner === SHARED) return this.#ownShare(session, row, owner);
      const isFit = row?.lease_owner === owner && row.waiting >= shares * LEAST_WAITING && !row.delay_ms;
      if (shares < 2 || !isFit) return null;
      const all = Array.from({ length: shares }, (_, share) => share);
      // The offer may have been sent long ago, and the host's lease may have been renewed since.
      const ownUntil = Math.max(until, row.ready_at);
      await session.run(
        `INSERT INTO ${schema}.host_shares (host_id, share, shares, ready_at, lease_owner)
         SELECT $1::bigint, s.share, $2::smallint, s.ready_at, s.lease_owner
         FROM unnest($3::smallint[], $4::bigint[], $5::text[]) AS s(share, ready_at, lease_owner)`,
        [
          hostId,
          shares,
          numbers(all),
          numbers(all.map((share) => (share === 0 ? ownUntil : now))),
          texts(all.map((share) => (share === 0 ? owner : null))),
        ],
      );
      await this.#setHost(session, hostId, { owner: SHARED, readyAtMs: now });
      return toLease(row, [], { index: 0, of: shares });
    });
  }

  async #ownShare(session: Session, row: Row, owner: string): Promise<HostLease | null> {
    const [own] = await session.all<ShareRow>(
      `SELECT share, shares FROM ${this.#db.schema}.host_shares WHERE host_id = $1 AND lease_owner = $2`,
      [row.id, owner],
    );
    return own ? toLease(row, [], { index: own.share, of: own.shares }) : null;
  }

  /** Takes up to `limit` shares of different hosts of which the owner has no share yet. */
  take(owner: string, nowMs: number, untilMs: number, limit: number): Promise<readonly TakenShare[]> {
    const { schema } = this.#db;
    return this.#db.transaction(async (session) => {
      const hosts = await session.all(
        `SELECT ${hostColumns(schema)}, ${isAnyDue(schema, '$1')} AS is_due FROM ${schema}.hosts h
         WHERE h.ready_at <= $1 AND h.lease_owner = '${SHARED}' AND NOT EXISTS (
           SELECT 1 FROM ${schema}.host_shares s WHERE s.host_id = h.id AND s.lease_owner = $2)
         ORDER BY h.ready_at LIMIT $3 FOR UPDATE SKIP LOCKED`,
        [nowMs, owner, limit],
      );
      const rows = await session.all<ShareRow>(
        `SELECT host_id, share, shares, ready_at, lease_owner, lease_owner IS NOT NULL AND ready_at > ${NOW} AS is_held
         FROM ${schema}.host_shares
         WHERE host_id = ANY($1::bigint[]) ORDER BY host_id, share FOR UPDATE SKIP LOCKED`,
        [numbers(hosts.map((row) => row.id))],
      );
      const taken: TakenShare[] = [];
      for (const row of hosts) {
        const shares = rows.filter(({ host_id }) => host_id === row.id);
        const share = await this.#takeOne(session, row, shares, { owner, nowMs, untilMs });
        if (share !== null) taken.push({ row, ...(share.of > 1 && { share }) });
      }
      return taken;
    });
  }

  /**
   * `shares` are the shares that are not locked. Returns 0 of 1 if the host is whole again and belongs to the owner.
   */
  async #takeOne(
    session: Session,
    row: Row,
    shares: readonly ShareRow[],
    { owner, nowMs, untilMs }: { readonly owner: string; readonly nowMs: number; readonly untilMs: number },
  ): Promise<HostShare | null> {
    const hostId: number = row.id;
    const free = shares
      .filter(({ ready_at, is_held }) => ready_at <= nowMs && !is_held)
      .sort((a, b) => a.ready_at - b.ready_at);
    const areAllSeen = shares.length > 0 && shares.length === shares[0]!.shares;
    if (areAllSeen && free.length === shares.length) {
      row.asked_at = Math.max(row.asked_at, ...lapsed(free));
      await this.#deleteShares(session, [hostId]);
      await this.#setHost(session, hostId, { owner, readyAtMs: untilMs, askedAtMs: row.asked_at });
      return { index: 0, of: 1 };
    }
    // The host now has a delay, so it is for one worker alone, as soon as the others have given it back.
    const [best] = row.delay_ms > 0 ? [] : free;
    const others = shares.filter((share) => share !== best).map(({ ready_at }) => ready_at);
    const soonMs = nowMs + REST_MS;
    const nextAtMs = Math.min(
      ...(areAllSeen ? [] : [soonMs]),
      ...others.map((atMs) => (best ? atMs : Math.max(atMs, soonMs))),
    );
    if (!best) {
      await this.#setHost(session, hostId, { owner: SHARED, readyAtMs: nextAtMs });
      return null;
    }
    row.asked_at = Math.max(row.asked_at, ...lapsed([best]));
    await session.run(
      `UPDATE ${this.#db.schema}.host_shares SET lease_owner = $3, ready_at = $4 WHERE host_id = $1 AND share = $2`,
      [hostId, best.share, owner, untilMs],
    );
    await this.#setHost(session, hostId, { owner: SHARED, readyAtMs: nextAtMs, askedAtMs: row.asked_at });
    return { index: best.share, of: best.shares };
  }

  async renew(owner: string, untilMs: number): Promise<void> {
    await this.#db.run(`UPDATE ${this.#db.schema}.host_shares SET ready_at = $2 WHERE lease_owner = $1`, [
      owner,
      Math.floor(untilMs),
    ]);
  }

  /** Gives back the owner's shares of these hosts. Other hosts are ignored. */
  release(owner: string, hostIds: readonly number[], nowMs: number): Promise<void> {
    const give = (session: Session) => this.#release(session, hostIds, owner, Math.ceil(nowMs));
    return this.#db.transaction(give, { isToldOnce: true });
  }

  async #release(session: Session, hostIds: readonly number[], owner: string, nowMs: number): Promise<void> {
    const { schema } = this.#db;
    const own = await session.all<ShareRow>(
      `SELECT host_id, shares FROM ${schema}.host_shares WHERE host_id = ANY($1::bigint[]) AND lease_owner = $2
       ORDER BY host_id FOR UPDATE`,
      [numbers(hostIds), owner],
    );
    if (own.length === 0) return;
    const ids = numbers(own.map(({ host_id }) => host_id));
    const hosts = await session.all(
      `SELECT id, waiting FROM ${schema}.hosts WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE`,
      [ids],
    );
    const held = await session.all<ShareRow>(
      `SELECT DISTINCT host_id FROM ${schema}.host_shares
       WHERE host_id = ANY($1::bigint[]) AND lease_owner <> $2`,
      [ids, owner],
    );
    const stillHeld = new Set(held.map(({ host_id }) => host_id));
    const whole = own.map(({ host_id }) => host_id).filter((id) => !stillHeld.has(id));
    await this.#deleteShares(session, whole);
    await giveBack(session, schema, { hostIds: whole, owner: SHARED, nowMs });
    for (const { host_id: id, shares } of own) {
      if (!stillHeld.has(id)) continue;
      const { waiting } = hosts.find((host) => host.id === id) as { waiting: number };
      const readyAtMs = nowMs + (waiting < shares * LEAST_WAITING ? LONG_REST_MS : REST_MS);
      await session.run(
        `UPDATE ${schema}.host_shares SET lease_owner = NULL, ready_at = $3 WHERE host_id = $1 AND lease_owner = $2`,
        [id, owner, readyAtMs],
      );
      await session.run(`UPDATE ${schema}.hosts SET ready_at = least(ready_at, $2::bigint) WHERE id = $1`, [
        id,
        readyAtMs,
      ]);
    }
  }

  async #deleteShares(session: Session, hostIds: readonly number[]): Promise<void> {
    const sql = `DELETE FROM ${this.#db.schema}.host_shares WHERE host_id = ANY($1::bigint[])`;
    await session.run(sql, [numbers(hostIds)]);
  }

  async #setHost(session: Session, hostId: number, { owner, readyAtMs, askedAtMs = 0 }: HostTurn): Promise<void> {
    await session.run(
      `UPDATE ${this.#db.schema}.hosts SET lease_owner = $2, ready_at = $3, asked_at = greatest(asked_at, $4::bigint)
       WHERE id = $1`,
      [hostId, owner, readyAtMs, askedAtMs],
    );
  }
}

/** The end times of leases that were not given back: the host may have received requests until then. */
function lapsed(shares: readonly ShareRow[]): number[] {
  return shares.filter(({ lease_owner }) => lease_owner !== null).map(({ ready_at }) => ready_at);
}
