/**
 * Followers: their positions and leases, and the pages that commits touched.
 *
 * The partner for SQLite is store/sqlite/changes/followers.ts;
 * the shared contract test is test/store/contract/followers.ts.
 */
import type { FollowerHold, FollowerMove, FollowerRecord, Store, Touch } from '../../contract.ts';
import type { Database } from '../connection/database.ts';
import { lastTouch } from '../rows/touch-seq.ts';
import { describeIn } from './change-log.ts';

const RECORD = 'f.name, f.version, f.position, f.owner, f.held_until AS "heldUntilMs"';

type Calls = Pick<Store, 'followers' | 'holdFollower' | 'moveFollower' | 'releaseFollower' | 'touches'>;

export class FollowerCalls implements Calls {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async followers(): Promise<readonly FollowerRecord[]> {
    const rows = await this.#db.all(`SELECT ${RECORD} FROM ${this.#db.schema}.followers f ORDER BY f.name`);
    return rows as readonly FollowerRecord[];
  }

  async holdFollower({ name, version, owner, nowMs, leaseMs }: FollowerHold): Promise<FollowerRecord | null> {
    const [row] = await this.#db.all(
      `INSERT INTO ${this.#db.schema}.followers AS f (name, version, owner, held_until)
       VALUES ($1, $2::integer, $3, $4::bigint)
       ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, held_until = excluded.held_until,
         version = excluded.version, position = CASE WHEN f.version = excluded.version THEN f.position END
       WHERE f.owner IS NULL OR f.owner = excluded.owner OR f.held_until <= $5::bigint RETURNING ${RECORD}`,
      [name, version, owner, nowMs + leaseMs, nowMs],
    );
    return (row as FollowerRecord | undefined) ?? null;
  }

  moveFollower({ name, owner, position, described = [] }: FollowerMove): Promise<boolean> {
    const { schema } = this.#db;
    return this.#db.transaction(async (session) => {
      const moved = await session.run(`UPDATE ${schema}.followers SET position = $1 WHERE name = $2 AND owner = $3`, [
        position,
        name,
        owner,
      ]);
      if (moved > 0 && described.length > 0) await describeIn(session, schema, described);
      return moved > 0;
    });
  }

  async releaseFollower(name: string, owner: string): Promise<void> {
    const sql = `UPDATE ${this.#db.schema}.followers SET owner = NULL, held_until = 0 WHERE name = $1 AND owner = $2`;
    await this.#db.run(sql, [name, owner]);
  }

  async touches({ seq, id }: Touch, limit: number): Promise<readonly Touch[]> {
    const { schema } = this.#db;
    const last = await lastTouch(this.#db, schema);
    const rows = await this.#db.all(
      `SELECT touched AS seq, id FROM ${schema}.urls
       WHERE touched IS NOT NULL AND (touched, id) > ($1::bigint, $2::bigint) AND touched <= $3::bigint
       ORDER BY touched, id LIMIT $4`,
      [seq, id, last, limit],
    );
    return rows as readonly Touch[];
  }
}
