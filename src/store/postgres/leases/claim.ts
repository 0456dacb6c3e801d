/**
 * Claims: which worker works on which hosts, and which URLs of a host come next. Only the lease of a
 * host is written. Its holder hands the URLs out in order.
 *
 * What always holds: one statement takes a host and skips hosts that another worker is taking (SKIP LOCKED). So no
 * worker waits, and no host is given twice. Each worker begins with another part, and each time with the next part. If
 * the answer to a claim is lost, the worker does not know its new leases; the heartbeat reports them.
 *
 * The partner for SQLite is store/sqlite/leases/claim.ts; the shared contract tests are
 * test/store/contract/leases.ts and test/store/contract/waiting.ts.
 */
import type { ClaimedUrl, ClaimRequest, HostLease, HostShare, ListShares, MoreUrls, Store } from '../../contract.ts';
import type { Database, Row } from '../connection/database.ts';
import type { Parts } from '../rows/parts.ts';
import { HostLeases } from './host-leases.ts';
import { HostShares } from './host-shares.ts';
import { HAS_LAPSED, HOST, SHARED, toLease } from './lease-rows.ts';
import { isAnyDue, NextUrls, type Queue } from './next-urls.ts';

const ONE_LIST: ListShares = [1];

type Calls = Pick<Store, 'claim' | 'claimMore' | 'lease' | 'renew' | 'release' | 'nextReadyAtMs'>;

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

/** The ready hosts of a part for the worker, among the hosts that were read. */
interface ReadyPart {
  readonly part: number;
  readonly own: number;
  readonly overdue: number;
  readonly isShared: boolean;
  /** The latest ready time of the hosts that were read. */
  readonly lastMs: number;
}

export class Claims implements Calls {
  readonly shares: HostShares;
  readonly #db: Database;
  readonly #parts: Parts;
  readonly #urls: NextUrls;
  readonly #leases: HostLeases;
  #begin: number;

