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
import type { ChangeDescription, NewChange } from '../../contract.ts';
import { toChangeRow } from '../../records/change-rows.ts';
import { takeCrawlLock } from '../connection/advisory-locks.ts';
import { numbers, texts } from '../connection/arrays.ts';
import type { Session } from '../connection/session.ts';
import type { WorkingSet } from '../rows/working-set.ts';

type Entry = ReturnType<typeof toChangeRow> & { readonly hostId: number };

export class ChangeLog {
  readonly #set: WorkingSet;
  readonly #entries: Entry[] = [];

  constructor(set: WorkingSet) {
    this.#set = set;
  }

  add(hostId: number, change: NewChange): void {
    this.#entries.push({ hostId, ...toChangeRow(change) });
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
      `INSERT INTO ${schema}.changes (seq, url_id, host_id, at, kind, reason, title, change, level, touches, edit)
       SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::smallint[], $6::text[], $7::text[],
         $8::text[], $9::smallint[], $10::smallint[], $11::text[])`,
      [
        numbers(taken.map(({ seq }) => seq)),
        numbers(entries.map(({ id }) => id)),
        numbers(entries.map(({ hostId }) => hostId)),
        numbers(entries.map(({ at }) => at)),
        numbers(entries.map(({ kind }) => kind)),
        texts(entries.map(({ reason }) => reason)),
        texts(entries.map(({ title }) => title)),
        texts(entries.map(({ change }) => change)),
        numbers(entries.map(({ level }) => level)),
        numbers(entries.map(({ part }) => part)),
        texts(entries.map(({ edit }) => edit)),
      ],
    );
  }
}

/** A change that is described already keeps its description. */
export async function describeIn(
  session: Session,
  schema: string,
  descriptions: readonly ChangeDescription[],
): Promise<void> {
  await session.run(
    `UPDATE ${schema}.changes c SET change = d.change
     FROM unnest($1::bigint[], $2::text[]) AS d (seq, change) WHERE c.seq = d.seq AND c.change IS NULL`,
    [numbers(descriptions.map(({ seq }) => seq)), texts(descriptions.map(({ change }) => change))],
  );
}
