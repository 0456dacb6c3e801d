/**
 * Looks at pages after the first. In: results of a commit that say what a look found. Out: the page as it is now, or none; its
 * copies, links and counts set right; what happened, among the changes; and when it was looked at.
 *
 * A result counts only while the page's last look is the one it knows of and its host is leased to the sender, so the same
 * batch again changes nothing. Most looks find the same: those cost one small write. Runs inside the commit's transaction.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Reason } from '../../core/reasons.ts';
import { targetOf } from '../../graph/link-list.ts';
import type { ChangeKind, CommitBatch, Finding, Revisit, UrlResult, UrlState, VisitUpdate } from '../contract.ts';
import { URL_STATES } from '../contract.ts';
import type { ChangeLog } from './change-log.ts';
import type { ChangeSources } from './change-sources.ts';
import { Copies } from './copies.ts';
import type { Discovery } from './discovery.ts';
import type { PageJudge } from './judge-page.ts';
import { leadsTo } from './leads-to.ts';
import type { LinkGraph } from './link-graph.ts';
import { Orphans } from './orphans.ts';
import type { ParameterLearner } from './parameters.ts';
import type { Tally } from './tally.ts';
import type { Visit, Visits } from './visits.ts';
import type { KeptPage, PageWriter } from './write-page.ts';

/** What the committer and this share. */
export interface CommitParts {
  readonly discovery: Discovery;
  readonly graph: LinkGraph;
  readonly parameters: ParameterLearner;
  readonly judge: PageJudge;
  readonly pages: PageWriter;
  readonly visits: Visits;
  readonly sources: ChangeSources;
  readonly changes: ChangeLog;
}

/** What a URL without a page is from now on. */
interface Ending {
  readonly state: UrlState;
  readonly reason: Reason | null;
  readonly redirectTo: number | null;
  readonly kind: ChangeKind;
}

/** Looks that say what the page's content is. */
const TOLD_CONTENT: readonly Finding[] = ['same', 'noise', 'changed'];
/** Looks after which it is not known whether a source was right. */
const TOLD_NOTHING: readonly Finding[] = ['missing', 'failing'];

export class Revisits {
  readonly #parts: CommitParts;
  readonly #copies: Copies;
  readonly #orphans: Orphans;
  readonly #leaseOf: StatementSync;
  readonly #finish: StatementSync;
  readonly #redirectOf: StatementSync;
  /** Of the batch under way. */
  #updates = new Map<number, VisitUpdate>();
  #leases = new Map<number, boolean>();
  #unlinked: { id: number; seq: number }[] = [];
  #kept = new Set<number>();

