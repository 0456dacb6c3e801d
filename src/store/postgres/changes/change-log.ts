/**
 * The log of changes to pages: one row for each change, with a number that only grows.
 *
 * What always holds: the numbers follow the order in which commits end, across all workers. A transaction takes its
 * numbers as its last step, and only one transaction at a time takes numbers. So a reader that has read up to a number
 * never misses a smaller number that is committed later.
 *
 * The partner for SQLite is store/sqlite/changes/change-log.ts; the
 * shared contract test is test/store/contract/changes.ts.
 */
import { CHANGE_KINDS, type NewChange } from '../../contract.ts';
import { takeCrawlLock } from '../connection/advisory-locks.ts';
import { numbers, texts } from '../connection/arrays.ts';
import type { WorkingSet } from '../rows/working-set.ts';

interface Entry extends Required<NewChange> {
  readonly hostId: number;
}

export class ChangeLog {
  readonly #set: WorkingSet;
  readonly #entries: Entry[] = [];

  constructor(set: WorkingSet) {
    this.#set = set;
  }

  add(hostId: number, { id, kind, atMs, title, reason = null, change = null }: NewChange): void {
    this.#entries.push({ hostId, id, atMs, kind, title, reason, change });
  }

  /** Must be the last step of the transaction, because other transactions wait for the lock. */
  async write(): Promise<void> {
    if (this.#entries.length === 0) return;
    const { session, schema } = this.#set;
    const entries = this.#entries.splice(0);
    const [, taken] = await Promise.all([
      takeCrawlLock(session, schema, 'numbering', 'alone'),
      session.all(`SELECT nextval('${schema}.change_seqs') AS seq FROM generate_series(1, $1)`, [entries.length]),
    ]);
    await session.run(
      `INSERT INTO ${schema}.changes (seq, url_id, host_id, at, kind, reason, title, change)
       SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::smallint[], $6::text[], $7::text[], $8::text[])`,
      [
        numbers(taken.map(({ seq }) => seq)),
        numbers(entries.map(({ id }) => id)),
        numbers(entries.map(({ hostId }) => hostId)),
        numbers(entries.map(({ atMs }) => Math.ceil(atMs))),
        numbers(entries.map(({ kind }) => CHANGE_KINDS.indexOf(kind))),
        texts(entries.map(({ reason }) => reason)),
        texts(entries.map(({ title }) => title)),
        texts(entries.map(({ change }) => change)),
      ],
    );
  }
}
