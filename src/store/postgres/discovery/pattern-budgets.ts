/**
 * Counts new URLs against the budgets of their path patterns (rules/pattern-budget-rule.ts). The counts of the patterns
 * of new URLs stay locked until the URLs are written, so that two workers cannot both use the rest of one budget.
 *
 * The partner for SQLite is store/sqlite/discovery/pattern-budgets.ts;
 * the shared contract test is test/store/contract/budgets.ts.
 */
import type { Reason } from '../../../core/reasons.ts';
import type { FoundUrl, PatternUse } from '../../contract.ts';
import { judgeBudget, OVER_BUDGET, patternKey } from '../../rules/pattern-budget-rule.ts';
import { bytes, numbers } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';

interface Patterned {
  readonly name: string;
  readonly hostId: number;
  readonly found: FoundUrl;
}

interface HeldUse {
  readonly hostId: number;
  readonly key: Buffer;
  use: PatternUse;
  added: number;
  leftOut: number;
}

export interface PatternRow extends Record<string, unknown> {
  readonly host_id: number;
  /** In hexadecimal digits. */
  readonly pattern: string;
  readonly known: number;
  readonly left_out: number;
  readonly answered: number;
  readonly productive: number;
  readonly barren: number;
}

const UNUSED: PatternUse = { known: 0, leftOut: 0, answered: 0, productive: 0, barren: 0 };

/** SQL: the uses of the patterns in `p`, which has the columns of the table of patterns. */
export function usesOf(schema: string, p: string): string {
  return `SELECT p.host_id, encode(p.pattern, 'hex') AS pattern, p.count AS known, p.left_out, a.answered, a.productive, a.barren
    FROM ${p} p, LATERAL (SELECT coalesce(sum(answered), 0)::bigint AS answered,
      coalesce(sum(productive), 0)::bigint AS productive, coalesce(sum(barren), 0)::bigint AS barren
      FROM ${schema}.pattern_answers o WHERE o.host_id = p.host_id AND o.pattern = p.pattern) a`;
}

export function toUse({ known, left_out, answered, productive, barren }: PatternRow): PatternUse {
  return { known, leftOut: left_out, answered, productive, barren };
}

export class PatternBudgets {
  readonly #session: Session;
  readonly #schema: string;
  readonly #uses = new Map<string, HeldUse>();

  constructor(session: Session, schema: string) {
    this.#session = session;
    this.#schema = schema;
  }

  /** Reads and locks the counts of all patterns of these URLs. */
  async hold(places: readonly Patterned[]): Promise<void> {
    for (const { hostId, found } of places) {
      const key = patternKey(found.pattern!);
      this.#uses.set(`${hostId} ${key}`, { hostId, key: Buffer.from(key, 'hex'), use: UNUSED, added: 0, leftOut: 0 });
    }
    const held = [...this.#uses.values()].sort((a, b) => a.hostId - b.hostId || a.key.compare(b.key));
    const rows = await this.#session.all<PatternRow>(
      `WITH held AS (INSERT INTO ${this.#schema}.patterns AS p (host_id, pattern, count)
         SELECT *, 0 FROM unnest($1::bigint[], $2::bytea[])
         ON CONFLICT (host_id, pattern) DO UPDATE SET count = p.count RETURNING *)
       ${usesOf(this.#schema, 'held')}`,
      [numbers(held.map(({ hostId }) => hostId)), bytes(held.map(({ key }) => key))],
    );
    for (const row of rows) this.#uses.get(`${row.host_id} ${row.pattern}`)!.use = toUse(row);
  }

  /** Counts one more URL. Returns the reason to leave it out if it exceeds the budget. */
  judge(patterned: Patterned, patternBudget: number): Reason | null {
    const held = this.#of(patterned);
    const skip = judgeBudget(patterned.found, held.use, patternBudget);
    this.#count(held, 1, skip);
    return skip;
  }

  /** Called when another worker has made the URL known meanwhile. `skip` is what `judge` returned. */
  takeBack(patterned: Patterned, skip: Reason | null): void {
    this.#count(this.#of(patterned), -1, skip);
  }

  async write(): Promise<void> {
    const changed = [...this.#uses.values()].filter(({ added }) => added > 0);
    if (changed.length === 0) return;
    await this.#session.run(
      `UPDATE ${this.#schema}.patterns p SET count = p.count + n.added, left_out = p.left_out + n.left_out
       FROM unnest($1::bigint[], $2::bytea[], $3::bigint[], $4::bigint[]) AS n(host_id, pattern, added, left_out)
       WHERE p.host_id = n.host_id AND p.pattern = n.pattern`,
      [
        numbers(changed.map(({ hostId }) => hostId)),
        bytes(changed.map(({ key }) => key)),
        numbers(changed.map(({ added }) => added)),
        numbers(changed.map(({ leftOut }) => leftOut)),
      ],
    );
  }

  #of({ hostId, found }: Patterned): HeldUse {
    return this.#uses.get(`${hostId} ${patternKey(found.pattern!)}`)!;
  }

  #count(held: HeldUse, by: 1 | -1, skip: Reason | null): void {
    const leftOut = skip === OVER_BUDGET ? by : 0;
    held.added += by;
    held.leftOut += leftOut;
    held.use = { ...held.use, known: held.use.known + by, leftOut: held.use.leftOut + leftOut };
  }
}
