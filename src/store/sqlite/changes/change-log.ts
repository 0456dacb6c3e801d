/**
 * The change log: one row for each event of a page, under a number that only grows.
 * Writes run inside the caller's transaction.
 *
 * The partner for PostgreSQL is store/postgres/changes/change-log.ts;
 * the shared contract test is test/store/contract/changes.ts.
 */
import { CHANGE_KINDS, type ChangeEntry, type NewChange } from '../../contract.ts';
import { TableAccess } from '../table-access.ts';

interface ChangeRow extends Omit<ChangeEntry, 'kind'> {
  readonly kind: number;
}

const ENTRY = `SELECT c.seq, c.url_id AS id, u.url, c.at AS atMs, c.kind, c.title, c.reason, c.change`;

export class ChangeLog extends TableAccess {
  readonly #insert = this.db.prepare(
    'INSERT INTO changes (url_id, at, kind, reason, title, change) VALUES (?, ?, ?, ?, ?, ?)',
  );
  readonly #after = this.db.prepare(
    `${ENTRY} FROM changes c JOIN urls u ON u.id = c.url_id WHERE c.seq > ? ORDER BY c.seq LIMIT ?`,
  );
  readonly #ofUrl = this.db.prepare(
    `${ENTRY} FROM hosts h JOIN urls u ON u.host_id = h.id JOIN changes c ON c.url_id = u.id
     WHERE h.host = ? AND u.key = ? ORDER BY c.seq DESC LIMIT ?`,
  );
  readonly #last = this.db.prepare('SELECT coalesce(max(seq), 0) AS seq FROM changes');

  add({ id, kind, atMs, title, reason = null, change = null }: NewChange): void {
    this.#insert.run(id, atMs, CHANGE_KINDS.indexOf(kind), reason, title, change);
  }

  after(seq: number, limit: number): ChangeEntry[] {
    return (this.#after.all(seq, limit) as unknown as ChangeRow[]).map(toEntry);
  }

  of(host: string, key: string, limit: number): ChangeEntry[] {
    return (this.#ofUrl.all(host, Buffer.from(key, 'hex'), limit) as unknown as ChangeRow[]).map(toEntry);
  }

  last(): number {
    return (this.#last.get() as { seq: number }).seq;
  }
}

function toEntry({ seq, id, url, atMs, kind, title, reason, change }: ChangeRow): ChangeEntry {
  return { seq, id, url, atMs, kind: CHANGE_KINDS[kind]!, title, reason, change };
}
