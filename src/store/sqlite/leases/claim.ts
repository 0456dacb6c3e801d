/**
 * Claims: the leases of hosts, and the next URLs of each host. Only the lease of a host is written. Its holder hands
 * the URLs out in order, so handing one out costs no write, and a crash leaves nothing to undo.
 *
 * The partner for PostgreSQL is store/postgres/leases/claim.ts; the shared contract
 * tests are test/store/contract/leases.ts and test/store/contract/waiting.ts.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { ClaimedUrl, HostLease, ListShares, MoreUrls, Store } from '../../contract.ts';
import { type RobotsRow, toNotFound, toRobots } from '../../records/record-rows.ts';
import { BACK, CutBook, type Cuts, cutPlaces, type Place, serve, stretches } from '../../rules/ranked-turns.ts';
import { inTransaction } from '../open.ts';
import { TableAccess } from '../table-access.ts';

interface HostRow extends RobotsRow {
  id: number;
  host: string;
  asked_at: number;
  delay_ms: number | null;
  blocked_until: number;
  template: Uint8Array | null;
  noise: Uint8Array | null;
  not_found: string | null;
}

/** The columns of a ClaimedUrl. */
export const CLAIMED =
  'id, url, depth, hops, failures, relevance, inherited, steps_off AS stepsOff, stand_in AS standIn';

const ONE_LIST: ListShares = [1];

type ClaimRequest = Parameters<Store['claim']>[0];
type LeaseRequest = Parameters<Store['lease']>[0];

const HOST = `SELECT id, host, asked_at, delay_ms, blocked_until, robots_status, robots_body, robots_at, robots_since,
  not_found, (SELECT counts FROM templates WHERE host_id = hosts.id) AS template,
  (SELECT evidence FROM noise_evidence WHERE host_id = hosts.id) AS noise FROM hosts`;
const QUEUED = 'FROM urls INDEXED BY urls_waiting WHERE host_id = ?1 AND state = 0 AND due_at IS NULL';

