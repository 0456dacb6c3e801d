/**
 * Reads facts about waiting URLs for the orders, and writes their new ranks.
 *
 * The partner for SQLite is store/sqlite/leases/read-queue.ts; the
 * shared contract test is test/store/contract/moving-up.ts.
 */
import type { NewRank, Store, WaitingRecord } from '../../contract.ts';
import { numbers } from '../connection/arrays.ts';
import type { Engine } from '../engine.ts';
import { WorkingSet } from '../rows/working-set.ts';
import { rerank } from './rerank.ts';

const WAITING = 'id, host_id AS "hostId", url, depth, relevance';

export class QueueCalls implements Pick<Store, 'waiting' | 'waitingAfter' | 'rerank'> {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async waiting(ids: readonly number[]): Promise<readonly WaitingRecord[]> {
    const { db } = this.#engine;
    const rows = await db.all(`SELECT ${WAITING} FROM ${db.schema}.urls WHERE id = ANY($1::bigint[]) AND state = 0`, [
      numbers(new Set(ids)),
    ]);
    const byId = new Map(rows.map((row) => [row.id as number, row as unknown as WaitingRecord]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  async waitingAfter(after: number, limit: number): Promise<readonly WaitingRecord[]> {
    const { db } = this.#engine;
    const rows = await db.all(
      `SELECT ${WAITING} FROM ${db.schema}.urls WHERE id > $1 AND state = 0 ORDER BY id LIMIT $2`,
      [after, limit],
    );
    return rows as unknown as readonly WaitingRecord[];
  }

  async rerank(ranks: readonly NewRank[]): Promise<void> {
    if (ranks.length === 0) return;
    const { db } = this.#engine;
    await db.transaction((session) => rerank(new WorkingSet(session, db.schema), ranks));
  }
}
