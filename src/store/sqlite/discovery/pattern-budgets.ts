/**
 * Counts the known URLs of each path pattern, for the budget of endless URL spaces. New URLs come by the thousand, but
 * their patterns by the dozen, so the counts are cached and written once per commit.
 *
 * The partner for PostgreSQL is store/postgres/discovery/pattern-budgets.ts;
 * the shared contract test is test/store/contract/seen.ts.
 */
import { patternKey } from '../../rules/pattern-budget-rule.ts';
import { TableAccess } from '../table-access.ts';

/** Number of cached counts; others are read from the database again. */
const MAX_CACHED = 20_000;

interface Count {
  readonly hostId: number;
  readonly key: Buffer;
  known: number;
}

export class PatternBudgets extends TableAccess {
  readonly #counts = new Map<string, Count>();
  /** Counts that are not written yet. */
  readonly #changed = new Set<Count>();
  readonly #select = this.db.prepare('SELECT count FROM patterns WHERE host_id = ? AND pattern = ?');
  readonly #write = this.db.prepare('INSERT OR REPLACE INTO patterns (host_id, pattern, count) VALUES (?, ?, ?)');

  /** Counts one more URL of a pattern at a host, and returns the new number. With `by` 0, only reads the number. */
  add(hostId: number, pattern: string, by: 0 | 1 = 1): number {
    const name = `${hostId} ${pattern}`;
    let count = this.#counts.get(name);
    if (count === undefined) {
      count = this.#load(hostId, pattern);
      this.#counts.set(name, count);
    }
    count.known += by;
    if (by > 0) this.#changed.add(count);
    return count.known;
  }

  /** Called inside the transaction that made the URLs known. */
  write(): void {
    for (const { hostId, key, known } of this.#changed) this.#write.run(hostId, key, known);
    this.#changed.clear();
    if (this.#counts.size > MAX_CACHED) this.#counts.clear();
  }

  /** Called after a rollback. */
  forget(): void {
    this.#changed.clear();
    this.#counts.clear();
  }

  #load(hostId: number, pattern: string): Count {
    const key = Buffer.from(patternKey(pattern), 'hex');
    const row = this.#select.get(hostId, key) as { count: number } | undefined;
    return { hostId, key, known: row?.count ?? 0 };
  }
}
