/**
 * Counts the known URLs of each path pattern, for the budgets against endless URL spaces. The counts of the patterns of
 * new URLs stay locked until the URLs are written, so that two workers cannot both use the rest of one budget.
 *
 * The partner for SQLite is store/sqlite/discovery/pattern-budgets.ts;
 * the shared contract test is test/store/contract/seen.ts.
 */
import type { Reason } from '../../../core/reasons.ts';
import type { FoundUrl } from '../../contract.ts';
import { judgeBudget, patternKey } from '../../rules/pattern-budget-rule.ts';
import { bytes, numbers } from '../connection/arrays.ts';
import type { Session } from '../connection/database.ts';

interface Patterned {
  readonly name: string;
  readonly hostId: number;
  readonly found: FoundUrl;
}

interface Count {
  readonly hostId: number;
  readonly key: Buffer;
  known: number;
  added: number;
}

export class PatternBudgets {
  readonly #session: Session;
  readonly #schema: string;
  readonly #counts = new Map<string, Count>();

  constructor(session: Session, schema: string) {
    this.#session = session;
    this.#schema = schema;
  }

  /** Reads and locks the counts of all patterns of these URLs. */
  async hold(places: readonly Patterned[]): Promise<void> {
    for (const { hostId, found } of places) {
      const key = patternKey(found.pattern!);
      this.#counts.set(`${hostId} ${key}`, { hostId, key: Buffer.from(key, 'hex'), known: 0, added: 0 });
    }
    const counts = [...this.#counts.values()].sort((a, b) => a.hostId - b.hostId || a.key.compare(b.key));
    const rows = await this.#session.all(
      `INSERT INTO ${this.#schema}.patterns AS p (host_id, pattern, count)
       SELECT *, 0 FROM unnest($1::bigint[], $2::bytea[])
       ON CONFLICT (host_id, pattern) DO UPDATE SET count = p.count RETURNING host_id, encode(pattern, 'hex') AS pattern, count`,
      [numbers(counts.map(({ hostId }) => hostId)), bytes(counts.map(({ key }) => key))],
    );
    for (const { host_id, pattern, count } of rows) this.#counts.get(`${host_id} ${pattern}`)!.known = count;
  }

  /** Counts one more URL. Returns the reason to leave it out if it exceeds the budget. */
  judge({ hostId, found }: Patterned, patternBudget: number): Reason | null {
    const count = this.#counts.get(`${hostId} ${patternKey(found.pattern!)}`)!;
    return judgeBudget(found, count.known + ++count.added, patternBudget);
  }

  /** Called when another worker has made the URL known meanwhile. */
  takeBack({ hostId, found }: Patterned): void {
    this.#counts.get(`${hostId} ${patternKey(found.pattern!)}`)!.added--;
  }

  async write(): Promise<void> {
    const counts = [...this.#counts.values()].filter(({ added }) => added > 0);
    if (counts.length === 0) return;
    await this.#session.run(
      `UPDATE ${this.#schema}.patterns p SET count = p.count + n.added
       FROM unnest($1::bigint[], $2::bytea[], $3::bigint[]) AS n(host_id, pattern, added)
       WHERE p.host_id = n.host_id AND p.pattern = n.pattern`,
      [
        numbers(counts.map(({ hostId }) => hostId)),
        bytes(counts.map(({ key }) => key)),
        numbers(counts.map(({ added }) => added)),
      ],
    );
  }
}
