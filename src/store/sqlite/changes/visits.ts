/**
 * The visits to URLs that have answered: one row per URL, written with the first response and at every later visit.
 *
 * What always holds: a URL that waits, or that was skipped from the beginning, has no row. The row says what the copy
 * has of the URL. Runs inside the caller's transaction.
 *
 * The partner for PostgreSQL is store/postgres/changes/visits.ts;
 * the shared contract test is test/store/contract/visits.ts.
 */
import type { Reason } from '../../../core/reasons.ts';
import { patternOf } from '../../../url/path-shape.ts';
import { URL_STATES, type UrlResult, type UrlState, type VisitUpdate } from '../../contract.ts';
import { type Look, visitKind } from '../../rules/visit-rules.ts';
import { TableAccess } from '../table-access.ts';

/** A row, and the state of its URL. */
export interface Visit {
  readonly host_id: number;
  readonly checked_at: number;
  readonly failures: number;
  readonly claimed_at: number;
  readonly claim_seen: number;
  readonly is_source: number;
  readonly copy_of: number | null;
  readonly state: number;
  readonly reason: Reason | null;
  readonly redirect_to: number | null;
}

export class Visits extends TableAccess {
  readonly #insert = this.db.prepare(
    `INSERT OR REPLACE INTO visits (url_id, host_id, pattern, depth, kind, is_source, checked_at, copy_of)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  readonly #select = this.db.prepare(
    `SELECT v.host_id, v.checked_at, v.failures, v.claimed_at, v.claim_seen, v.is_source, v.copy_of, u.state, u.reason, u.redirect_to
     FROM visits v JOIN urls u ON u.id = v.url_id WHERE v.url_id = ?`,
  );
  readonly #update = this.db.prepare(
    `UPDATE visits SET checked_at = ?1, kind = ?2, is_source = ?3, failures = ?4, not_before = ?5, trouble = ?6,
       claim_seen = CASE WHEN ?7 THEN claimed_at ELSE claim_seen END,
       checks = checks + (?4 = 0), streak = CASE WHEN ?8 THEN streak + 1 WHEN ?4 > 0 THEN streak ELSE 0 END,
       changes = coalesce(?9, changes), changed_log = coalesce(?10, changed_log),
       quiet_ms = coalesce(?11, quiet_ms), interval_ms = coalesce(?12, interval_ms),
       rhythm = coalesce(?14, rhythm)
     WHERE url_id = ?13`,
  );
  readonly #same = this.db.prepare(
    `UPDATE visits SET checked_at = ?1, checks = checks + 1, streak = 0, changes = coalesce(?2, changes),
       changed_log = coalesce(?3, changed_log), quiet_ms = coalesce(?4, quiet_ms), interval_ms = coalesce(?5, interval_ms),
       rhythm = coalesce(?9, rhythm)
     WHERE url_id = ?6 AND host_id = ?7 AND checked_at = ?8 AND failures = 0 AND claimed_at = 0
       AND copy_of IS NULL`,
  );
  readonly #stateOf = this.db.prepare('SELECT state FROM urls WHERE id = ?');
  readonly #delete = this.db.prepare('DELETE FROM visits WHERE url_id = ?');

  /** Writes the row of the first response. `copyOf`: the page of which the page is a copy. */
  begin(result: UrlResult, state: UrlState, depth: number, nowMs: number, copyOf: number | null): void {
    const { id, url, hostId, page, capture } = result;
    const kind = visitKind(state);
    if (kind === null || state === 'skipped') return;
    const checkedAtMs = capture?.fetchedAtMs ?? nowMs;
    const isSource = page?.isSource ? 1 : 0;
    this.#insert.run(id, hostId, patternOf(url), depth, kind, isSource, checkedAtMs, copyOf);
  }

  find(id: number): Visit | null {
    return (this.#select.get(id) as unknown as Visit | undefined) ?? null;
  }

  /**
   * The short path for the most common visit: the content is the same, there was no failure before, no source has a
   * claim, and the page was no copy. Returns the state of the URL; null if the visit is not of this kind.
   */
  sawSame(
    id: number,
    hostId: number,
    sinceMs: number,
    checkedAtMs: number,
    update: VisitUpdate | undefined,
  ): UrlState | null {
    const { changes = null, changedLogMs = null, quietMs = null, intervalMs = null, rhythm = null } = update ?? {};
    const written = this.#same.run(
      ...[checkedAtMs, changes, changedLogMs, quietMs, intervalMs],
      ...[id, hostId, sinceMs, rhythm],
    );
    if (written.changes === 0) return null;
    return URL_STATES[(this.#stateOf.get(id) as { state: number }).state]!;
  }

  look({ update, ...look }: Look): void {
    const kind = visitKind(look.state);
    if (kind === null) {
      this.remove(look.id);
      return;
    }
    this.#update.run(
      look.checkedAtMs,
      kind,
      look.isSource ? 1 : 0,
      look.failures,
      look.notBeforeMs,
      look.trouble,
      look.sawClaim ? 1 : 0,
      look.isOtherContent ? 1 : 0,
      update?.changes ?? null,
      update?.changedLogMs ?? null,
      update?.quietMs ?? null,
      update?.intervalMs ?? null,
      look.id,
      update?.rhythm ?? null,
    );
  }

  remove(id: number): void {
    this.#delete.run(id);
  }
}
