/**
 * Claims: which worker works on which hosts, and which URLs of a host come next. Only the lease of a
 * host is written. Its holder hands the URLs out in order.
 *
 * What always holds: one statement takes a host and skips hosts that another worker is taking (SKIP LOCKED). So no
 * worker waits, and no host is given twice. If the answer to a claim is lost, the worker does not know its new leases;
 * the heartbeat reports them.
 *
 * The partner for SQLite is store/sqlite/leases/claim.ts; the shared contract tests are
 * test/store/contract/leases.ts and test/store/contract/waiting.ts.
 */
import type { ClaimedUrl, ClaimRequest, HostLease, HostShare, ListShares, MoreUrls, Store } from '../../contract.ts';
import type { Database, Row } from '../connection/database.ts';
import { HostLeases } from './host-leases.ts';
import { HostShares } from './host-shares.ts';
import { HAS_EXPIRED, SHARED } from './lease-conditions.ts';
import { hostColumns, toLease } from './lease-rows.ts';
import { isAnyDue, NextUrls, type Queue } from './next-urls.ts';

const ONE_LIST: ListShares = [1];

type Calls = Pick<Store, 'claim' | 'claimMore' | 'lease' | 'renew' | 'release' | 'unblock' | 'nextReadyAtMs'>;

/**
 * The number of ready hosts that are read: at least this many, and this many for each wanted host. Hosts in
 * the worker's own slots are scattered among the others.
 */
const [LEAST_LOOKED_AT, LOOKED_AT_A_HOST] = [256, 16];

/** A claim's request, with times in whole milliseconds. */
interface Wanted extends ClaimRequest {
  readonly untilMs: number;
  /** A host in the slots of another worker may be taken if it has been ready since this time. */
  readonly overdueMs: number;
}

/** The ready hosts for the worker, among the hosts that were read. */
interface ReadyHosts {
  readonly own: number;
  readonly overdue: number;
  readonly isAnyShared: boolean;
  /** The latest ready time of the hosts that were read. */
  readonly lastMs: number;
}

export class Claims implements Calls {
  readonly shares: HostShares;
  readonly #db: Database;
  readonly #urls: NextUrls;
  readonly #leases: HostLeases;

  constructor(db: Database) {
    this.#db = db;
    this.#urls = new NextUrls(db);
    this.#leases = new HostLeases(db);
    this.shares = new HostShares(db);
  }

  async claim(request: ClaimRequest): Promise<readonly HostLease[]> {
    const nowMs = Math.floor(request.nowMs);
    const wanted: Wanted = {
      ...request,
      nowMs,
      untilMs: nowMs + Math.floor(request.leaseMs),
      overdueMs: nowMs - Math.ceil(request.graceMs ?? 0),
    };
    const leases: HostLease[] = [];
    const room = (): number => wanted.hosts - leases.length;
    const take = async (readyMs: number, slots: Uint8Array | null): Promise<void> => {
      if (room() > 0) leases.push(...(await this.#claimHosts(wanted, readyMs, slots, room())));
    };
    const slots = wanted.slots ?? null;
    // Claims are made after every commit and mostly find nothing. This query is cheaper than the statements below.
    const { own, overdue, isAnyShared, lastMs } = await this.#readyHosts(wanted);
    if (own > 0) await take(lastMs, slots);
    if (overdue > 0) await take(wanted.overdueMs, null);
    if (isAnyShared) leases.push(...(await this.#claimShares(wanted, room())));
    // Other workers were quicker. Hosts that the query did not reach may still be free.
    if (leases.length < Math.min(own + overdue, wanted.hosts)) {
      await take(nowMs, slots);
      await take(wanted.overdueMs, null);
    }
    return leases;
  }

  /** Counts the hosts that have been ready longest for the worker. */
  async #readyHosts({ owner, hosts, nowMs, slots, overdueMs }: Wanted): Promise<ReadyHosts> {
    const { schema } = this.#db;
    const [row] = await this.#db.all(
      `SELECT count(*) FILTER (WHERE is_own AND NOT is_shared) AS own, coalesce(bool_or(is_shared), false) AS is_any_shared,
         count(*) FILTER (WHERE NOT is_own AND NOT is_shared AND ready_at <= $4) AS overdue, max(ready_at) AS last FROM (
         SELECT h.ready_at, h.lease_owner IS NOT DISTINCT FROM '${SHARED}' AS is_shared, ${isOwn(3)} AS is_own
         FROM ${schema}.hosts h
         WHERE h.ready_at <= $1 AND ${HAS_EXPIRED} AND h.lease_owner IS DISTINCT FROM $2
           AND (h.lease_owner IS DISTINCT FROM '${SHARED}' OR NOT EXISTS (
             SELECT 1 FROM ${schema}.host_shares s WHERE s.host_id = h.id AND s.lease_owner = $2))
         ORDER BY h.ready_at LIMIT $5
       ) ready`,
      [nowMs, owner, slots ?? null, overdueMs, slots ? Math.max(LEAST_LOOKED_AT, hosts * LOOKED_AT_A_HOST) : hosts],
    );
    const { own, overdue, is_any_shared: isAnyShared, last } = row!;
    return { own, overdue, isAnyShared, lastMs: last ?? nowMs };
  }

  /** Takes hosts that have been ready since `readyMs`, in the given slots, or in any slot if `slots` is null. */
  async #claimHosts(wanted: Wanted, readyMs: number, slots: Uint8Array | null, limit: number): Promise<HostLease[]> {
    const { owner, nowMs, untilMs } = wanted;
    const { schema } = this.#db;
    // The previous holder may have sent requests to the host until the end of its lease.
    const rows = await this.#db.all(
      `UPDATE ${schema}.hosts h SET lease_owner = $2, ready_at = $3::bigint,
         asked_at = CASE WHEN h.lease_owner IS NULL THEN h.asked_at ELSE greatest(h.asked_at, h.ready_at) END
       WHERE h.id = ANY(ARRAY(
         SELECT h.id FROM ${schema}.hosts h
         WHERE h.ready_at <= $1 AND ${HAS_EXPIRED} AND h.lease_owner IS DISTINCT FROM $2
           AND h.lease_owner IS DISTINCT FROM '${SHARED}' AND ${isOwn(4)}
         ORDER BY h.ready_at LIMIT $5 FOR UPDATE SKIP LOCKED))
       RETURNING ${hostColumns(schema)}, ${isAnyDue(schema, '$6')} AS is_due`,
      [readyMs, owner, untilMs, slots, limit, nowMs],
    );
    return this.#withUrls(rows, wanted);
  }

