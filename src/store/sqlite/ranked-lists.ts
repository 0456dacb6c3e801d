/** Several ranked frontiers in one queue (store/ranked-turns.ts): where a host's queue is cut, and what its lists have. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ClaimedUrl, ListShares } from '../contract.ts';
import { BACK, CutBook, type Cuts, cutPlaces, type Place, serve, stretches } from '../ranked-turns.ts';

export class RankedLists {
  readonly #waiting: StatementSync;
  readonly #count: StatementSync;
  readonly #placeAt: StatementSync;
  readonly #between: StatementSync;
  readonly #cuts = new CutBook<number>();

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
    const left = `[${[...besides].join()}]`;
    const lists = stretches(cuts).map(([from, to]) => {
      // Each may have to serve for all.
      const rows = this.#between.all(hostId, from.rank, from.id, to.rank, to.id, left, limit);
      return rows as unknown as ClaimedUrl[];
    });
    return serve(cuts, lists, limit, shares);
  }

  #cutsOf(hostId: number, lists: number): Cuts {
    // The host's own count is read at once; counting the queue each time would be the work that the cuts are kept for.
    const waiting = (this.#waiting.get(hostId) as { waiting: number } | undefined)?.waiting ?? 0;
    return this.#cuts.kept(hostId, lists, waiting) ?? this.#cuts.cut(hostId, waiting, this.#placesIn(hostId, lists));
  }

  #placesIn(hostId: number, lists: number): Place[] {
    const { queued } = this.#count.get(hostId) as { queued: number };
    return cutPlaces(queued, lists).map((at) => (this.#placeAt.get(hostId, at) as Place | undefined) ?? BACK);
  }
}