  /** `slot` is the slot of the process. */
  constructor(db: Database, parts: Parts, slot: number) {
    this.#db = db;
    this.#parts = parts;
    this.#begin = slot;
    this.#urls = new NextUrls(db, parts);
    this.#leases = new HostLeases(db, parts);
    this.shares = new HostShares(db, parts);
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
    const takeOwn = async ({ part, lastMs }: ReadyPart): Promise<void> => {
      if (room() > 0) leases.push(...(await this.#claimPart(part, wanted, lastMs, wanted.slots ?? null, room())));
    };
    const takeOverdue = async ({ part }: ReadyPart): Promise<void> => {
      if (room() > 0) leases.push(...(await this.#claimPart(part, wanted, wanted.overdueMs, null, room())));
    };
    // Claims are made after every commit and mostly find nothing. One query
    // over all parts is far cheaper than one for each part.
    const ready = await this.#partsReady(wanted);
    for (const part of ready) if (part.own > 0) await takeOwn(part);
    for (const part of ready) if (part.overdue > 0) await takeOverdue(part);
    for (const { part, isShared } of ready) {
      if (isShared) leases.push(...(await this.#claimShares(part, wanted, room())));
    }
    const seen = ready.reduce((sum, { own, overdue }) => sum + own + overdue, 0);
    // Other workers were quicker. Parts that the query did not reach may still have free hosts.
    if (leases.length < Math.min(seen, wanted.hosts)) {
      const rest = this.#partsBesides(ready, nowMs);
      for (const part of rest) await takeOwn(part);
      for (const part of rest) await takeOverdue(part);
    }
    return leases;
  }

  /** The parts with the hosts that have been ready longest for the worker. */
  async #partsReady({ owner, hosts, nowMs, slots, overdueMs }: Wanted): Promise<readonly ReadyPart[]> {
    const { schema } = this.#db;
    const rows = await this.#db.all(
      `SELECT part, count(*) FILTER (WHERE is_own AND NOT is_shared) AS own, bool_or(is_shared) AS is_shared,
         count(*) FILTER (WHERE NOT is_own AND NOT is_shared AND ready_at <= $4) AS overdue, max(ready_at) AS last FROM (
         SELECT h.part, h.ready_at, h.lease_owner IS NOT DISTINCT FROM '${SHARED}' AS is_shared, ${isOwn(3)} AS is_own
         FROM ${schema}.hosts h
         WHERE h.ready_at <= $1 AND ${HAS_LAPSED} AND h.lease_owner IS DISTINCT FROM $2
           AND (h.lease_owner IS DISTINCT FROM '${SHARED}' OR NOT EXISTS (
             SELECT 1 FROM ${schema}.host_shares s WHERE s.part = h.part AND s.host_id = h.id AND s.lease_owner = $2))
         ORDER BY h.ready_at LIMIT $5
       ) ready GROUP BY part`,
      [nowMs, owner, slots ?? null, overdueMs, slots ? Math.max(LEAST_LOOKED_AT, hosts * LOOKED_AT_A_HOST) : hosts],
    );
    this.#begin++;
    return this.#inTurn(
      rows.map(({ part, own, overdue, is_shared, last }) => ({
        part,
        own,
        overdue,
        isShared: is_shared,
        lastMs: last,
      })),
    );
  }

  #partsBesides(ready: readonly ReadyPart[], nowMs: number): readonly ReadyPart[] {
    const gone = new Set(ready.map(({ part }) => part));
    const rest = Array.from({ length: this.#parts.count }, (_, part) => part).filter((part) => !gone.has(part));
    return this.#inTurn(rest.map((part) => ({ part, own: 0, overdue: 0, isShared: false, lastMs: nowMs })));
  }

  #inTurn(parts: readonly ReadyPart[]): readonly ReadyPart[] {
    const place = ({ part }: ReadyPart): number => (part + this.#begin) % this.#parts.count;
    return parts.toSorted((a, b) => place(a) - place(b));
  }

  /** Takes hosts that have been ready since `readyMs`, in the given slots, or in any slot if `slots` is null. */
  async #claimPart(
    part: number,
    wanted: Wanted,
    readyMs: number,
    slots: Uint8Array | null,
    limit: number,
  ): Promise<HostLease[]> {
    const { owner, nowMs, untilMs } = wanted;
    const [hosts, urls] = (['hosts', 'urls'] as const).map((table) => this.#parts.leaf(this.#db.schema, table, part));
    // The previous holder may have sent requests to the host until the end of its lease.
    const rows = await this.#db.all(
      `UPDATE ${hosts} h SET lease_owner = $3, ready_at = $4::bigint,
         asked_at = CASE WHEN h.lease_owner IS NULL THEN h.asked_at ELSE greatest(h.asked_at, h.ready_at) END
       WHERE h.part = $1 AND h.id = ANY(ARRAY(
         SELECT h.id FROM ${hosts} h
         WHERE h.part = $1 AND h.ready_at <= $2 AND ${HAS_LAPSED} AND h.lease_owner IS DISTINCT FROM $3
           AND h.lease_owner IS DISTINCT FROM '${SHARED}' AND ${isOwn(5)}
         ORDER BY h.ready_at LIMIT $6 FOR UPDATE SKIP LOCKED))
       RETURNING ${HOST}, ${isAnyDue(urls!, '$7')} AS is_due`,
      [part, readyMs, owner, untilMs, slots, limit, nowMs],
    );
    return this.#withUrls(part, rows, wanted);
  }

  async #claimShares(part: number, wanted: Wanted, limit: number): Promise<HostLease[]> {
    if (limit <= 0) return [];
    const taken = await this.shares.take(part, wanted.owner, wanted.nowMs, wanted.untilMs, limit);
    const shareOf = new Map(taken.map(({ row, share }) => [row.id as number, share]));
    return this.#withUrls(
      part,
      taken.map(({ row }) => row),
      wanted,
      shareOf,
    );
  }

  async #withUrls(
    part: number,
    rows: readonly Row[],
    { urlsPerHost, nowMs, lists = ONE_LIST }: Wanted,
    shareOf: ReadonlyMap<number, HostShare | undefined> = new Map(),
  ): Promise<HostLease[]> {
    if (rows.length === 0) return [];
    const due = rows.filter((row) => row.is_due).map((row) => row.id as number);
    if (due.length > 0) await this.#urls.becomeDue(part, due, nowMs);
    const queues = rows.map((row): Queue => {
      const share = shareOf.get(row.id);
      return { hostId: row.id, waiting: row.waiting, ...(share && { share }) };
    });
    const urls = await this.#urls.of(part, queues, urlsPerHost, lists);
    return rows.map((row) => toLease(row, urls.get(row.id)!, shareOf.get(row.id)));
  }

  async claimMore(hostId: number, request: MoreUrls): Promise<readonly ClaimedUrl[]> {
    const { limit, besides, nowMs, lists = ONE_LIST, share } = request;
    const part = this.#parts.ofHost(hostId);
    const nowWholeMs = Math.floor(nowMs);
    const read = async (waiting: number): Promise<readonly ClaimedUrl[]> => {
      const queue = { hostId, waiting, ...(share && { share }) };
      return (await this.#urls.of(part, [queue], limit, lists, besides)).get(hostId)!;
    };
    const looking = this.#urls.look(hostId, nowWholeMs);
    // Without lists the length of the queue does not matter, so both
    // queries are sent at once. Mostly no URL has become due.
    const early = lists.length > 1 ? null : read(0);
    const [seen, urls] = await Promise.all([looking, early]);
    if (seen === null) return [];
    if (!seen.isDue) return urls ?? read(seen.waiting);
    await this.#urls.becomeDue(part, [hostId], nowWholeMs);
    return read(seen.waiting);
  }

  lease(request: Parameters<Store['lease']>[0]): Promise<readonly HostLease[]> {
    return this.#leases.lease(request);
  }

  async renew(owner: string, untilMs: number): Promise<void> {
    await Promise.all([this.#leases.renew(owner, untilMs), this.shares.renew(owner, untilMs)]);
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
