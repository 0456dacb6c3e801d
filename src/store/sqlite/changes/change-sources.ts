/**
 * Change sources: the times of changes in sitemaps and feeds, and how often they were right. In: the times
 * that a source gives with its links, and visits to the pages that it lists. Out: the claim in the visit of
 * the page, and counts by host.
 *
 * What always holds: a source counts only for its own host. A claim only rises, and is at most the current time. So a
 * source with false claims harms only its own reputation, and cannot harm another host. Counts fade: recent behaviour
 * has the most weight. Runs inside the caller's transaction.
 *
 * The partner for PostgreSQL is store/postgres/changes/change-sources.ts;
 * the shared contract test is test/store/contract/sources.ts.
 */
import { targetOf } from '../../../graph/link-list.ts';
import type { Finding, SourceRecord, UrlResult } from '../../contract.ts';
import { claimedTime, MOST_JUDGED, noOutcomes, type Outcome, outcomeOf } from '../../rules/source-claims.ts';
import { TableAccess } from '../table-access.ts';
import type { Visit } from './visits.ts';

const faded = (count: string) =>
  `${count} = (${count} + excluded.${count}) /
         CASE WHEN missed + excluded.missed + quiet + excluded.quiet > ${MOST_JUDGED} THEN 2 ELSE 1 END`;

export class ChangeSources extends TableAccess {
  /** Whether there may be claims for URLs without a visit; null while this is not known. */
  #hasNoted: boolean | null = null;
  /** Outcomes of this transaction, by host. */
  readonly #outcomes = new Map<number, Record<Outcome, number>>();
  readonly #claim = this.db.prepare(
    'UPDATE visits SET claimed_at = ?1, orphaned_at = NULL WHERE url_id = ?2 AND host_id = ?3 AND claimed_at < ?1',
  );
  readonly #unclaim = this.db.prepare(
    'UPDATE visits SET claimed_at = 0, claim_seen = 0 WHERE url_id = ? AND host_id = ? AND claimed_at > 0',
  );
  readonly #dropClaim = this.db.prepare(
    'DELETE FROM claims WHERE url_id = ?1 AND EXISTS (SELECT 1 FROM urls WHERE id = ?1 AND host_id = ?2)',
  );
  readonly #noteClaim = this.db.prepare(
    `INSERT INTO claims (url_id, claimed_at) SELECT id, ?2 FROM urls WHERE id = ?1 AND host_id = ?3
       AND NOT EXISTS (SELECT 1 FROM visits WHERE url_id = ?1)
     ON CONFLICT DO UPDATE SET claimed_at = max(claimed_at, excluded.claimed_at)`,
  );
  readonly #takeClaim = this.db.prepare('DELETE FROM claims WHERE url_id = ? RETURNING claimed_at');
  readonly #anyClaim = this.db.prepare('SELECT 1 FROM claims LIMIT 1');
  readonly #count = this.db.prepare(
    `INSERT INTO sources (host_id, confirmed, false_alarms, missed, quiet) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET ${['confirmed', 'false_alarms', 'missed', 'quiet'].map(faded).join()}`,
  );
  readonly #all = this.db.prepare(
    `SELECT s.host_id AS hostId, h.host, s.confirmed, s.false_alarms AS falseAlarms, s.missed, s.quiet
     FROM sources s JOIN hosts h ON h.id = s.host_id ORDER BY s.host_id`,
  );

  /** Called with a result that counts, and with the ids of its found links. */
  recordClaims(
    { hostId, knownLinks, knownTimesMs, foundTimesMs }: UrlResult,
    found: readonly number[],
    nowMs: number,
  ): void {
    for (const [i, timeMs] of knownTimesMs?.entries() ?? []) {
      const value = knownLinks[i];
      if (value !== undefined) this.#recordClaim(targetOf(value), hostId, timeMs, nowMs);
    }
    for (const [i, timeMs] of foundTimesMs?.entries() ?? []) {
      const id = found[i];
      if (id !== undefined) this.#recordClaim(id, hostId, timeMs, nowMs);
    }
  }

  #recordClaim(id: number, hostId: number, timeMs: number, nowMs: number): void {
    const claimedAt = claimedTime(timeMs, nowMs);
    if (claimedAt === null) return;
    if (this.#claim.run(claimedAt, id, hostId).changes > 0) return;
    if (this.#noteClaim.run(id, claimedAt, hostId).changes > 0) this.#hasNoted = true;
  }

  /** Called when a URL gets its visit row: earlier claims move there. Most crawls find no sitemap and pay nothing. */
  moveClaim(id: number, hostId: number): void {
    this.#hasNoted ??= this.#anyClaim.get() !== undefined;
    if (!this.#hasNoted) return;
    const claim = this.#takeClaim.get(id) as { claimed_at: number } | undefined;
    if (claim) this.#claim.run(claim.claimed_at, id, hostId);
  }

  /**
   * Called when no source of the host lists these URLs any more. Their claims are removed,
   * and silence about them means nothing.
   */
  delist(hostId: number, ids: Iterable<number>): void {
    for (const id of ids) {
      this.#unclaim.run(id, hostId);
      if (this.#hasNoted !== false) this.#dropClaim.run(id, hostId);
    }
  }

  /** Called after a visit, with the visit row as it was before. */
  judge(visit: Visit, finding: Finding): void {
    const outcome = outcomeOf(visit, finding);
    if (outcome === null) return;
    const outcomes = this.#outcomes.get(visit.host_id) ?? noOutcomes();
    this.#outcomes.set(visit.host_id, outcomes);
    outcomes[outcome]++;
  }

  write(): void {
    for (const [hostId, { confirmed, falseAlarms, missed, quiet }] of this.#outcomes) {
      this.#count.run(hostId, confirmed, falseAlarms, missed, quiet);
    }
    this.#outcomes.clear();
  }

  /** Called after a rollback. */
  forget(): void {
    this.#outcomes.clear();
    this.#hasNoted = null;
  }

  all(): SourceRecord[] {
    return (this.#all.all() as unknown as SourceRecord[]).map((row) => ({ ...row }));
  }
}
