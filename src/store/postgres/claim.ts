/**
 * Claims: which hosts are worked on, by whom, and which of their URLs come next. Only the lease of a host is written; its
 * URLs are handed out in order by whoever holds it.
 *
 * Always: a host is taken by one statement, which passes over hosts that another is taking; so nobody waits for anybody, and nobody
 * gets the same. Each worker begins with another part, and each time with the next. A claim whose answer is not heard leaves hosts
 * leased to one who does not know of it: the beat tells of them.
 */
import type { ClaimedUrl, ClaimRequest, HostLease, HostShare, ListShares, Store } from '../contract.ts';
import type { Database, Row } from './database.ts';
import { HostLeases } from './host-leases.ts';
import { HostShares } from './host-shares.ts';
import { HAS_LAPSED, HOST, SHARED, toLease } from './lease-rows.ts';
import { isAnyDue, NextUrls, type Queue } from './next-urls.ts';
import type { Parts } from './parts.ts';

const ONE_LIST: ListShares = [1];

type Calls = Pick<Store, 'claim' | 'claimMore' | 'lease' | 'renew' | 'release' | 'nextReadyAtMs'>;

/** A claim's request, with times in whole milliseconds. */
interface Wanted extends ClaimRequest {
  readonly untilMs: number;
  /** Hosts of others' slots are free to take if they have been ready since then. */
  readonly overdueMs: number;
}

interface ReadyPart {
  readonly part: number;
  /** For the asker, as far as it looked. */
  readonly hosts: number;
  readonly isShared: boolean;
}

export class Claims implements Calls {
  readonly shares: HostShares;
  readonly #db: Database;
  readonly #parts: Parts;
  readonly #urls: NextUrls;
  readonly #leases: HostLeases;
  #begin: number;

  /** `slot`: of the process. */
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
    const take = async ({ part, isShared }: ReadyPart): Promise<void> => {
      if (leases.length < wanted.hosts)
        leases.push(...(await this.#claimPart(part, wanted, wanted.hosts - leases.length)));
      if (isShared) leases.push(...(await this.#claimShares(part, wanted, wanted.hosts - leases.length)));
    };
    // Asked after every commit, and mostly in vain: one look at all parts is far cheaper than going through them.
    const ready = await this.#partsReady(wanted);
    for (const part of ready) await take(part);
    const seen = ready.reduce((sum, { hosts }) => sum + hosts, 0);
    // Others were quicker there: what the look did not reach may still be free.
    if (leases.length < Math.min(seen, wanted.hosts)) for (const part of this.#partsBesides(ready)) await take(part);
    return leases;
  }

  /** The parts with the hosts for the asker that have been ready for longest. */
  async #partsReady({ owner, hosts, nowMs, slots, overdueMs }: Wanted): Promise<readonly ReadyPart[]> {
    const { schema } = this.#db;
    const rows = await this.#db.all(
      `SELECT part, count(*) AS hosts, bool_or(lease_owner IS NOT DISTINCT FROM '${SHARED}') AS is_shared FROM (
         SELECT h.part, h.lease_owner FROM ${schema}.hosts h
         WHERE h.ready_at <= $1 AND ${HAS_LAPSED} AND h.lease_owner IS DISTINCT FROM $2 AND ${isFor(3)}
           AND (h.lease_owner IS DISTINCT FROM '${SHARED}' OR NOT EXISTS (
             SELECT 1 FROM ${schema}.host_shares s WHERE s.part = h.part AND s.host_id = h.id AND s.lease_owner = $2))
         ORDER BY h.ready_at LIMIT $5
       ) ready GROUP BY part`,
      [nowMs, owner, slots ?? null, overdueMs, hosts],
    );
    this.#begin++;
    return this.#inTurn(rows.map((row) => ({ part: row.part, hosts: row.hosts, isShared: row.is_shared })));
  }

  #partsBesides(ready: readonly ReadyPart[]): readonly ReadyPart[] {
    const gone = new Set(ready.map(({ part }) => part));
    const rest = Array.from({ length: this.#parts.count }, (_, part) => part).filter((part) => !gone.has(part));
    return this.#inTurn(rest.map((part) => ({ part, hosts: 0, isShared: false })));
  }

  #inTurn(parts: readonly ReadyPart[]): readonly ReadyPart[] {
    const place = ({ part }: ReadyPart): number => (part + this.#begin) % this.#parts.count;
    return parts.toSorted((a, b) => place(a) - place(b));
  }

  async #claimPart(part: number, wanted: Wanted, limit: number): Promise<HostLease[]> {
    const { owner, nowMs, untilMs, slots, overdueMs } = wanted;
    const [hosts, urls] = (['hosts', 'urls'] as const).map((table) => this.#parts.leaf(this.#db.schema, table, part));
    // Who had it before may have asked the host up to the end of the lease.
    const rows = await this.#db.all(
      `UPDATE ${hosts} h SET lease_owner = $3, ready_at = $4::bigint,
         asked_at = CASE WHEN h.lease_owner IS NULL THEN h.asked_at ELSE greatest(h.asked_at, h.ready_at) END
       WHERE h.part = $1 AND h.id = ANY(ARRAY(
         SELECT h.id FROM ${hosts} h
         WHERE h.part = $1 AND h.ready_at <= $2 AND ${HAS_LAPSED} AND h.lease_owner IS DISTINCT FROM $3
           AND h.lease_owner IS DISTINCT FROM '${SHARED}' AND ${isFor(5)}
         ORDER BY h.ready_at LIMIT $7 FOR UPDATE SKIP LOCKED))
       RETURNING ${HOST}, ${isAnyDue(urls!, '$2')} AS is_due`,
      [part, nowMs, owner, untilMs, slots ?? null, overdueMs, limit],
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

  async claimMore(
    hostId: number,
    limit: number,
    besides: ReadonlySet<number>,
    nowMs: number,
    lists: ListShares = ONE_LIST,
    share?: HostShare,
  ): Promise<readonly ClaimedUrl[]> {
    const part = this.#parts.ofHost(hostId);
    const nowWholeMs = Math.floor(nowMs);
    const read = async (waiting: number): Promise<readonly ClaimedUrl[]> => {
      const queue = { hostId, waiting, ...(share && { share }) };
      return (await this.#urls.of(part, [queue], limit, lists, besides)).get(hostId)!;
    };
    const looking = this.#urls.look(hostId, nowWholeMs);
    // Without lists its length does not matter: both are asked at once, and mostly nothing has become due.
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

  async release(owner: string, hostIds: readonly number[], nowMs: number): Promise<void> {
    const isShared = (await this.#leases.release(owner, hostIds, nowMs)) < new Set(hostIds).size;
    if (isShared) await this.shares.release(owner, hostIds, nowMs);
  }

  async nextReadyAtMs(): Promise<number | null> {
    const [row] = await this.#db.all(
      `SELECT min(ready_at) AS at FROM ${this.#db.schema}.hosts WHERE ready_at IS NOT NULL`,
    );
    return row!.at;
  }
}

/** Whether a ready host is the asker's, by its slot, or nobody came for it in time; a share is anybody's. */
function isFor(position: number): string {
  return `($${position}::bytea IS NULL OR get_bit($${position}::bytea, h.slot) = 1 OR h.ready_at <= $${position + 1}
    OR h.lease_owner IS NOT DISTINCT FROM '${SHARED}')`;
}
