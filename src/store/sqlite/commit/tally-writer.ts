/**
 * Writes the counts of a transaction (store/rules/tally.ts), the time at which each touched host is ready, and which
 * pages the transaction touched: they get the next number, so that followers find them in the order of commits.
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

  readonly #lastTouch = this.db.prepare(
    'SELECT touched FROM urls WHERE touched IS NOT NULL ORDER BY touched DESC LIMIT 1',
  );
  readonly #touch = this.db.prepare('UPDATE urls SET touched = ? WHERE id = ?');

  write(tally: Tally, nowMs: number): void {
    this.#writeTouched(tally);
    for (const [name, amount] of tally.totals()) this.#total.run(name, amount);
    for (const [hostId, delta] of tally.hosts()) {
      this.#host.run(delta.waiting, delta.fetched, delta.failed, nowMs, hostId);
    }
  }

  /** The number of the transaction. */
  touchSeq(tally: Tally): number {
    tally.touchSeq ??= ((this.#lastTouch.get() as { touched: number } | undefined)?.touched ?? 0) + 1;
    return tally.touchSeq;
  }

  #writeTouched(tally: Tally): void {
    for (const id of tally.takeTouched()) this.#touch.run(this.touchSeq(tally), id);
  }
}
