/**
 * Visits to pages after the first. In: results of a commit that say what a visit found. Out: the current page, or none;
 * correct copies, links and counts; an entry in the change log; and the time of the visit.
 *
 * What always holds: a result counts only while the last visit in the row is the one it knows and its host is leased to
 * the sender, so the same batch again changes nothing. Most visits find the page unchanged. They are written first, in
 * one statement; the rows of the others are read before they are judged. The code runs inside the commit's transaction.
 *
 * The partner for SQLite is store/sqlite/commit/revisit.ts; the shared contract tests are test/store/contract/visits.ts
 * and test/store/contract/changes.ts.
 */
import type { Reason } from '../../../core/reasons.ts';
import type { Revisit, UrlResult, UrlState, VisitUpdate } from '../../contract.ts';
import { URL_STATES } from '../../contract.ts';
import { hasNoPage, isPlain, isTroubled, nextCheck, toldTheTruth } from '../../rules/visit-rules.ts';
import { claimsOf } from '../changes/change-sources.ts';
import type { CommitParts, CommitScope } from './commit-scope.ts';
import { leadsBack } from './loop-check.ts';
import type { PageSettler, Seen } from './settle-page.ts';

type Looked = UrlResult & { readonly revisit: Revisit };

export class Revisits {
  readonly #scope: CommitScope;
  readonly #parts: CommitParts;
  readonly #settler: PageSettler;
  readonly #updates: ReadonlyMap<number, VisitUpdate>;
  /** Plain visits, each with the state of its URL; null if the visit does not count. */
  readonly #plain = new Map<UrlResult, UrlState | null>();
  /** Visited pages that are or were copies of other pages. */
  readonly #copies: number[] = [];
  /** A page is visited once in a batch, so its old links belong to an earlier commit. */
  readonly #written = new Set<number>();

  constructor(scope: CommitScope, parts: CommitParts, settler: PageSettler) {
    this.#scope = scope;
    this.#parts = parts;
    this.#settler = settler;
    this.#updates = new Map(scope.batch.visits?.map((update) => [update.id, update]));
  }

  /** Writes the plain visits. Must be called first. */
  async writePlain(): Promise<void> {
    const looks = this.#plainLooks();
    if (looks.length === 0) return;
    const { visits, sources } = this.#parts;
    const plain = looks.map(({ id, hostId, revisit }) => ({
      id,
      hostId,
      sinceMs: revisit.sinceMs,
      checkedAtMs: nextCheck(revisit),
      update: this.#updates.get(id),
    }));
    const seen = new Map((await visits.sawSame(plain)).map((same) => [same.id, same]));
    for (const look of looks) {
      const same = seen.get(look.id);
      this.#plain.set(look, same?.state ?? null);
      if (same === undefined) continue;
      this.#written.add(look.id);
      if (same.state === 'duplicate' || same.copy_of !== null) this.#copies.push(look.id);
      sources.judge(same, 'same');
    }
  }

