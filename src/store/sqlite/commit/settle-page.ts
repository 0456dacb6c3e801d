/**
 * Updates a page after a visit with a new finding: the page is rewritten or ends. Its copies, its links and the counts
 * are corrected, and the change is recorded. Runs inside the commit's transaction.
 *
 * The partner for PostgreSQL is store/postgres/commit/settle-page.ts;
 * the shared contract test is test/store/contract/changes.ts.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Reason } from '../../../core/reasons.ts';
import type { ChangeKind, CommitBatch, Revisit, UrlResult, UrlState } from '../../contract.ts';
import { URL_STATES } from '../../contract.ts';
import { changeIn } from '../../records/change-rows.ts';
import { linkedBy } from '../../records/record-rows.ts';
import type { Tally } from '../../rules/tally.ts';
import { toldAs } from '../../rules/visit-rules.ts';
import type { ChangeLog } from '../changes/change-log.ts';
import type { ChangeSources } from '../changes/change-sources.ts';
import type { Visit, Visits } from '../changes/visits.ts';
import type { WatcherTable } from '../changes/watchers.ts';
import type { Discovery } from '../discovery/discovery.ts';
import type { LinkGraph } from '../graph/link-graph.ts';
import type { ParameterLearner } from '../learning/parameters.ts';
import { TableAccess } from '../table-access.ts';
import type { Canonicals } from './canonicals.ts';
import { Copies } from './copies.ts';
import type { PageJudge } from './judge-page.ts';
import { Orphans } from './orphans.ts';
import type { TallyWriter } from './tally-writer.ts';
import type { KeptPage, PageWriter } from './write-page.ts';

/** The components of the store that a commit writes to. */
export interface CommitParts {
  readonly discovery: Discovery;
  readonly tallies: TallyWriter;
  readonly graph: LinkGraph;
  readonly parameters: ParameterLearner;
  readonly judge: PageJudge;
  readonly canonicals: Canonicals;
  readonly pages: PageWriter;
  readonly visits: Visits;
  readonly sources: ChangeSources;
  readonly changes: ChangeLog;
  readonly watchers: WatcherTable;
}

/** The current commit. */
export interface CommitScope {
  readonly batch: CommitBatch;
  readonly graphSeq: number;
  /** Returned in the receipt. */
  readonly redirectIds: Map<number, number>;
  /** Visited pages whose change is logged under another kind than the finding. Returned in the receipt. */
  readonly loggedAs: Map<number, ChangeKind>;
  /** Guesses that were left out, by host. Returned in the receipt. */
  readonly abandoned: Map<number, number>;
  readonly tally: Tally;
}

/** One visit that counts. */
export interface Seen {
  readonly result: UrlResult;
  readonly revisit: Revisit;
  /** The ids of its found links. */
  readonly found: readonly number[];
  /** The visit row before this visit. */
  readonly visit: Visit;
}

/** The new state of a URL that no longer has a page. */
export interface Ending {
  readonly state: UrlState;
  readonly reason: Reason | null;
  readonly redirectTo: number | null;
  readonly kind: ChangeKind;
}

