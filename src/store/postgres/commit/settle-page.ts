/**
 * Updates a page after a visit that found a difference: the page is rewritten, or it leaves the copy. Its copies, links
 * and counts are corrected, and an entry is added to the change log. The code runs inside the commit's transaction.
 *
 * The partner for SQLite is store/sqlite/commit/settle-page.ts; the
 * shared contract test is test/store/contract/changes.ts.
 */
import type { Reason } from '../../../core/reasons.ts';
import type { ChangeKind, PageRecord, Revisit, UrlResult, UrlState } from '../../contract.ts';
import { URL_STATES } from '../../contract.ts';
import { changeIn } from '../../records/change-rows.ts';
import { linkedBy } from '../../records/record-rows.ts';
import { toldAs } from '../../rules/visit-rules.ts';
import { takeCrawlLock } from '../connection/advisory-locks.ts';
import { type ListPlace, linksIn } from '../graph/graph-rows.ts';
import type { PageRow, UrlRow, VisitRow } from '../rows/table-rows.ts';
import type { CommitParts, CommitScope } from './commit-scope.ts';
import type { Copies } from './copies.ts';
import type { Judgement } from './judge-page.ts';
import { Orphans } from './orphans.ts';

/** One visit that counts. */
export interface Seen {
  readonly result: UrlResult;
  readonly revisit: Revisit;
  /** The ids of its found links. */
  readonly found: readonly number[];
  /** The rows as they were before the visit. */
  readonly visit: Readonly<VisitRow>;
  readonly url: Readonly<UrlRow>;
  readonly page: Readonly<PageRow> | null;
}

/** The new state of a URL without a page. */
export interface Ending {
  readonly state: UrlState;
  readonly reason: Reason | null;
  readonly redirectTo: number | null;
  readonly kind: ChangeKind;
}

export class PageSettler {
  readonly #scope: CommitScope;
  readonly #parts: CommitParts;
  readonly #copies: Copies;
  readonly #orphans: Orphans;
  /** Link lists that will be removed. */
  readonly #unlinked: ListPlace[] = [];

  constructor(scope: CommitScope, parts: CommitParts) {
    this.#scope = scope;
    this.#parts = parts;
    this.#copies = parts.copies;
    this.#orphans = new Orphans(scope.set, parts.graph, parts.changes, scope.crossing);
  }