  /**
   * Pages that a change source of this batch reports are left to their turn in the batch,
   * because the report may come before or after the visit.
   */
  #plainLooks(): Looked[] {
    const { batch, ids, leased } = this.#scope;
    const told = new Set<number>();
    for (const result of batch.results) {
      if (!result.knownTimesMs && !result.foundTimesMs) continue;
      const found = result.foundLinks.map((link) => ids.get(link)!);
      for (const id of claimsOf(result, found, batch.nowMs).keys()) told.add(id);
    }
    const met = new Set<number>();
    return batch.results.filter((result): result is Looked => {
      const { id, hostId, revisit } = result;
      const isFirst = !met.has(id);
      met.add(id);
      return isFirst && !!revisit && isPlain(result, revisit.finding) && leased.holds(hostId, id) && !told.has(id);
    });
  }

  /** Visits whose rows must be read. */
  get others(): readonly Looked[] {
    return this.#scope.batch.results.filter(
      (result): result is Looked => result.revisit !== undefined && !this.#plain.has(result),
    );
  }

  /**
   * Called when the rows of the URLs and visits have been read. Reads the
   * pages of the visits that count, and returns these visits.
   */
  async prepare(): Promise<readonly UrlResult[]> {
    const { set } = this.#scope;
    const counting = this.others.filter((look) => this.#counts(look) && !isTroubled(look.revisit.finding));
    const ids = counting.map(({ id }) => id);
    await set.pages.load(ids, 'held');
    await this.#settler.prepare(counting.filter(({ revisit }) => revisit.finding !== 'same'));
    return counting;
  }

  #counts({ id, hostId, revisit }: Looked): boolean {
    const { set, leased } = this.#scope;
    const visit = set.visits.get(id);
    if (visit === null || visit.host_id !== hostId || !leased.holds(hostId, id)) return false;
    return visit.checked_at === revisit.sinceMs;
  }

  /** The new state of the URL; null if the visit does not count. */
  async write(result: UrlResult, revisit: Revisit, found: readonly number[]): Promise<UrlState | null> {
    const plain = this.#plain.get(result);
    if (plain !== undefined) return plain;
    const { id } = result;
    if (this.#written.has(id) || !this.#counts({ ...result, revisit })) return null;
    const { set } = this.#scope;
    const { visits, sources, pages } = this.#parts;
    const { finding } = revisit;
    const isTrouble = isTroubled(finding);
    // Copies, because the rows are changed below.
    const visit = { ...set.visits.get(id)! };
    const url = { ...set.urls.get(id)! };
    // A failed visit does not change the time of the last visit, so a
    // repeated result is recognised by its number of failures.
    if (isTrouble && result.failures !== visit.failures + 1) return null;
    const page = isTrouble ? null : set.pages.get(id);
    const target = finding === 'moved' && result.redirectTo ? this.#scope.ids.get(result.redirectTo)! : null;
    const isLoop = target !== null && (await leadsBack(set, id, target));
    const seen = { result, revisit, found, visit, url, page: page && { ...page } };
    const state = isLoop ? URL_STATES[url.state]! : await this.#settle(seen, target);
    if (state === null) return null;
    this.#written.add(id);
    if (toldTheTruth(finding)) sources.judge(visit, finding);
    if (result.capture) pages.capture(id, result.capture);
    if (finding === 'refused' && result.reason === 'ignored-parameter') {
      visits.remove(id);
      return state;
    }
    const trouble: Reason | null = isLoop ? 'redirect-loop' : isTrouble ? result.reason : null;
    visits.look({
      id,
      checkedAtMs: isTrouble ? revisit.sinceMs : nextCheck(revisit),
      state,
      isSource: isRewriting(revisit) ? (result.page?.isSource ?? false) : visit.is_source,
      failures: isTrouble || isLoop ? visit.failures + 1 : 0,
      notBeforeMs: isTrouble ? (result.dueAtMs ?? 0) : 0,
      trouble,
      sawClaim: !isTrouble && !isLoop,
      isOtherContent: isRewriting(revisit),
      update: isLoop ? undefined : this.#updates.get(id),
    });
    if (!isTrouble && (state === 'duplicate' || visit.copy_of !== null)) this.#copies.push(id);
    return state;
  }

  /** Called when all rows of the commit are written. */
  async noteCopies(): Promise<void> {
    await this.#parts.copies.noteCopies(this.#copies);
  }

  async #settle(seen: Seen, target: number | null): Promise<UrlState | null> {
    const { result, revisit, url } = seen;
    const { reason, page } = result;
    const state = URL_STATES[url.state]!;
    switch (revisit.finding) {
      case 'same':
        if (result.validators && seen.page) this.#parts.pages.setValidators(result.id, result.validators);
        if (result.isReread) await this.#settler.reread(seen);
        return state === 'skipped' && reason !== null && reason !== 'robots-disallowed'
          ? this.#settler.end(seen, { state: 'gone', reason, redirectTo: null, kind: 'gone' })
          : state;
      case 'missing':
      case 'failing':
        return state;
      case 'noise':
      case 'changed':
        return page ? this.#settler.rewrite(seen) : null;
      case 'moved':
        if (target === null) return null;
        this.#scope.redirectIds.set(result.id, target);
        return this.#settler.end(seen, { state: 'redirect', reason: null, redirectTo: target, kind: 'moved' });
      case 'gone':
        if (state === 'failed' || state === 'gone') return state;
        return this.#settler.end(seen, { state: 'gone', reason, redirectTo: null, kind: 'gone' });
      case 'refused':
        if (!(await this.#mayLeaveOut(result))) return null;
        if (reason !== 'ignored-parameter' && hasNoPage(state)) return state;
        return this.#settler.end(seen, { state: 'skipped', reason, redirectTo: null, kind: 'gone' });
    }
  }

  /** A URL may be left out for an ignored parameter only while the lesson holds, as at its first fetch. */
  async #mayLeaveOut(result: UrlResult): Promise<boolean> {
    if (result.reason !== 'ignored-parameter') return true;
    const standIn = result.standIn ? this.#scope.ids.get(result.standIn)! : null;
    return this.#parts.parameters.mayLeaveOut(result, standIn);
  }
}

function isRewriting({ finding }: Revisit): boolean {
  return finding === 'noise' || finding === 'changed';
}
