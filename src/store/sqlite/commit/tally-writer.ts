/**
 * Writes the counts of a transaction (store/rules/tally.ts), and the time at which each touched host is ready.
 *
 * The partner for PostgreSQL is store/postgres/leases/tally-writer.ts;
 * the shared contract test is test/store/contract/counts.ts.
 */
import type { Tally } from '../../rules/tally.ts';
import { TableAccess } from '../table-access.ts';

export class TallyWriter extends TableAccess {
  readonly #total = this.db.prepare(
    'INSERT INTO totals (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value',
  );
  // A host without a lease becomes ready when a URL waits there. A leased host keeps the end of its lease.
  readonly #host = this.db.prepare(
    `UPDATE hosts SET waiting = waiting + ?1, fetched = fetched + ?2, failed = failed + ?3,
       ready_at = CASE WHEN lease_owner IS NULL AND ?1 > 0
         THEN min(coalesce(ready_at, 9e15), max(?4, blocked_until, asked_at + coalesce(delay_ms, 0))) ELSE ready_at END
     WHERE id = ?5`,
  );

  write(tally: Tally, nowMs: number): void {
    for (const [name, amount] of tally.totals()) this.#total.run(name, amount);
    for (const [hostId, delta] of tally.hosts()) {
      this.#host.run(delta.waiting, delta.fetched, delta.failed, nowMs, hostId);
    }
  }
}