export class PageSettler extends TableAccess {
  readonly #parts: CommitParts;
  readonly #orphans: Orphans;
  /** For the current commit: the link lists to remove, and the targets of the lists that replace them. */
  #unlinked: { id: number; seq: number }[] = [];
  readonly #kept = new Set<number>();
  readonly #copies = new Copies(this.db);
  readonly #finish = this.db.prepare(
    'UPDATE urls SET state = ?, reason = ?, failures = 0, due_at = NULL, redirect_to = ? WHERE id = ?',
  );

  constructor(db: DatabaseSync, parts: CommitParts) {
    super(db);
    this.#parts = parts;
    this.#orphans = new Orphans(db, parts.graph, parts.changes);
  }

  /** Called when the page has other content. */
  rewrite(seen: Seen, scope: CommitScope): UrlState {
    const { result, revisit, found, visit } = seen;
    const { batch, tally } = scope;
    const { id, page } = result;
    const { judge, pages, changes, sources } = this.#parts;
    const old = pages.kept(id);
    const isSameContent = old !== null && Buffer.from(page!.digest, 'hex').equals(old.digest);
    // Must come before the judgement: the page may now name one of its own duplicates as canonical.
    if (old !== null && !isSameContent) this.#copies.handOn(id, old.digest, tally);
    judge.leave(id);
    const judged = judge.judge({ ...result, state: 'fetched' }, batch, tally);
    if (old !== null && isSameContent && judged.duplicateOf !== null) this.#copies.handOn(id, old.digest, tally);
    this.#setState(seen, judged.state, judged.reason, null, tally);
    tally.touches(id);
    if (old === null) pages.add(result, found, judged, scope);
    else if (pages.replace(result, found, judged, old, scope)) this.#relink(result, found, old);
    if (old !== null && visit.is_source === 1) {
      this.#delist(result, old, linkedBy(result, found));
    }
    this.leadsOn(result, found, null);
    const isSameCopy =
      judged.reason === 'duplicate-content' && visit.copy_of !== null && visit.copy_of === judged.duplicateOf;
    const kind = toldAs(URL_STATES[visit.state]!, revisit.finding, isSameCopy);
    if (kind !== revisit.finding) scope.loggedAs.set(id, kind);
    changes.add({ id, kind, atMs: revisit.checkedAtMs, title: page!.title, ...changeIn(revisit) });
    sources.recordClaims(result, found, batch.nowMs);
    return judged.state;
  }

  /** Reports the URLs that a source listed before and does not list now. */
  #delist({ id, hostId }: UrlResult, old: KeptPage, now: readonly number[]): void {
    const listed = new Set(now);
    const before = this.#parts.graph.linksFrom(id, old.graph_seq).map((end) => end.id);
    const unlisted = before.filter((target) => !listed.has(target));
    this.#parts.sources.delist(hostId, unlisted);
  }

  /** Called when the page is the same, but its links were read again. */
  reread({ result, found }: Seen, { graphSeq }: CommitScope): void {
    const old = this.#parts.pages.kept(result.id);
    if (old === null || !this.#parts.pages.relink(result, found, graphSeq, old)) return;
    this.#relink(result, found, old);
    this.leadsOn(result, found, null);
  }

  /** Called when the copy no longer has a page for this URL. */
  end(seen: Seen, ending: Ending, { batch, tally }: CommitScope): UrlState {
    const { result, revisit, visit } = seen;
    const { id } = result;
    const { judge, pages, changes, parameters } = this.#parts;
    const { state, reason, redirectTo, kind } = ending;
    const old = pages.kept(id);
    this.#setState(seen, state, reason, redirectTo, tally);
    if (old !== null) {
      this.#copies.handOn(id, old.digest, tally);
      pages.remove(id, old, tally);
      judge.leave(id);
      this.#unlinked.push({ id, seq: old.graph_seq });
      this.#orphans.leaves(id);
      if (visit.is_source === 1) this.#delist(result, old, []);
    }
    if (old !== null) this.#copies.letGo(id, tally);
    this.leadsOn(result, [], redirectTo);
    if (batch.learnParameters) parameters.observe({ ...result, page: null }, state, reason, tally);
    const before = URL_STATES[visit.state]!;
    // When the page was forbidden, that was already recorded as its end.
    const isToldOf = before === 'skipped' && state === 'gone';
    const isNews = !isToldOf && (before !== state || visit.redirect_to !== redirectTo);
    const why = kind === 'gone' ? reason : null;
    if (isNews) changes.add({ id, kind, atMs: revisit.checkedAtMs, title: old?.title ?? '', reason: why });
    return state;
  }

  /** Reports the links and the redirect of a result that counts. */
  leadsOn(result: UrlResult, found: readonly number[], redirectTo: number | null): void {
    if (!this.#orphans.hasAny) return;
    if (redirectTo !== null) this.#orphans.gains(redirectTo);
    if (result.page === null && !result.isReread) return;
    for (const id of linkedBy(result, found)) this.#orphans.gains(id);
  }

  /** Called before the links of the commit are written. */
  unlink(): void {
    if (this.#unlinked.length === 0) return;
    for (const id of this.#parts.graph.remove(this.#unlinked)) if (!this.#kept.has(id)) this.#orphans.loses(id);
    this.#unlinked = [];
    this.#kept.clear();
  }

  /** Called after the links of the commit are written. */
  write(nowMs: number): void {
    this.#orphans.write(nowMs);
  }

  /** Called after a rollback. */
  forget(): void {
    this.#unlinked = [];
    this.#kept.clear();
    this.#orphans.forget();
  }

  #relink(result: UrlResult, found: readonly number[], old: KeptPage): void {
    this.#unlinked.push({ id: result.id, seq: old.graph_seq });
    for (const target of linkedBy(result, found)) this.#kept.add(target);
  }

  #setState(
    { result, visit }: Seen,
    state: UrlState,
    reason: Reason | null,
    redirectTo: number | null,
    tally: Tally,
  ): void {
    this.#finish.run(URL_STATES.indexOf(state), reason, redirectTo, result.id);
    tally.leaves(visit.host_id, URL_STATES[visit.state]!, visit.reason);
    tally.enters(visit.host_id, state, reason);
    this.#parts.canonicals.changes(result.id);
    if (visit.redirect_to === null || visit.redirect_to === redirectTo) return;
    this.#orphans.loses(visit.redirect_to);
    this.#parts.canonicals.leavesRedirect(visit.redirect_to);
  }
}