  async #claimShares(wanted: Wanted, limit: number): Promise<HostLease[]> {
    if (limit <= 0) return [];
    const taken = await this.shares.take(wanted.owner, wanted.nowMs, wanted.untilMs, limit);
    const rows = taken.map(({ row }) => row);
    return this.#withUrls(rows, wanted, new Map(taken.map(({ row, share }) => [row.id as number, share])));
  }

  async #withUrls(
    rows: readonly Row[],
    { urlsPerHost, nowMs, lists = ONE_LIST }: Wanted,
    shareOf: ReadonlyMap<number, HostShare | undefined> = new Map(),
  ): Promise<HostLease[]> {
    if (rows.length === 0) return [];
    const due = rows.filter((row) => row.is_due).map((row) => row.id as number);
    if (due.length > 0) await this.#urls.becomeDue(due, nowMs);
    const queues = rows.map((row): Queue => {
      const share = shareOf.get(row.id);
      return { hostId: row.id, waiting: row.waiting, ...(share && { share }) };
    });
    const urls = await this.#urls.of(queues, urlsPerHost, lists);
    return rows.map((row) => toLease(row, urls.get(row.id)!, shareOf.get(row.id)));
  }

  async claimMore(hostId: number, request: MoreUrls): Promise<readonly ClaimedUrl[]> {
    const { limit, besides, nowMs, lists = ONE_LIST, share } = request;
    const nowWholeMs = Math.floor(nowMs);
    const read = async (waiting: number): Promise<readonly ClaimedUrl[]> => {
      const queue = { hostId, waiting, ...(share && { share }) };
      return (await this.#urls.of([queue], limit, lists, besides)).get(hostId)!;
    };
    const looking = this.#urls.look(hostId, nowWholeMs);
    // Without lists the length of the queue does not matter, so both
    // queries are sent at once. Mostly no URL has become due.
    const early = lists.length > 1 ? null : read(0);
    const [seen, urls] = await Promise.all([looking, early]);
    if (seen === null) return [];
    if (!seen.isDue) return urls ?? read(seen.waiting);
    await this.#urls.becomeDue([hostId], nowWholeMs);
    return read(seen.waiting);
  }

  lease(request: Parameters<Store['lease']>[0]): Promise<readonly HostLease[]> {
    return this.#leases.lease(request);
  }

  async renew(owner: string, untilMs: number): Promise<void> {
    await Promise.all([this.#leases.renew(owner, untilMs), this.shares.renew(owner, untilMs)]);
  }

  unblock(hosts: readonly string[], reasons: readonly string[], nowMs: number): Promise<void> {
    return this.#leases.unblock(hosts, reasons, nowMs);
  }

  async release(owner: string, hostIds: readonly number[], nowMs: number, askedUntilMs = 0): Promise<void> {
    const isShared = (await this.#leases.release(owner, hostIds, nowMs, askedUntilMs)) < new Set(hostIds).size;
    if (isShared) await this.shares.release(owner, hostIds, nowMs);
  }

  async nextReadyAtMs(): Promise<number | null> {
    const [row] = await this.#db.all(
      `SELECT min(ready_at) AS at FROM ${this.#db.schema}.hosts WHERE ready_at IS NOT NULL`,
    );
    return row!.at;
  }
}

/** Whether a host is in the worker's slots. Without slots, every host is. */
function isOwn(position: number): string {
  return `($${position}::bytea IS NULL OR get_bit($${position}::bytea, h.slot) = 1)`;
}
