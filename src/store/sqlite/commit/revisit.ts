/**
 * Visits to pages that were known before. In: results of a commit with the findings of visits. Out: the current page,
 * or none; its corrected copies, links and counts; entries in the change log; and the time of the visit.
 *
 * What always holds: a result counts only while the last visit of the page is the one that the result names, and while
 * its host is leased to the sender. So the same batch again changes nothing. Most visits find the same content and cost
 * one small write. Runs inside the commit's transaction.
 *
 * The partner for PostgreSQL is store/postgres/commit/revisit.ts;
 * the shared contract test is test/store/contract/visits.ts.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Reason } from '../../../core/reasons.ts';
import type { CommitBatch, Revisit, UrlState, VisitUpdate } from '../../contract.ts';
import { URL_STATES } from '../../contract.ts';
import { hasNoPage, isPlain, isTroubled, nextCheck, toldTheTruth } from '../../rules/visit-rules.ts';
import { TableAccess } from '../table-access.ts';
import { ORIGINAL } from './copies.ts';
import { leadsBack } from './loop-check.ts';
import type { CommitParts, CommitScope, PageSettler, Seen } from './settle-page.ts';

export class Revisits extends TableAccess {
  readonly #parts: CommitParts;
  readonly #settler: PageSettler;
  /** Schedule updates of the current batch. */
  #updates = new Map<number, VisitUpdate>();
  readonly #leases = new Map<number, boolean>();
  /**
   * Pages already visited in this batch. Each page counts once, because its old links must be from an earlier commit.
   */
  readonly #written = new Set<number>();
  /** Visited pages that are or were copies of other pages. */
  readonly #copies: number[] = [];
  readonly #noteCopy = this.db.prepare(
    `UPDATE visits SET copy_of = (SELECT ${ORIGINAL} FROM pages p WHERE p.url_id = ?1) WHERE url_id = ?1`,
  );
  readonly #leaseOf = this.db.prepare('SELECT lease_owner AS owner FROM hosts WHERE id = ?');
  readonly #redirectOf = this.db.prepare('SELECT redirect_to AS next FROM urls WHERE id = ?');

  constructor(db: DatabaseSync, parts: CommitParts, settler: PageSettler) {
    super(db);
    this.#parts = parts;
    this.#settler = settler;
  }

  begin({ visits }: CommitBatch): void {
    this.#updates = new Map(visits?.map((update) => [update.id, update]));
    this.#leases.clear();
    this.#written.clear();
    this.#copies.length = 0;
  }

  /** Notes which visited pages are copies now. Called when all pages of the commit are written and judged. */
  noteCopies(): void {
    for (const id of this.#copies) this.#noteCopy.run(id);
  }

  /** Returns the new state of the URL; null if the visit does not count. */
  write(result: Seen['result'], revisit: Revisit, found: readonly number[], scope: CommitScope): UrlState | null {
    const { visits, sources, pages } = this.#parts;
    const { id } = result;
    const { finding } = revisit;
    if (this.#written.has(id)) return null;
    if (isPlain(result, finding) && this.#isLeased(result.hostId, scope.batch.owner)) {
      const state = visits.sawSame(id, result.hostId, revisit.sinceMs, nextCheck(revisit), this.#updates.get(id));
      if (state !== null) {
        this.#written.add(id);
        if (state === 'duplicate') this.#copies.push(id);
        return state;
      }
    }
    const visit = visits.find(id);
    if (visit === null || visit.checked_at !== revisit.sinceMs) return null;
    if (!this.#isLeased(visit.host_id, scope.batch.owner)) return null;
    const isTrouble = isTroubled(finding);
    // A failed visit does not change the time of the last visit, so the number
    // of failures identifies a repeated result.
    if (isTrouble && result.failures !== visit.failures + 1) return null;
    const target = finding === 'moved' ? this.#targetOf(result, scope) : null;
    const isLoop = target !== null && leadsBack(id, target, this.#redirectOf);
    const seen = { result, revisit, found, visit };
    const state = isLoop ? URL_STATES[visit.state]! : this.#settle(seen, target, scope);
    if (state === null) return null;
    this.#written.add(id);
    if (toldTheTruth(finding)) sources.judge(visit, finding);
    if (result.capture) pages.capture(id, result.capture);
    if (finding === 'refused' && result.reason === 'ignored-parameter') {
      visits.remove(id);
      return state;
    }
    const isRewritten = finding === 'noise' || finding === 'changed';
    const trouble: Reason | null = isLoop ? 'redirect-loop' : isTrouble ? result.reason : null;
    visits.look({
      id,
      checkedAtMs: isTrouble ? revisit.sinceMs : nextCheck(revisit),
      state,
      isSource: isRewritten ? (result.page?.isSource ?? false) : visit.is_source === 1,
      failures: isTrouble || isLoop ? visit.failures + 1 : 0,
      notBeforeMs: isTrouble ? (result.dueAtMs ?? 0) : 0,
      trouble,
      sawClaim: !isTrouble && !isLoop,
      isOtherContent: isRewritten,
      update: isLoop ? undefined : this.#updates.get(id),
    });
    if (!isTrouble && (state === 'duplicate' || visit.copy_of !== null)) this.#copies.push(id);
    return state;
  }

  #settle(seen: Seen, target: number | null, scope: CommitScope): UrlState | null {
    const { result, revisit, visit } = seen;
    const { reason, page } = result;
    const state = URL_STATES[visit.state]!;
    switch (revisit.finding) {
      case 'same':
        if (result.validators) this.#parts.pages.setValidators(result.id, result.validators);
        if (result.isReread) this.#settler.reread(seen, scope);
        return state === 'skipped' && reason !== null && reason !== 'robots-disallowed'
          ? this.#settler.end(seen, { state: 'gone', reason, redirectTo: null, kind: 'gone' }, scope)
          : state;
      case 'missing':
      case 'failing':
        return state;
      case 'noise':
      case 'changed':
        return page ? this.#settler.rewrite(seen, scope) : null;
      case 'moved':
        if (target === null) return null;
        scope.redirectIds.set(result.id, target);
        return this.#settler.end(seen, { state: 'redirect', reason: null, redirectTo: target, kind: 'moved' }, scope);
      case 'gone':
        if (state === 'failed' || state === 'gone') return state;
        return this.#settler.end(seen, { state: 'gone', reason, redirectTo: null, kind: 'gone' }, scope);
      case 'refused':
        if (!this.#mayLeaveOut(seen, scope)) return null;
        if (reason !== 'ignored-parameter' && hasNoPage(state)) return state;
        return this.#settler.end(seen, { state: 'skipped', reason, redirectTo: null, kind: 'gone' }, scope);
    }
  }

  #targetOf({ id, redirectTo }: Seen['result'], { batch, tally }: CommitScope): number | null {
    return redirectTo && this.#parts.discovery.idOf(redirectTo, id, batch.patternBudget, tally);
  }

  /** A URL with an ignored parameter may be skipped only while the lesson is valid, as at its first fetch. */
  #mayLeaveOut({ result }: Seen, { batch, tally }: CommitScope): boolean {
    if (result.reason !== 'ignored-parameter') return true;
    const { discovery, parameters } = this.#parts;
    const { id, standIn } = result;
    return parameters.mayLeaveOut(result, standIn ? discovery.idOf(standIn, id, batch.patternBudget, tally) : null);
  }

  #isLeased(hostId: number, owner: string): boolean {
    let isLeased = this.#leases.get(hostId);
    if (isLeased === undefined) {
      isLeased = (this.#leaseOf.get(hostId) as { owner: string | null } | undefined)?.owner === owner;
      this.#leases.set(hostId, isLeased);
    }
    return isLeased;
  }
}
