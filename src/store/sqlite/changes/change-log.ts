/**
 * The change log: one row for each event of a page, under a number that only grows.
 * Writes run inside the caller's transaction.
 *
 * The partner for PostgreSQL is store/postgres/changes/change-log.ts;
 * the shared contract test is test/store/contract/changes.ts.
 */
import {
  CHANGE_KINDS,
  type ChangeDescription,
  type ChangeEntry,
  type EditRange,
  type NewChange,
  type SharedEdit,
} from '../../contract.ts';
import {
  type ChangeRow,
  EDIT_COLUMNS,
  EDIT_EXAMPLES,
  type EditRow,
  MAY_SHARE,
  toChangeEntry,
  toChangeRow,
  toSharedEdit,
} from '../../records/change-rows.ts';
import { TableAccess } from '../table-access.ts';

const ENTRY = `SELECT c.seq, c.url_id AS id, u.url, c.at, c.kind, c.title, c.reason, c.change, c.level, c.touches AS part, c.edit`;
const CHANGED = CHANGE_KINDS.indexOf('changed');
const MOST_FIRST = 'GROUP BY edit HAVING count(DISTINCT url_id) >= ?3 ORDER BY pages DESC, first LIMIT ?4';

export class ChangeLog extends TableAccess {
  readonly #insert = this.db.prepare(
    `INSERT INTO changes (url_id, at, kind, reason, title, change, level, touches, edit)
     VALUES (:id, :at, :kind, :reason, :title, :change, :level, :part, :edit)`,
  );
  readonly #after = this.db.prepare(
    `${ENTRY} FROM changes c JOIN urls u ON u.id = c.url_id WHERE c.seq > ? ORDER BY c.seq LIMIT ?`,
  );
  readonly #ofUrl = this.db.prepare(
    `${ENTRY} FROM hosts h JOIN urls u ON u.host_id = h.id JOIN changes c ON c.url_id = u.id
     WHERE h.host = ? AND u.key = ? ORDER BY c.seq DESC LIMIT ?`,
  );
  readonly #describe = this.db.prepare('UPDATE changes SET change = ? WHERE seq = ? AND change IS NULL');
  readonly #last = this.db.prepare('SELECT coalesce(max(seq), 0) AS seq FROM changes');

  // The range is read by its numbers: the index would read the edits of all rounds.
  readonly #shared = this.db.prepare(
    `SELECT ${EDIT_COLUMNS} FROM changes NOT INDEXED WHERE seq > ?1 AND seq <= ?2 AND ${MAY_SHARE} ${MOST_FIRST}`,
  );
  readonly #sharedAmong = this.db.prepare(
    `SELECT ${EDIT_COLUMNS} FROM changes WHERE edit IN (SELECT value FROM json_each(?5)) AND seq > ?1 AND seq <= ?2
       AND ${MAY_SHARE} ${MOST_FIRST}`,
  );
  readonly #examples = this.db.prepare(
    `SELECT u.url FROM changes c JOIN urls u ON u.id = c.url_id
     WHERE c.edit = ? AND c.seq >= ? AND c.seq <= ? AND c.kind = ${CHANGED} ORDER BY c.seq LIMIT ${EDIT_EXAMPLES}`,
  );

  add(change: NewChange): void {
    this.#insert.run({ ...toChangeRow(change) });
  }

  describe(descriptions: readonly ChangeDescription[]): void {
    for (const { seq, change } of descriptions) this.#describe.run(change, seq);
  }

  after(seq: number, limit: number): ChangeEntry[] {
    return (this.#after.all(seq, limit) as unknown as ChangeRow[]).map(toChangeEntry);
  }

  of(host: string, key: string, limit: number): ChangeEntry[] {
    return (this.#ofUrl.all(host, Buffer.from(key, 'hex'), limit) as unknown as ChangeRow[]).map(toChangeEntry);
  }

  sharedEdits({ after, through, least, limit, among }: EditRange): SharedEdit[] {
    const range = [after, through, least, limit];
    const rows = among ? this.#sharedAmong.all(...range, JSON.stringify(among)) : this.#shared.all(...range);
    return (rows as unknown as EditRow[]).map((row) => {
      const examples = this.#examples.all(row.edit, row.first, through) as { url: string }[];
      return toSharedEdit(
        row,
        examples.map(({ url }) => url),
      );
    });
  }

  last(): number {
    return (this.#last.get() as { seq: number }).seq;
  }
}
