/**
 * Looks at pages after the first. In: results of a commit that say what a look found. Out: the page as it is now, or none; its
 * copies, links and counts set right; what happened, among the changes; and when it was looked at.
 *
 * A result counts only while the page's last look is the one it knows of and its host is leased to the sender, so the same
 * batch again changes nothing. Most looks find the same: those cost one small write. Runs inside the commit's transaction.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CommitBatch, Finding, Revisit, UrlState, VisitUpdate } from '../contract.ts';
import { URL_STATES } from '../contract.ts';
import { leadsTo } from './leads-to.ts';
import type { CommitParts, CommitScope, Ending, PageSettler, Seen } from './settle-page.ts';

/** Looks that say what the page's content is. */
const TOLD_CONTENT: readonly Finding[] = ['same', 'noise', 'changed'];
/** Looks after which it is not known whether a source was right. */
const TOLD_NOTHING: readonly Finding[] = ['missing', 'failing'];

export class Revisits {
  readonly #parts: CommitParts;
  readonly #settler: PageSettler;
  readonly #leaseOf: StatementSync;
  readonly #redirectOf: StatementSync;
  /** Of the batch under way. */
  #updates = new Map<number, VisitUpdate>();
  readonly #leases = new Map<number, boolean>();
  /** A page is looked at once a batch: its links of before are those of an earlier commit. */
  readonly #written = new Set<number>();

  constructor(db: DatabaseSync, parts: CommitParts, settler: PageSettler) {
    this.#parts = parts;
    this.#settler = settler;
    this.#leaseOf = db.prepare('SELECT lease_owner AS owner FROM hosts WHERE id = ?');
    this.#redirectOf = db.prepare('SELECT redirect_to AS next FROM urls WHERE id = ?');
  }

  begin({ visits }: CommitBatch): void {
    this.#updates = new Map(visits?.map((update) => [update.id, update]));
    this.#leases.clear();
    this.#written.clear();
  }

  /** The state the URL has now; null where the look does not count. */
  write(result: Seen['result'], revisit: Revisit, found: readonly number[], scope: CommitScope): UrlState | null {
    const { visits, sources, pages } = this.#parts;
    const { id } = result;
    const { finding } = revisit;
    if (this.#written.has(id)) return null;
    const isPlain = finding === 'same' && !result.validators && !result.isReread && result.capture === null;
    if (isPlain && this.#isLeased(result.hostId, scope.batch.owner)) {
      const state = visits.sawSame(id, result.hostId, revisit.sinceMs, nextCheck(revisit), this.#updates.get(id));
      if (state !== null) {
        this.#written.add(id);
        return state;
      }
    }
    const visit = visits.find(id);
    if (visit === null || visit.checked_at !== revisit.sinceMs) return null;
    if (!this.#isLeased(visit.host_id, scope.batch.owner)) return null;
    const isTrouble = TOLD_NOTHING.includes(finding);
    // Such a look does not move the time of the last one, so the same result is told by how often it failed before.
    if (isTrouble && result.failures !== visit.failures + 1) return null;
    const state = this.#settle({ result, revisit, found, visit }, scope);
    if (state === null) return null;
    this.#written.add(id);
    if (TOLD_CONTENT.includes(finding)) sources.judge(visit, finding);
    if (result.capture) pages.capture(id, result.capture);
    const isRewritten = finding === 'noise' || finding === 'changed';
    visits.look({
      id,
      checkedAtMs: isTrouble ? revisit.sinceMs : nextCheck(revisit),
      state,
      isSource: isRewritten ? (result.page?.isSource ?? false) : visit.is_source === 1,
      failures: isTrouble ? visit.failures + 1 : 0,
      notBeforeMs: isTrouble ? (result.dueAtMs ?? 0) : 0,
      trouble: isTrouble ? result.reason : null,
      sawClaim: !isTrouble,
      isOtherContent: isRewritten,
      update: this.#updates.get(id),
    });
    return state;
  }

  #settle(seen: Seen, scope: CommitScope): UrlState | null {
    const { result, revisit, visit } = seen;
    const { reason, page } = result;
    const state = URL_STATES[visit.state]!;
    switch (revisit.finding) {
      case 'same':
        if (result.validators) this.#parts.pages.setValidators(result.id, result.validators);
        if (result.isReread) this.#settler.reread(seen, scope);
        return state;
      case 'missing':
      case 'failing':
        return state;
      case 'noise':
      case 'changed':
        return page ? this.#settler.rewrite(seen, scope) : null;
      case 'moved':
        return this.#move(seen, scope);
      case 'gone':
        // One that never was a page, or is gone already, has nothing more to lose.
        if (state === 'failed' || state === 'gone') return state;
        return this.#settler.end(seen, { state: 'gone', reason, redirectTo: null, kind: 'gone' }, scope);
      case 'refused':
        if (!this.#mayLeaveOut(seen, scope)) return null;
        return this.#settler.end(seen, { state: 'skipped', reason, redirectTo: null, kind: 'gone' }, scope);
    }
  }

  #move(seen: Seen, scope: CommitScope): UrlState | null {
    const { id, redirectTo } = seen.result;
    if (redirectTo === null) return null;
    const target = this.#parts.discovery.idOf(redirectTo, id, scope.batch.patternBudget, scope.tally);
    scope.redirectIds.set(id, target);
    const ending: Ending = leadsTo(id, target, this.#redirectOf)
      ? { state: 'failed', reason: 'redirect-loop', redirectTo: target, kind: 'gone' }
      : { state: 'redirect', reason: null, redirectTo: target, kind: 'moved' };
    return this.#settler.end(seen, ending, scope);
  }

  /** For an ignored parameter only while the lesson holds, as at the first time. */
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

/** Another time than before, always: by that the same result is told when it comes again. */
function nextCheck({ sinceMs, checkedAtMs }: Revisit): number {
  return checkedAtMs === sinceMs ? sinceMs + 1 : checkedAtMs;
}
