/**
 * Several ranked frontiers in one queue (P5, W18): a host's waiting URLs, by rank, are cut into lists of equal length, and the
 * lists are served in turn, so many URLs of each. Where one has too few, the others step in.
 *
 * The places of the cuts are found by counting along the index, which is the work of the whole queue; so they are kept until
 * a fiftieth of the queue has been served, or it has become as much longer or shorter. A short queue is cut each time.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ClaimedUrl, ListShares } from '../contract.ts';

const SHORT_QUEUE = 1_000;
const STALE_PART = 0.02;
/** Hosts whose cuts are kept. */
const MAX_HOSTS = 10_000;

interface Place {
  readonly rank: number;
  readonly id: number;
}

interface Cuts {
  /** URLs of the host that waited when it was cut, those set aside included. */
  readonly waiting: number;
  /** Where each list begins, the first one aside. */
  readonly places: readonly Place[];
  /** How far the turns have come. */
  turn: number;
  served: number;
}

const FRONT: Place = { rank: Number.NEGATIVE_INFINITY, id: 0 };
const BACK: Place = { rank: Number.POSITIVE_INFINITY, id: 0 };

export class RankedLists {
  readonly #waiting: StatementSync;
  readonly #count: StatementSync;
  readonly #placeAt: StatementSync;
  readonly #between: StatementSync;
  readonly #cuts = new Map<number, Cuts>();

  /** `columns`: of a ClaimedUrl. */
  constructor(db: DatabaseSync, columns: string) {
    const from = 'FROM urls INDEXED BY urls_waiting WHERE host_id = ?1 AND state = 0 AND due_at IS NULL';
    this.#waiting = db.prepare('SELECT waiting FROM hosts WHERE id = ?');
    this.#count = db.prepare(`SELECT count(*) AS queued ${from}`);
    this.#placeAt = db.prepare(`SELECT rank, id ${from} ORDER BY rank, id LIMIT 1 OFFSET ?2`);
    this.#between = db.prepare(
      `SELECT ${columns} ${from} AND (rank, id) >= (?2, ?3) AND (rank, id) < (?4, ?5)
         AND id NOT IN (SELECT value FROM json_each(?6)) ORDER BY rank, id LIMIT ?7`,
    );
  }

  next(hostId: number, limit: number, besides: ReadonlySet<number>, shares: ListShares): ClaimedUrl[] {
    const cuts = this.#cutsOf(hostId, shares.length);
    const places = [FRONT, ...cuts.places, BACK];
    const turns = turnsFrom(cuts.turn, limit, shares);
    const left = `[${[...besides].join()}]`;
    const lists = shares.map((_, i) => {
      const [from, to] = [places[i]!, places[i + 1]!];
      // Each may have to serve for all.
      const rows = this.#between.all(hostId, from.rank, from.id, to.rank, to.id, left, limit);
      return rows as unknown as ClaimedUrl[];
    });
    const served = serveInTurn(lists, turns);
    cuts.turn = (cuts.turn + served.length) % shares.reduce((sum, share) => sum + share, 0);
    cuts.served += served.length;
    return served;
  }

  #cutsOf(hostId: number, lists: number): Cuts {
    const kept = this.#cuts.get(hostId);
    // The host's own count is read at once; counting the queue each time would be the work that the cuts are kept for.
    const waiting = (this.#waiting.get(hostId) as { waiting: number } | undefined)?.waiting ?? 0;
    if (kept && kept.places.length === lists - 1 && waiting > SHORT_QUEUE && !isStale(kept, waiting)) return kept;
    const cuts = { waiting, places: this.#placesIn(hostId, lists), turn: kept?.turn ?? 0, served: 0 };
    this.#cuts.delete(hostId);
    if (this.#cuts.size >= MAX_HOSTS) this.#cuts.delete(this.#cuts.keys().next().value!);
    this.#cuts.set(hostId, cuts);
    return cuts;
  }

  #placesIn(hostId: number, lists: number): Place[] {
    const { queued } = this.#count.get(hostId) as { queued: number };
    return cutPlaces(queued, lists).map((at) => (this.#placeAt.get(hostId, at) as Place | undefined) ?? BACK);
  }
}

function isStale({ waiting, served }: Cuts, waitingNow: number): boolean {
  return Math.max(served, Math.abs(waitingNow - waiting)) > STALE_PART * waiting;
}

/** Where lists of equal length begin in a queue, the first one aside (P5: thirds at round(n/3) and round(2n/3)). */
function cutPlaces(queued: number, lists: number): number[] {
  return Array.from({ length: lists - 1 }, (_, i) => Math.round((queued * (i + 1)) / lists));
}

/** Which list each of the next `limit` URLs should come from: 4 : 2 : 1 is 0 0 0 0 1 1 2 0 0 0 0 1 1 2 … */
function turnsFrom(turn: number, limit: number, shares: ListShares): number[] {
  const cycle = shares.flatMap((share, i) => new Array<number>(share).fill(i));
  return Array.from({ length: limit }, (_, i) => cycle[(turn + i) % cycle.length]!);
}

function serveInTurn(lists: readonly ClaimedUrl[][], turns: readonly number[]): ClaimedUrl[] {
  const served: ClaimedUrl[] = [];
  const taken = lists.map(() => 0);
  for (const turn of turns) {
    const list = hasMore(lists, taken, turn) ? turn : lists.findIndex((_, i) => hasMore(lists, taken, i));
    if (list < 0) break;
    served.push(lists[list]![taken[list]!++]!);
  }
  return served;
}

function hasMore(lists: readonly ClaimedUrl[][], taken: readonly number[], i: number): boolean {
  return taken[i]! < lists[i]!.length;
}