  constructor(db: DatabaseSync, parts: CommitParts) {
    this.#parts = parts;
    this.#copies = new Copies(db);
    this.#orphans = new Orphans(db, parts.graph, parts.changes);
    this.#leaseOf = db.prepare('SELECT lease_owner AS owner FROM hosts WHERE id = ?');
    this.#finish = db.prepare(
      'UPDATE urls SET state = ?, reason = ?, failures = 0, due_at = NULL, redirect_to = ? WHERE id = ?',
    );
    this.#redirectOf = db.prepare('SELECT redirect_to AS next FROM urls WHERE id = ?');
  }

  begin({ visits }: CommitBatch): void {
    this.#updates = new Map(visits?.map((update) => [update.id, update]));
    this.#leases = new Map();
    this.#unlinked = [];
    this.#kept = new Set();
  }

  write(
    result: UrlResult,
    revisit: Revisit,
    found: readonly number[],
    batch: CommitBatch,
    graphSeq: number,
    redirectIds: Map<number, number>,
    tally: Tally,
  ): UrlState | null {
    const { id } = result;
    const visit = this.#parts.visits.find(id);
    if (visit === null || visit.checked_at !== revisit.sinceMs || !this.#isLeased(visit.host_id, batch.owner)) {
      return null;
    }
    const { finding } = revisit;
    const isTrouble = TOLD_NOTHING.includes(finding);
    // Such a look does not move the time of the last one, so the same result is told by how often it failed before.
    if (isTrouble && result.failures !== visit.failures + 1) return null;
    const state = this.#settle(result, revisit, visit, found, batch, graphSeq, redirectIds, tally);
    if (state === null) return null;
    if (TOLD_CONTENT.includes(finding)) this.#parts.sources.judge(visit, finding);
    if (result.capture) this.#parts.pages.capture(id, result.capture);
    const isRewritten = finding === 'noise' || finding === 'changed';
    this.#parts.visits.look({
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

  /** The links and the redirect of a result that counts. */
  leadsOn({ page, knownLinks }: UrlResult, found: readonly number[], redirectTo: number | null): void {
    if (redirectTo !== null) this.#orphans.gains(redirectTo);
    if (page === null) return;
    for (const value of knownLinks) this.#orphans.gains(targetOf(value));
    for (const id of found) this.#orphans.gains(id);
  }

  /** Before the links of the commit are written. */
  unlink(): void {
    if (this.#unlinked.length === 0) return;
    for (const id of this.#parts.graph.remove(this.#unlinked)) if (!this.#kept.has(id)) this.#orphans.loses(id);
  }

  /** After it. */
  finish(nowMs: number): void {
    this.#orphans.write(nowMs);
  }

  /** The transaction was rolled back. */
  forget(): void {
    this.#orphans.forget();
  }

  /** The state the URL has after the look; null where the look does not count after all. */
  #settle(
    result: UrlResult,
    revisit: Revisit,
    visit: Visit,
    found: readonly number[],
    batch: CommitBatch,
    graphSeq: number,
    redirectIds: Map<number, number>,
    tally: Tally,
  ): UrlState | null {
    const state = URL_STATES[visit.state]!;
    switch (revisit.finding) {
      case 'same':
        if (result.validators) this.#parts.pages.setValidators(result.id, result.validators);
        return state;
      case 'missing':
      case 'failing':
        return state;
      case 'noise':
      case 'changed':
        return result.page ? this.#rewrite(result, revisit, visit, found, batch, graphSeq, tally) : null;
      case 'moved': {
        if (!result.redirectTo) return null;
        const target = this.#parts.discovery.idOf(result.redirectTo, result.id, batch.patternBudget, tally);
        redirectIds.set(result.id, target);
        const looped = leadsTo(result.id, target, this.#redirectOf);
        const ending: Ending = looped
          ? { state: 'failed', reason: 'redirect-loop', redirectTo: target, kind: 'gone' }
          : { state: 'redirect', reason: null, redirectTo: target, kind: 'moved' };
        return this.#end(result, revisit, visit, ending, batch, tally);
      }
      case 'gone':
        // One that never was a page, or is gone already, has nothing more to lose.
        if (state === 'failed' || state === 'gone') return state;
        return this.#end(
          result,
          revisit,
          visit,
          { state: 'gone', reason: result.reason, redirectTo: null, kind: 'gone' },
          batch,
          tally,
        );
      case 'refused': {
        const standIn = result.standIn
          ? this.#parts.discovery.idOf(result.standIn, result.id, batch.patternBudget, tally)
          : null;
        const isVariant = result.reason === 'ignored-parameter';
        if (isVariant && !this.#parts.parameters.mayLeaveOut(result, standIn)) return null;
        const ending: Ending = { state: 'skipped', reason: result.reason, redirectTo: null, kind: 'gone' };
        return this.#end(result, revisit, visit, ending, batch, tally);
      }
    }
  }

  /** The page has another content. */
  #rewrite(
    result: UrlResult,
    revisit: Revisit,
    visit: Visit,
    found: readonly number[],
    batch: CommitBatch,
    graphSeq: number,
    tally: Tally,
  ): UrlState {
    const { id, page } = result;
    const { judge, pages, changes, sources } = this.#parts;
    const old = pages.kept(id);
    const isSameContent = old !== null && Buffer.from(page!.digest, 'hex').equals(old.digest);
    if (old !== null && !isSameContent) this.#copies.handOn(id, old.digest, tally);
    judge.leave(id);
    const judged = judge.judge({ ...result, state: 'fetched' }, batch, tally);
    if (old !== null && isSameContent && judged.duplicateOf !== null) this.#copies.handOn(id, old.digest, tally);
    this.#setState(id, visit, judged.state, judged.reason, null, tally);
    if (old === null) pages.add(result, found, judged, graphSeq, tally);
    else if (pages.replace(result, found, judged, graphSeq, old, tally)) this.#relink(result, found, old);
    this.leadsOn(result, found, null);
    changes.add(id, kindOf(visit, revisit.finding), revisit.checkedAtMs, page!.title, null, revisit.change);
    sources.hear(result, found, batch.nowMs);
    return judged.state;
  }

  #relink({ id, knownLinks }: UrlResult, found: readonly number[], old: KeptPage): void {
    this.#unlinked.push({ id, seq: old.graph_seq });
    for (const value of knownLinks) this.#kept.add(targetOf(value));
    for (const target of found) this.#kept.add(target);
  }

  /** The copy has no page of this URL from now on. */
  #end(result: UrlResult, revisit: Revisit, visit: Visit, ending: Ending, batch: CommitBatch, tally: Tally): UrlState {
    const { id } = result;
    const { judge, pages, changes, parameters } = this.#parts;
    const { state, reason, redirectTo, kind } = ending;
    const old = pages.kept(id);
    this.#setState(id, visit, state, reason, redirectTo, tally);
    if (old !== null) {
      this.#copies.handOn(id, old.digest, tally);
      pages.remove(id, old, tally);
      judge.leave(id);
      this.#copies.letGo(id, tally);
      this.#unlinked.push({ id, seq: old.graph_seq });
      this.#orphans.leaves(id);
    }
    this.leadsOn(result, [], redirectTo);
    if (batch.learnParameters) parameters.observe({ ...result, page: null }, state, reason, tally);
    const isNews = kind !== 'moved' || visit.redirect_to !== redirectTo;
    if (isNews) changes.add(id, kind, revisit.checkedAtMs, old?.title ?? '', kind === 'gone' ? reason : null);
    return state;
  }

  #setState(
    id: number,
    visit: Visit,
    state: UrlState,
    reason: Reason | null,
    redirectTo: number | null,
    tally: Tally,
  ): void {
    this.#finish.run(URL_STATES.indexOf(state), reason, redirectTo, id);
    tally.leaves(visit.host_id, URL_STATES[visit.state]!, visit.reason);
    tally.enters(visit.host_id, state, reason);
    if (visit.redirect_to !== null && visit.redirect_to !== redirectTo) this.#orphans.loses(visit.redirect_to);
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

/** How a page that is there, and is not what it was, is told of. */
function kindOf({ state }: Visit, finding: Finding): ChangeKind {
  const before = URL_STATES[state];
  if (before === 'gone') return 'returned';
  if (before === 'failed') return 'new';
  return before === 'redirect' || finding === 'changed' ? 'changed' : 'noise';
}
