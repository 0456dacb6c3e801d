/**
 * Counts the answers of a commit for the budgets of path patterns (rules/pattern-budget-rule.ts).
 *
 * They are in rows of their own, one per pattern and slot of a worker. A commit holds its hosts when it counts answers,
 * and a discovery holds patterns when it comes to the hosts: with common rows they would deadlock.
 *
 * The partner for SQLite is store/sqlite/discovery/pattern-budgets.ts;
 * the shared contract test is test/store/contract/budgets.ts.
 */
import type { UrlResult, UrlState } from '../../contract.ts';
import {
  AnswersByPattern,
  type Finder,
  finderOf,
  isNew,
  type PatternAnswers,
  patternKey,
} from '../../rules/pattern-budget-rule.ts';
import { bytes, numbers } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';
import type { CountedStore } from '../leases/tally-writer.ts';

export class ResultAnswers {
  readonly #answers = new AnswersByPattern();
  /** The pages on which pages with something new were found, and these pages. */
  readonly #found: { readonly via: number; readonly url: string }[] = [];

  add(result: UrlResult, state: UrlState, via: number | null): void {
    this.#answers.add(result, state);
    if (via !== null && isNew(result.page, state)) this.#found.push({ via, url: result.url });
  }

  /** Returns what was written. Must come near the end of the transaction: the rows stay locked. */
  async write(session: Session, store: CountedStore): Promise<readonly PatternAnswers[]> {
    if (this.#found.length > 0) {
      const rows = await session.all<{ id: number; hostId: number; url: string }>(
        `SELECT id, host_id AS "hostId", url FROM ${store.schema}.urls WHERE id = ANY($1::bigint[])`,
        [numbers(new Set(this.#found.map(({ via }) => via)))],
      );
      const finders = new Map<number, Finder>(rows.map((row) => [row.id, finderOf(row)]));
      for (const { via, url } of this.#found) this.#answers.addTo(finders.get(via)!, url);
    }
    await countAnswers(session, store, this.#answers.all);
    return this.#answers.all;
  }
}

async function countAnswers(
  session: Session,
  { schema, slot }: CountedStore,
  answers: readonly PatternAnswers[],
): Promise<void> {
  if (answers.length === 0) return;
  const keyed = answers.map((each) => ({ ...each, key: Buffer.from(patternKey(each.pattern), 'hex') }));
  keyed.sort((a, b) => a.hostId - b.hostId || a.key.compare(b.key));
  const keys = [slot, numbers(keyed.map(({ hostId }) => hostId)), bytes(keyed.map(({ key }) => key))];
  const table = `${schema}.pattern_answers`;
  await Promise.all([
    session.run(
      `INSERT INTO ${table} (slot, host_id, pattern) SELECT $1::smallint, * FROM unnest($2::bigint[], $3::bytea[])
       ON CONFLICT DO NOTHING`,
      keys,
    ),
    session.run(
      `UPDATE ${table} a SET answered = a.answered + n.answered, productive = a.productive + n.productive,
         barren = greatest(0, a.barren + n.barren)
       FROM unnest($2::bigint[], $3::bytea[], $4::bigint[], $5::bigint[], $6::bigint[])
         AS n(host_id, pattern, answered, productive, barren)
       WHERE a.host_id = n.host_id AND a.pattern = n.pattern AND a.slot = $1::smallint`,
      [
        ...keys,
        numbers(keyed.map(({ answered }) => answered)),
        numbers(keyed.map(({ productive }) => productive)),
        numbers(keyed.map(({ barren }) => barren)),
      ],
    ),
  ]);
}
