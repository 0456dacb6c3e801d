/**
 * What becomes of a page after a look that found something else: it is rewritten, or ends. Its copies, its links and its place
 * in the counts are set right, and it is noted among the changes. Runs inside the commit's transaction.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Reason } from '../../core/reasons.ts';
import { targetOf } from '../../graph/link-list.ts';
import type { ChangeKind, CommitBatch, Revisit, UrlResult, UrlState } from '../contract.ts';
import { URL_STATES } from '../contract.ts';
import { toldAs } from '../looks.ts';
import type { Tally } from '../tally.ts';
import type { ChangeLog } from './change-log.ts';
import type { ChangeSources } from './change-sources.ts';
import { Copies } from './copies.ts';
import type { Discovery } from './discovery.ts';
import type { PageJudge } from './judge-page.ts';
import type { LinkGraph } from './link-graph.ts';
import { Orphans } from './orphans.ts';
import type { ParameterLearner } from './parameters.ts';
import type { Visit, Visits } from './visits.ts';
import type { KeptPage, PageWriter } from './write-page.ts';

/** What those who write a commit share. */
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

/** The commit under way. */
export interface CommitScope {
  readonly batch: CommitBatch;
  readonly graphSeq: number;
  /** As the receipt tells them. */
  readonly redirectIds: Map<number, number>;
  readonly tally: Tally;
}

/** One look that counts. */
export interface Seen {
  readonly result: UrlResult;
  readonly revisit: Revisit;
  /** The ids of its found links. */
  readonly found: readonly number[];
  /** As it was before. */
  readonly visit: Visit;
}

/** What a URL without a page is from now on. */
export interface Ending {
  readonly state: UrlState;
  readonly reason: Reason | null;
  readonly redirectTo: number | null;
  readonly kind: ChangeKind;
}

export class PageSettler {
  readonly #parts: CommitParts;
  readonly #copies: Copies;
  readonly #orphans: Orphans;
  readonly #finish: StatementSync;
  /** Of the commit under way: lists of links that go, and what the new ones hold. */
  #unlinked: { id: number; seq: number }[] = [];
  readonly #kept = new Set<number>();

  constructor(db: DatabaseSync, parts: CommitParts) {
    this.#parts = parts;
    this.#copies = new Copies(db);
    this.#orphans = new Orphans(db, parts.graph, parts.changes);
    this.#finish = db.prepare(
      'UPDATE urls SET state = ?, reason = ?, failures = 0, due_at = NULL, redirect_to = ? WHERE id = ?',
    );
  }

  /** The page has another content. */
  rewrite({ result, revisit, found, visit }: Seen, { batch, graphSeq, tally }: CommitScope): UrlState {
    const { id, page } = result;
    const { judge, pages, changes, sources } = this.#parts;
    const old = pages.kept(id);
    const isSameContent = old !== null && Buffer.from(page!.digest, 'hex').equals(old.digest);
    // Before it is judged: it may have come to name one of its own duplicates as canonical.
    if (old !== null && !isSameContent) this.#copies.handOn(id, old.digest, tally);
    judge.leave(id);
    const judged = judge.judge({ ...result, state: 'fetched' }, batch, tally);
    if (old !== null && isSameContent && judged.duplicateOf !== null) this.#copies.handOn(id, old.digest, tally);
    this.#setState(id, visit, judged.state, judged.reason, null, tally);
    if (old === null) pages.add(result, found, judged, graphSeq, tally);
    else if (pages.replace(result, found, judged, graphSeq, old, tally)) this.#relink(result, found, old);
    if (old !== null && visit.is_source === 1) {
      this.#delist(result, old, [...result.knownLinks.map(targetOf), ...found]);
    }
    this.leadsOn(result, found, null);
    changes.add(
      id,
      toldAs(URL_STATES[visit.state]!, revisit.finding),
      revisit.checkedAtMs,
      page!.title,
      null,
      revisit.change,
    );
    sources.hear(result, found, batch.nowMs);
    return judged.state;
  }

  /** What a source listed before and does not list now. */
  #delist({ id, hostId }: UrlResult, old: KeptPage, now: readonly number[]): void {
    const listed = new Set(now);
    const before = this.#parts.graph.linksFrom(id, old.graph_seq).map((end) => end.id);
    this.#parts.sources.delist(
      hostId,
      before.filter((target) => !listed.has(target)),
    );
  }

  /** The page is as it was, and its links were read anew. */
  reread({ result, found }: Seen, { graphSeq }: CommitScope): void {
    const old = this.#parts.pages.kept(result.id);
    if (old === null || !this.#parts.pages.relink(result, found, graphSeq, old)) return;
    this.#relink(result, found, old);
    this.leadsOn(result, found, null);
  }

  /** The copy has no page of this URL from now on. */
  end({ result, revisit, visit }: Seen, ending: Ending, { batch, tally }: CommitScope): UrlState {
    const { id } = result;
    const { judge, pages, changes, parameters } = this.#parts;
    const { state, reason, redirectTo, kind } = ending;
    const old = pages.kept(id);
    this.#setState(id, visit, state, reason, redirectTo, tally);
    if (old !== null) {
      this.#copies.handOn(id, old.digest, tally);
      pages.remove(id, old, tally);
      judge.leave(id);
      this.#unlinked.push({ id, seq: old.graph_seq });
      this.#orphans.leaves(id);
      if (visit.is_source === 1) this.#delist(result, old, []);
    }
    // A redirect has no page, yet others may have named it as canonical, for where it led.
    if (old !== null || state === 'gone') this.#copies.letGo(id, tally);
    this.leadsOn(result, [], redirectTo);
    if (batch.learnParameters) parameters.observe({ ...result, page: null }, state, reason, tally);
    const before = URL_STATES[visit.state]!;
    // That a page was forbidden was told as its end.
    const isToldOf = before === 'skipped' && state === 'gone';
    const isNews = !isToldOf && (before !== state || visit.redirect_to !== redirectTo);
    if (isNews) changes.add(id, kind, revisit.checkedAtMs, old?.title ?? '', kind === 'gone' ? reason : null);
    return state;
  }

  /** The links and the redirect of a result that counts. */
  leadsOn({ page, knownLinks, isReread }: UrlResult, found: readonly number[], redirectTo: number | null): void {
    if (!this.#orphans.hasAny) return;
    if (redirectTo !== null) this.#orphans.gains(redirectTo);
    if (page === null && !isReread) return;
    for (const value of knownLinks) this.#orphans.gains(targetOf(value));
    for (const id of found) this.#orphans.gains(id);
  }

  /** Before the links of the commit are written. */
  unlink(): void {
    if (this.#unlinked.length === 0) return;
    for (const id of this.#parts.graph.remove(this.#unlinked)) if (!this.#kept.has(id)) this.#orphans.loses(id);
    this.#unlinked = [];
    this.#kept.clear();
  }

  /** After it. */
  write(nowMs: number): void {
    this.#orphans.write(nowMs);
  }

  /** The transaction was rolled back. */
  forget(): void {
    this.#unlinked = [];
    this.#kept.clear();
    this.#orphans.forget();
  }

  #relink({ id, knownLinks }: UrlResult, found: readonly number[], old: KeptPage): void {
    this.#unlinked.push({ id, seq: old.graph_seq });
    for (const value of knownLinks) this.#kept.add(targetOf(value));
    for (const target of found) this.#kept.add(target);
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
}
