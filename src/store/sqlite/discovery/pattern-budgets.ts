/**
 * How many URLs of each path pattern are known, for the budget of endless spaces. New URLs come by the thousand and their
 * patterns by the dozen, so counts are kept at hand and written once a commit.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { patternKey } from '../pattern-key.ts';

/** Counts at hand; the rest are asked of the database again. */
const MAX_CACHED = 20_000;

interface Count {
  readonly hostId: number;
  readonly key: Buffer;
  known: number;
}

export class PatternBudgets {
  readonly #select: StatementSync;
  readonly #write: StatementSync;
  readonly #counts = new Map<string, Count>();
  /** Not written yet. */
  readonly #changed = new Set<Count>();

  constructor(db: DatabaseSync) {
    this.#select = db.prepare('SELECT count FROM patterns WHERE host_id = ? AND pattern = ?');
    this.#write = db.prepare('INSERT OR REPLACE INTO patterns (host_id, pattern, count) VALUES (?, ?, ?)');
  }

  /** Counts one more URL of a pattern at a host; returns how many there are. */
  add(hostId: number, pattern: string): number {
    const name = `${hostId} ${pattern}`;
    let count = this.#counts.get(name);
    if (count === undefined) {
      count = this.#load(hostId, pattern);
      this.#counts.set(name, count);
    }
    count.known++;
    this.#changed.add(count);
    return count.known;
  }

  /** Inside the transaction that made the URLs known. */
  write(): void {
    for (const { hostId, key, known } of this.#changed) this.#write.run(hostId, key, known);
    this.#changed.clear();
    if (this.#counts.size > MAX_CACHED) this.#counts.clear();
  }

  /** The transaction was rolled back. */
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