  /**
   * Reads, for all pages that will change or leave, what their copies need. The pages themselves must have been read.
   */
  async prepare(results: readonly UrlResult[]): Promise<void> {
    const { pages } = this.#scope.set;
    await this.#copies.prepare(
      results.flatMap(({ id, page }) => {
        const old = pages.get(id);
        return old === null || isOf(page, old) ? [] : [old];
      }),
    );
  }

  /** The page has another content. */
  async rewrite(seen: Seen): Promise<UrlState> {
    const { result, revisit, found, visit, url, page: old } = seen;
    const { id, page } = result;
    const { batch, graphSeq } = this.#scope;
    const { judge, pages, changes, sources } = this.#parts;
    const isSameContent = old !== null && isOf(page, old);
    // Must run before the page is judged, because the page may now name one of its own duplicates as canonical.
    if (old !== null && !isSameContent) await this.#copies.handOn(id, old.digest);
    const judged = await judge.judge({ ...result, state: 'fetched' });
    if (old !== null && isSameContent && judged.duplicateOf !== null) await this.#copies.handOn(id, old.digest);
    this.judged(page!, judged);
    await this.#setState(seen, judged.state, judged.reason, null);
    if (old !== null && visit.is_source) {
      await this.#delist(seen, old, linkedBy(result, found));
    }
    if (old === null) pages.add(result, found, judged, graphSeq);
    else if (await pages.replace(result, found, judged, graphSeq, old)) this.#unlink(old);
    this.leadsOn(result, found, null);
    const isSameCopy =
      judged.reason === 'duplicate-content' && visit.copy_of !== null && visit.copy_of === judged.duplicateOf;
    const kind = toldAs(URL_STATES[url.state]!, revisit.finding, isSameCopy);
    if (kind !== revisit.finding) this.#scope.loggedAs.set(id, kind);
    changes.add(url.host_id, { id, kind, atMs: revisit.checkedAtMs, title: page!.title, ...changeIn(revisit) });
    await sources.hear(result, found, batch.nowMs);
    return judged.state;
  }

  /** Removes the claims about URLs that a source listed before and does not list now. */
  async #delist({ url }: Seen, old: PageRow, now: readonly number[]): Promise<void> {
    const { set } = this.#scope;
    const listed = new Set(now);
    const before = await linksIn(set.session, set.schema, { page: url.id, seq: old.graph_seq });
    const gone = before.filter(({ id }) => !listed.has(id)).map(({ id }) => id);
    if (gone.length > 0) await this.#parts.sources.delist(url.host_id, gone);
  }

  /** The page is unchanged, and its links were extracted again. */
  async reread({ result, found, page: old }: Seen): Promise<void> {
    if (old === null || !(await this.#parts.pages.relink(result, found, this.#scope.graphSeq, old))) return;
    this.#unlink(old);
    this.leadsOn(result, found, null);
  }

  /** The copy has no page for this URL from now on. */
  async end(seen: Seen, { state, reason, redirectTo, kind }: Ending): Promise<UrlState> {
    const { result, revisit, visit, url, page: old } = seen;
    const { id } = result;
    const { pages, changes, parameters } = this.#parts;
    await this.#setState(seen, state, reason, redirectTo);
    if (old !== null) {
      await this.#copies.handOn(id, old.digest);
      pages.remove(id, old);
      this.#unlink(old);
      this.#orphans.leaves(id);
      if (visit.is_source) await this.#delist(seen, old, []);
    }
    if (old !== null) await this.#copies.letGo(id);
    this.leadsOn(result, [], redirectTo);
    if (this.#scope.batch.learnParameters) await parameters.observe({ ...result, page: null }, state, reason);
    const before = URL_STATES[url.state]!;
    // When the page was forbidden, its end was already logged.
    const isToldOf = before === 'skipped' && state === 'gone';
    const isNews = !isToldOf && (before !== state || url.redirect_to !== redirectTo);
    const why = kind === 'gone' ? reason : null;
    const title = old?.title ?? '';
    if (isNews) changes.add(url.host_id, { id, kind, atMs: revisit.checkedAtMs, title, reason: why });
    return state;
  }

  /** Called for each page that is written, new or not. */
  judged({ digest }: PageRecord, { reason }: Judgement): void {
    if (reason === 'duplicate-content') this.#copies.copied(Buffer.from(digest, 'hex'));
  }

  /** Records the links and the redirect of a result that counts. */
  leadsOn(result: UrlResult, found: readonly number[], redirectTo: number | null): void {
    if (redirectTo !== null) this.#orphans.gains(redirectTo);
    if (result.page === null && !result.isReread) return;
    for (const id of linkedBy(result, found)) this.#orphans.gains(id);
  }

  /** Called when everything except the new links of the commit is written, before the new links are. */
  async unlink(): Promise<void> {
    const { set } = this.#scope;
    if (this.#unlinked.length > 0 || this.#orphans.isLosing) {
      await takeCrawlLock(set.session, set.schema, 'unlinking', 'alone');
      for (const id of await this.#parts.graph.remove(this.#unlinked)) this.#orphans.loses(id);
    }
    await this.#orphans.foresee();
  }

  /** Called after the new links are written. */
  async write(): Promise<void> {
    await this.#orphans.write(this.#scope.batch.nowMs);
  }

  #unlink({ url_id: page, graph_seq: seq }: PageRow): void {
    this.#unlinked.push({ page, seq });
  }

  async #setState({ url }: Seen, state: UrlState, reason: Reason | null, redirectTo: number | null): Promise<void> {
    const { urls, tally } = this.#scope.set;
    const { canonicals } = this.#parts;
    urls.change(url.id, {
      state: URL_STATES.indexOf(state),
      reason,
      failures: 0,
      due_at: null,
      redirect_to: redirectTo,
    });
    tally.leaves(url.host_id, URL_STATES[url.state]!, url.reason);
    tally.enters(url.host_id, state, reason);
    canonicals.changes(url.id);
    if (url.redirect_to === null || url.redirect_to === redirectTo) return;
    this.#orphans.loses(url.redirect_to);
    await canonicals.leavesRedirect(url.redirect_to);
  }
}

function isOf(page: PageRecord | null, { digest }: PageRow): boolean {
  return page !== null && Buffer.from(page.digest, 'hex').equals(digest);
}