export class Claims extends TableAccess {
  readonly #readyHosts = this.db.prepare(
    `${HOST} WHERE ready_at <= ? AND lease_owner IS NOT ? ORDER BY ready_at LIMIT ?`,
  );
  readonly #freeHost = this.db.prepare(
    `${HOST} WHERE id = ? AND (lease_owner IS NULL OR lease_owner = ? OR coalesce(ready_at, 0) <= ?)`,
  );
  // The previous owner may have sent requests until the end of its lease.
  readonly #lease = this.db.prepare(
    `UPDATE hosts SET lease_owner = ?1, ready_at = ?2,
       asked_at = CASE WHEN lease_owner <> ?1 THEN max(asked_at, ready_at) ELSE asked_at END WHERE id = ?3 RETURNING asked_at`,
  );
  readonly #becomeDue = this.db.prepare(
    'UPDATE urls SET due_at = NULL WHERE host_id = ? AND state = 0 AND due_at IS NOT NULL AND due_at <= ?',
  );
  readonly #anyDue = this.db.prepare(
    'SELECT 1 FROM urls WHERE host_id = ? AND state = 0 AND due_at IS NOT NULL AND due_at <= ? LIMIT 1',
  );
  readonly #unblock = this.db.prepare(
    `UPDATE hosts SET blocked_until = 0,
       ready_at = CASE WHEN waiting > 0 THEN max(?1, asked_at + coalesce(delay_ms, 0)) END
     WHERE host = ?2 AND lease_owner IS NULL AND trouble IN (SELECT value FROM json_each(?3)) RETURNING id`,
  );
  readonly #dueAtOnce = this.db.prepare(
    `UPDATE urls SET due_at = NULL WHERE host_id = ? AND state = 0 AND due_at IS NOT NULL
       AND reason IN (SELECT value FROM json_each(?))`,
  );
  readonly #next = this.db.prepare(`SELECT ${CLAIMED} ${QUEUED} ORDER BY rank, id LIMIT ?2`);
  readonly #nextBesides = this.db.prepare(
    `SELECT ${CLAIMED} ${QUEUED} AND id NOT IN (SELECT value FROM json_each(?3)) ORDER BY rank, id LIMIT ?2`,
  );
  readonly #renew = this.db.prepare('UPDATE hosts SET ready_at = ? WHERE lease_owner = ?');
  readonly #release = this.db.prepare(
    `UPDATE hosts SET lease_owner = NULL, asked_at = max(asked_at, ?4), ready_at = CASE
       WHEN EXISTS (SELECT 1 FROM urls WHERE host_id = hosts.id AND state = 0 AND due_at IS NULL)
         THEN max(?1, blocked_until, max(asked_at, ?4) + coalesce(delay_ms, 0))
       ELSE (SELECT max(min(due_at), ?1, hosts.blocked_until) FROM urls
             WHERE host_id = hosts.id AND state = 0 AND due_at IS NOT NULL) END
     WHERE id = ?2 AND lease_owner = ?3`,
  );
  readonly #lists = new RankedLists(this.db);
  readonly #nextReady = this.db.prepare('SELECT min(ready_at) AS at FROM hosts WHERE ready_at IS NOT NULL');

  claim({ owner, hosts, urlsPerHost, nowMs, leaseMs, lists = ONE_LIST }: ClaimRequest): HostLease[] {
    const leases: HostLease[] = [];
    // Called after every commit, usually without a ready host: a read is far cheaper than a write transaction.
    if ((this.nextReadyAtMs() ?? Number.POSITIVE_INFINITY) > nowMs) return leases;
    inTransaction(this.db, () => {
      for (const row of this.#readyHosts.all(nowMs, owner, hosts) as unknown as HostRow[]) {
        row.asked_at = this.#take(row.id, owner, nowMs + leaseMs);
        this.#becomeDue.run(row.id, nowMs);
        leases.push(toLease(row, this.#first(row.id, urlsPerHost, lists)));
      }
    });
    return leases;
  }

  /** Leases the given hosts, whether URLs wait there or not. A lease that the owner already has is extended. */
  lease({ owner, hostIds, nowMs, leaseMs }: LeaseRequest): HostLease[] {
    const leases: HostLease[] = [];
    inTransaction(this.db, () => {
      for (const id of hostIds) {
        const row = this.#freeHost.get(id, owner, nowMs) as unknown as HostRow | undefined;
        if (row === undefined) continue;
        row.asked_at = this.#take(id, owner, nowMs + leaseMs);
        leases.push(toLease(row, []));
      }
    });
    return leases;
  }

  #take(hostId: number, owner: string, untilMs: number): number {
    return (this.#lease.get(owner, untilMs, hostId) as { asked_at: number }).asked_at;
  }

  #first(hostId: number, limit: number, lists: ListShares): ClaimedUrl[] {
    if (lists.length > 1) return this.#lists.next(hostId, limit, new Set(), lists);
    return this.#next.all(hostId, limit) as unknown as ClaimedUrl[];
  }

  claimMore(hostId: number, { limit, besides, nowMs, lists = ONE_LIST }: MoreUrls): ClaimedUrl[] {
    if (this.#anyDue.get(hostId, nowMs) !== undefined) this.#becomeDue.run(hostId, nowMs);
    if (lists.length > 1) return this.#lists.next(hostId, limit, besides, lists);
    return this.#nextBesides.all(hostId, limit, `[${[...besides].join()}]`) as unknown as ClaimedUrl[];
  }

  renew(owner: string, untilMs: number): void {
    this.#renew.run(untilMs, owner);
  }

  release(owner: string, hostIds: readonly number[], nowMs: number, askedUntilMs: number): void {
    for (const id of hostIds) this.#release.run(nowMs, id, owner, askedUntilMs);
  }

  unblock(hosts: readonly string[], reasons: readonly string[], nowMs: number): void {
    for (const host of hosts) {
      const [freed] = this.#unblock.all(nowMs, host, JSON.stringify(reasons)) as { id: number }[];
      if (freed !== undefined) this.#dueAtOnce.run(freed.id, JSON.stringify(reasons));
    }
  }

  nextReadyAtMs(): number | null {
    return (this.#nextReady.get() as { at: number | null }).at;
  }
}

/**
 * Called after a crash, under the lock: the remaining leases belong to no process. Their hosts may have been requested
 * up to the last moment, so the delay counts from now; this keeps the crawl polite across restarts. A blocked host is
 * not ready before its block ends: it would only take the place of a host that can be crawled. A host that was leased
 * for visits of a refresh and has no waiting URLs is not ready at all.
 */
export function dropAllLeases(db: DatabaseSync, nowMs: number): void {
  const sql = `UPDATE hosts SET lease_owner = NULL, asked_at = ?1,
    ready_at = CASE WHEN waiting > 0 THEN max(?1, blocked_until) END WHERE lease_owner IS NOT NULL`;
  db.prepare(sql).run(nowMs);
}

function toLease(row: HostRow, urls: readonly ClaimedUrl[]): HostLease {
  return {
    hostId: row.id,
    host: row.host,
    manners: { askedAtMs: row.asked_at, delayMs: row.delay_ms, blockedUntilMs: row.blocked_until },
    robots: toRobots(row),
    ...(row.not_found !== null && { notFound: toNotFound(row.not_found)! }),
    urls,
    ...(row.template && { template: row.template }),
    ...(row.noise && { noise: row.noise }),
  };
}

/**
 * Several ranked frontiers in one queue (store/rules/ranked-turns.ts): where the queue of a host is cut,
 * and the URLs of its lists.
 *
 * The partner for PostgreSQL is store/postgres/leases/next-urls.ts;
 * the shared contract test is test/store/contract/ranked-lists.ts.
 */
class RankedLists extends TableAccess {
  readonly #cuts = new CutBook<number>();
  readonly #waiting = this.db.prepare('SELECT waiting FROM hosts WHERE id = ?');
  readonly #count = this.db.prepare(`SELECT count(*) AS queued ${QUEUED}`);
  readonly #placeAt = this.db.prepare(`SELECT rank, id ${QUEUED} ORDER BY rank, id LIMIT 1 OFFSET ?2`);
  readonly #between = this.db.prepare(
    `SELECT ${CLAIMED} ${QUEUED} AND (rank, id) >= (?2, ?3) AND (rank, id) < (?4, ?5)
       AND id NOT IN (SELECT value FROM json_each(?6)) ORDER BY rank, id LIMIT ?7`,
  );

  next(hostId: number, limit: number, besides: ReadonlySet<number>, shares: ListShares): ClaimedUrl[] {
    const cuts = this.#cutsOf(hostId, shares.length);
    const left = `[${[...besides].join()}]`;
    const lists = stretches(cuts).map(([from, to]) => {
      // Each list gets the whole limit, because the other lists may be empty.
      const rows = this.#between.all(hostId, from.rank, from.id, to.rank, to.id, left, limit);
      return rows as unknown as ClaimedUrl[];
    });
    return serve(cuts, lists, limit, shares);
  }

  #cutsOf(hostId: number, lists: number): Cuts {
    // The stored count of the host is cheap to read. Counting the queue each time would be
    // the work that kept cuts avoid.
    const waiting = (this.#waiting.get(hostId) as { waiting: number } | undefined)?.waiting ?? 0;
    return this.#cuts.kept(hostId, lists, waiting) ?? this.#cuts.cut(hostId, waiting, this.#placesIn(hostId, lists));
  }

  #placesIn(hostId: number, lists: number): Place[] {
    const { queued } = this.#count.get(hostId) as { queued: number };
    return cutPlaces(queued, lists).map((at) => (this.#placeAt.get(hostId, at) as Place | undefined) ?? BACK);
  }
}
