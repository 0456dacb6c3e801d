/**
 * Followers: their positions and leases, and the pages that commits touched. Writes run inside the caller's
 * transaction.
 *
 * The partner for PostgreSQL is store/postgres/changes/followers.ts;
 * the shared contract test is test/store/contract/followers.ts.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { FollowerHold, FollowerMove, FollowerRecord, Touch } from '../../contract.ts';
import { TableAccess } from '../table-access.ts';
import type { ChangeLog } from './change-log.ts';

const RECORD = 'name, version, position, owner, held_until AS heldUntilMs';

export class FollowerTable extends TableAccess {
  readonly #changes: ChangeLog;
  readonly #all = this.db.prepare(`SELECT ${RECORD} FROM followers ORDER BY name`);
  readonly #hold = this.db.prepare(
    `INSERT INTO followers (name, version, owner, held_until) VALUES (:name, :version, :owner, :until)
     ON CONFLICT DO UPDATE SET owner = :owner, held_until = :until, version = :version,
       position = CASE WHEN version = :version THEN position END
     WHERE owner IS NULL OR owner = :owner OR held_until <= :now RETURNING ${RECORD}`,
  );
  readonly #move = this.db.prepare('UPDATE followers SET position = ? WHERE name = ? AND owner = ?');
  readonly #release = this.db.prepare('UPDATE followers SET owner = NULL, held_until = 0 WHERE name = ? AND owner = ?');
  /** SQLite would not use the index for a comparison of both columns at once. */
  readonly #touchesIn = this.db.prepare(
    'SELECT touched AS seq, id FROM urls WHERE touched = ? AND id > ? ORDER BY id LIMIT ?',
  );
  readonly #touchesAfter = this.db.prepare(
    'SELECT touched AS seq, id FROM urls WHERE touched > ? ORDER BY touched, id LIMIT ?',
  );

  constructor(db: DatabaseSync, changes: ChangeLog) {
    super(db);
    this.#changes = changes;
  }

  all(): FollowerRecord[] {
    return (this.#all.all() as unknown as FollowerRecord[]).map((row) => ({ ...row }));
  }

  hold({ name, version, owner, nowMs, leaseMs }: FollowerHold): FollowerRecord | null {
    const [row] = this.#hold.all({ name, version, owner, now: nowMs, until: nowMs + leaseMs });
    return row === undefined ? null : { ...(row as unknown as FollowerRecord) };
  }

  move({ name, owner, position, described = [] }: FollowerMove): boolean {
    if (this.#move.run(position, name, owner).changes === 0) return false;
    this.#changes.describe(described);
    return true;
  }

  release(name: string, owner: string): void {
    this.#release.run(name, owner);
  }

  touches({ seq, id }: Touch, limit: number): Touch[] {
    const same = this.#touchesIn.all(seq, id, limit);
    const later = same.length < limit ? this.#touchesAfter.all(seq, limit - same.length) : [];
    return ([...same, ...later] as unknown as Touch[]).map((row) => ({ ...row }));
  }
}

/** Called when the only process that may write opens the database: leases of earlier processes are void. */
export function dropFollowerLeases(db: DatabaseSync): void {
  db.exec('UPDATE followers SET owner = NULL, held_until = 0 WHERE owner IS NOT NULL');
}
