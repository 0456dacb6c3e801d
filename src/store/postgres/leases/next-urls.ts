/**
 * The next URLs of leased hosts: by rank, or in turn from several ranked lists (store/rules/ranked-turns.ts). All hosts
 * are read at once. The only write puts URLs that have become due back into the queue.
 *
 * The partner for SQLite is store/sqlite/leases/claim.ts; the shared contract tests are
 * test/store/contract/ranked-lists.ts and test/store/contract/waiting.ts.
 */
import type { ClaimedUrl, HostShare, ListShares } from '../../contract.ts';
import { BACK, CutBook, type Cuts, type Place, serve, stretches } from '../../rules/ranked-turns.ts';
import { numbers } from '../connection/arrays.ts';
import type { Database, Row } from '../connection/database.ts';

const CLAIMED =
  'u.id, u.url, u.depth, u.hops, u.failures, u.relevance, u.inherited, u.steps_off AS "stepsOff", u.stand_in AS "standIn"';

/** A host, or one share of it, and the number of URLs that wait at the host in all. */
export interface Queue {
  readonly hostId: number;
  readonly share?: HostShare;
  readonly waiting: number;
}

const WHOLE: HostShare = { index: 0, of: 1 };
const NOTHING: ReadonlySet<number> = new Set();

export class NextUrls {
  readonly #db: Database;
  readonly #cuts = new CutBook<string>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Reads the next URLs of hosts. The caller must have called `becomeDue` where URLs have become due. */
  async of(
    queues: readonly Queue[],
    limit: number,
    lists: ListShares,
    besides: ReadonlySet<number> = NOTHING,
  ): Promise<ReadonlyMap<number, readonly ClaimedUrl[]>> {
    if (lists.length > 1) return this.#inTurn(queues, limit, lists, besides);
    const rows = await this.#db.all(
      `SELECT h.host_id, ${CLAIMED} FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS h(host_id, shares, share)
       CROSS JOIN LATERAL (${this.#waiting('AND u.id NOT IN (SELECT unnest($5::bigint[]))')} LIMIT $4) u`,
      [...columns(queues), limit, numbers(besides)],
    );
    return byHost(queues, rows);
  }

  /** Puts URLs that have become due back into the queue. Returns how many there were. */
  becomeDue(hostIds: readonly number[], nowMs: number): Promise<number> {
    return this.#db.run(
      `UPDATE ${this.#db.schema}.urls SET due_at = NULL
       WHERE host_id = ANY($1::bigint[]) AND state = 0 AND due_at IS NOT NULL AND due_at <= $2`,
      [numbers(hostIds), nowMs],
    );
  }

  /** How many URLs wait at a host, and whether some have become due; null if there is no such host. */
  async look(hostId: number, nowMs: number): Promise<{ readonly waiting: number; readonly isDue: boolean } | null> {
    const { schema } = this.#db;
    const [row] = await this.#db.all(
      `SELECT h.waiting, ${isAnyDue(schema, '$2')} AS is_due FROM ${schema}.hosts h WHERE h.id = $1`,
      [hostId, nowMs],
    );
    return row ? { waiting: row.waiting, isDue: row.is_due } : null;
  }

  async #inTurn(
    queues: readonly Queue[],
    limit: number,
    shares: ListShares,
    besides: ReadonlySet<number>,
  ): Promise<ReadonlyMap<number, readonly ClaimedUrl[]>> {
    const cuts = await this.#cutsOf(queues, shares.length);
    const wanted = queues.flatMap((queue, at) => stretches(cuts[at]!).map(([from, to]) => ({ queue, from, to })));
    const rows = await this.#db.all(
      `SELECT h.list, h.host_id, ${CLAIMED}
       FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::integer[], $5::double precision[], $6::bigint[],
         $7::double precision[], $8::bigint[]) AS h(host_id, shares, share, list, from_rank, from_id, to_rank, to_id)
       CROSS JOIN LATERAL (${this.#waiting(
         `AND (u.rank, u.id) >= (h.from_rank, h.from_id) AND (u.rank, u.id) < (h.to_rank, h.to_id)
         AND u.id NOT IN (SELECT unnest($10::bigint[]))`,
       )} LIMIT $9) u`,
      [
        ...columns(wanted.map(({ queue }) => queue)),
        numbers(wanted.map((_, i) => i)),
        numbers(wanted.map(({ from }) => from.rank)),
        numbers(wanted.map(({ from }) => from.id)),
        numbers(wanted.map(({ to }) => to.rank)),
        numbers(wanted.map(({ to }) => to.id)),
        // One list may have to serve the turns of all.
        limit,
        numbers(besides),
      ],
    );
    const served = wanted.map((): ClaimedUrl[] => []);
    for (const { list, host_id: _, ...url } of rows) served[list]!.push(url as ClaimedUrl);
    return new Map(
      queues.map(({ hostId }, at) => {
        const lists = served.slice(at * shares.length, (at + 1) * shares.length);
        return [hostId, serve(cuts[at]!, lists, limit, shares)];
      }),
    );
  }

  async #cutsOf(queues: readonly Queue[], lists: number): Promise<Cuts[]> {
    const kept = queues.map((queue) => this.#cuts.kept(nameOf(queue), lists, queue.waiting));
    const uncut = queues.filter((_, at) => kept[at] === null);
    if (uncut.length === 0) return kept as Cuts[];
    // The lists begin at round(n/3) and round(2n/3) for three lists, computed in whole numbers.
    const rows = await this.#db.all(
      `SELECT h.host_id, c.cut, q.rank, q.id FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS h(host_id, shares, share)
       CROSS JOIN LATERAL (
         SELECT w.rank, w.id, row_number() OVER (ORDER BY w.rank, w.id) - 1 AS place, count(*) OVER () AS queued
         FROM (${this.#waiting('')}) w
       ) q JOIN generate_series(1, $4::integer - 1) AS c(cut) ON q.place = (2 * q.queued * c.cut + $4) / (2 * $4)`,
      [...columns(uncut), lists],
    );
    const places = new Map<number, Place[]>();
    for (const { hostId } of uncut) places.set(hostId, new Array<Place>(lists - 1).fill(BACK));
    for (const { host_id, cut, rank, id } of rows) places.get(host_id)![cut - 1] = { rank, id };
    return queues.map(
      (queue, at) => kept[at] ?? this.#cuts.cut(nameOf(queue), queue.waiting, places.get(queue.hostId)!),
    );
  }

  /** SQL for the queue of `h`, in order. */
  #waiting(condition: string): string {
    return `SELECT u.* FROM ${this.#db.schema}.urls u
      WHERE u.host_id = h.host_id AND u.state = 0 AND u.due_at IS NULL
        AND (h.shares = 1 OR u.id % h.shares = h.share) ${condition} ORDER BY u.rank, u.id`;
  }
}

/** SQL condition on a row `h` of hosts: some of its URLs have become due. */
export function isAnyDue(schema: string, nowMs: string): string {
  return `EXISTS (SELECT 1 FROM ${schema}.urls u WHERE u.host_id = h.id AND u.state = 0
    AND u.due_at IS NOT NULL AND u.due_at <= ${nowMs})`;
}

function nameOf({ hostId, share = WHOLE }: Queue): string {
  return `${hostId} ${share.index}/${share.of}`;
}

function columns(queues: readonly Queue[]): [hosts: string, shares: string, share: string] {
  return [
    numbers(queues.map(({ hostId }) => hostId)),
    numbers(queues.map(({ share = WHOLE }) => share.of)),
    numbers(queues.map(({ share = WHOLE }) => share.index)),
  ];
}

function byHost(queues: readonly Queue[], rows: readonly Row[]): Map<number, ClaimedUrl[]> {
  const found = new Map<number, ClaimedUrl[]>(queues.map(({ hostId }) => [hostId, []]));
  for (const { host_id, ...url } of rows) found.get(host_id)!.push(url as ClaimedUrl);
  return found;
}
