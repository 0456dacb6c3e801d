/**
 * The counts that a transaction changes, gathered in memory and written once at its end: totals of the crawl, and each
 * touched host's numbers and the time it is ready. So counting costs a few statements a batch, not several a URL, and
 * `status` never has to count rows.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Reason } from '../../core/reasons.ts';
import type { UrlState } from '../contract.ts';

interface HostDelta {
  waiting: number;
  fetched: number;
  failed: number;
}

export class Tally {
  discovered = 0;
  readonly #totals = new Map<string, number>();
  readonly #hosts = new Map<number, HostDelta>();

  add(name: string, amount: number): void {
    if (amount !== 0) this.#totals.set(name, (this.#totals.get(name) ?? 0) + amount);
  }

  enters(hostId: number, state: UrlState, reason: Reason | null): void {
    this.#change(hostId, state, reason, 1);
  }

  leaves(hostId: number, state: UrlState, reason: Reason | null): void {
    this.#change(hostId, state, reason, -1);
  }

  #change(hostId: number, state: UrlState, reason: Reason | null, by: number): void {
    this.add(`state/${state}`, by);
    if (reason !== null) this.add(`reason/${reason}`, by);
    let delta = this.#hosts.get(hostId);
    if (!delta) {
      delta = { waiting: 0, fetched: 0, failed: 0 };
      this.#hosts.set(hostId, delta);
    }
    if (state === 'waiting') delta.waiting += by;
    else if (state === 'fetched' || state === 'duplicate') delta.fetched += by;
    else if (state === 'failed') delta.failed += by;
  }

  *totals(): Iterable<readonly [string, number]> {
    yield* this.#totals;
  }

  *hosts(): Iterable<readonly [number, HostDelta]> {
    yield* this.#hosts;
  }
}

export class TallyWriter {
  readonly #total: StatementSync;
  readonly #host: StatementSync;

  constructor(db: DatabaseSync) {
    this.#total = db.prepare(
      'INSERT INTO totals (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value',
    );
    // A host that nobody holds becomes ready when something waits there; one that is leased stays so.
    this.#host = db.prepare(
      `UPDATE hosts SET waiting = waiting + ?1, fetched = fetched + ?2, failed = failed + ?3,
         ready_at = CASE WHEN lease_owner IS NULL AND ?1 > 0
           THEN min(coalesce(ready_at, 9e15), max(?4, blocked_until, asked_at + coalesce(delay_ms, 0))) ELSE ready_at END
       WHERE id = ?5`,
    );
  }

  write(tally: Tally, nowMs: number): void {
    for (const [name, amount] of tally.totals()) this.#total.run(name, amount);
    for (const [hostId, delta] of tally.hosts()) {
      this.#host.run(delta.waiting, delta.fetched, delta.failed, nowMs, hostId);
    }
  }
}
