/**
 * Commit: writes the results of a batch of URLs in one transaction: their states, pages, captures and links, the
 * manners of their hosts, and the valid length of the archive files.
 *
 * What always holds: a result counts only while its URL waits and its host is leased to the sender. The same batch
 * again, or a late batch of an owner whose lease was taken over, only makes links known, which is harmless. revisit.ts
 * handles pages that were known before.
 *
 * The partner for PostgreSQL is store/postgres/commit/commit.ts;
 * the shared contract test is test/store/contract/commits.ts.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Reason } from '../../../core/reasons.ts';
import type { CommitBatch, CommitReceipt, FoundUrl, HostUpdate, NewRank, UrlResult, UrlState } from '../../contract.ts';
import { URL_STATES } from '../../contract.ts';
import { ABANDONED, acceptsResult, countLateAnswer, isGuessResult, isLateTrial } from '../../rules/guess-rule.ts';
import { withAdmitted } from '../../rules/left-out.ts';
import { Tally } from '../../rules/tally.ts';
import { inTransaction } from '../open.ts';
import { TableAccess } from '../table-access.ts';
import { leadsBack } from './loop-check.ts';
import { Revisits } from './revisit.ts';
import { type CommitParts, type CommitScope, PageSettler } from './settle-page.ts';
import { Soft404s } from './soft-404s.ts';

interface WaitingRow {
  readonly failures: number;
  readonly depth: number;
  readonly reason: Reason | null;
  readonly hops: number;
  readonly via: number | null;
  readonly state: number;
}

export class Committer extends TableAccess {
  readonly #parts: CommitParts;
  readonly #settler: PageSettler;
  readonly #revisits: Revisits;
  readonly #waiting = this.db.prepare(
    `SELECT u.failures, u.depth, u.reason, u.hops, u.via, u.state FROM urls u JOIN hosts h ON h.id = u.host_id
     WHERE u.id = ? AND (u.state = 0 OR u.reason = '${ABANDONED}') AND h.lease_owner = ?`,
  );
  readonly #finish = this.db.prepare(
    `UPDATE urls SET state = ?1, reason = ?2, failures = ?3, due_at = ?4, redirect_to = ?5, touched = coalesce(?6, touched)
     WHERE id = ?7`,
  );
  readonly #redirectOf = this.db.prepare('SELECT redirect_to AS next FROM urls WHERE id = ?');
  readonly #newRank = this.db.prepare('UPDATE urls SET rank = ? WHERE id = ? AND state = 0');
  readonly #newPromise = this.db.prepare(
    'UPDATE urls SET rank = ?1, relevance = ?2 WHERE id = ?3 AND state = 0 AND coalesce(relevance, 0) < ?2',
  );
  readonly #updateHost = this.db.prepare(
    `UPDATE hosts SET asked_at = max(asked_at, ?1), delay_ms = ?2, blocked_until = max(blocked_until, ?3),
       trouble = iif(?4, ?5, trouble) WHERE id = ?6 AND lease_owner = ?7`,
  );
  readonly #updateTemplate = this.db.prepare(
    'REPLACE INTO templates (host_id, counts) SELECT id, ? FROM hosts WHERE id = ? AND lease_owner = ?',
  );
  readonly #updateNoise = this.db.prepare(
    'REPLACE INTO noise_evidence (host_id, evidence) SELECT id, ? FROM hosts WHERE id = ? AND lease_owner = ?',
  );
  readonly #updateRobots = this.db.prepare(
    'UPDATE hosts SET robots_status = ?, robots_body = ?, robots_at = ?, robots_since = ? WHERE id = ? AND lease_owner = ?',
  );

  readonly #updateNotFound = this.db.prepare('UPDATE hosts SET not_found = ? WHERE id = ? AND lease_owner = ?');
  readonly #soft404s = new Soft404s(this.db);

  constructor(db: DatabaseSync, parts: CommitParts) {
    super(db);
    this.#parts = parts;
    this.#settler = new PageSettler(db, parts);
    this.#revisits = new Revisits(db, parts, this.#settler);
  }

  commit(batch: CommitBatch): CommitReceipt {
    try {
      return inTransaction(this.db, () => this.#write(batch));
    } catch (error) {
      const { discovery, graph, parameters, judge, canonicals, pages, sources } = this.#parts;
      for (const part of [discovery, graph, parameters, judge, canonicals, pages, sources, this.#settler])
        part.forget();
      throw error;
    }
  }

  #write(batch: CommitBatch): CommitReceipt {
    const { discovery, tallies, graph, parameters, judge, canonicals, pages, sources } = this.#parts;
    const tally = new Tally();
    pages.files(batch.archive);
    this.#revisits.begin(batch);
    const linkIds: (readonly number[])[] = [];
    const states: (UrlState | null)[] = [];
    const met = new Map<FoundUrl, number>();
    const scope = {
      batch,
      graphSeq: graph.nextSeq(),
      redirectIds: new Map<number, number>(),
      loggedAs: new Map(),
      abandoned: new Map<number, number>(),
      tally,
    };
    for (const result of batch.results) {
      const found = this.#idsOf(result, met, batch.patternBudget, tally);
      linkIds.push(found);
      states.push(this.#writeAny(result, found, scope));
    }
    this.rerank(batch.ranks);
    for (const found of batch.found) discovery.idOf(found, null, batch.patternBudget, tally);
    for (const update of batch.hosts) this.#writeHost(update, batch, tally);
    if (batch.marks !== undefined) this.#setMarks(batch, states);
    const canonicalsLeft = canonicals.settle(tally);
    this.#revisits.noteCopies();
    discovery.abandonGuesses(tally, scope.abandoned);
    const admitted = discovery.admitLeftOut(batch.patternBudget, tally);
    discovery.write();
    judge.write();
    this.#settler.unlink();
    const uncountedLinks = graph.write(scope.graphSeq);
    this.#settler.write(batch.nowMs);
    sources.write();
    tallies.write(tally, batch.nowMs);
    return {
      linkIds,
      states,
      redirectIds: scope.redirectIds,
      discovered: tally.discovered,
      retrying: tally.change('retrying'),
      loggedAs: scope.loggedAs,
      uncountedLinks,
      abandoned: scope.abandoned,
      ...(canonicalsLeft && { canonicalsLeft }),
      ...withAdmitted(parameters.takeNews(), admitted),
    };
  }

  #writeHost(
    { hostId, manners, robots, trouble, report, notFound, template, noise }: HostUpdate,
    { owner }: CommitBatch,
    tally: Tally,
  ): void {
    const { askedAtMs, delayMs, blockedUntilMs } = manners;
    const isNews = trouble === undefined ? 0 : 1;
    this.#updateHost.run(askedAtMs, delayMs, blockedUntilMs, isNews, trouble ?? null, hostId, owner);
    if (robots) {
      const { status, body, fetchedAtMs, failingSinceMs = null } = robots;
      this.#updateRobots.run(status, body, fetchedAtMs, failingSinceMs, hostId, owner);
    }
    if (report) this.#parts.watchers.hint(hostId, report);
    if (template) this.#updateTemplate.run(template, hostId, owner);
    if (noise) this.#updateNoise.run(noise, hostId, owner);
    const isOwn = notFound && this.#updateNotFound.run(JSON.stringify(notFound), hostId, owner).changes > 0;
    if (isOwn) this.#soft404s.mark(hostId, notFound, tally);
  }

  #setMarks({ results, marks }: CommitBatch, states: readonly (UrlState | null)[]): void {
    const counting = new Set(results.filter((_, i) => states[i] !== null).map(({ id }) => id));
    for (const update of marks!) if (counting.has(update.id)) this.#parts.watchers.mark(update);
  }

  #writeAny(result: UrlResult, found: readonly number[], scope: CommitScope): UrlState | null {
    const { revisit } = result;
    return revisit ? this.#revisits.write(result, revisit, found, scope) : this.#writeResult(result, found, scope);
  }

  rerank(ranks: readonly NewRank[]): void {
    for (const { id, rank, relevance } of ranks) {
      if (relevance === undefined) this.#newRank.run(rank, id);
      else this.#newPromise.run(rank, relevance, id);
    }
  }

  /**
   * `met` holds the ids of the links of this batch so far. One object may be in many results, and is looked up once.
   */
  #idsOf({ id, foundLinks }: UrlResult, met: Map<FoundUrl, number>, patternBudget: number, tally: Tally): number[] {
    const unmet = foundLinks.filter((link) => !met.has(link));
    const ids = this.#parts.discovery.idsOf(unmet, id, patternBudget, tally);
    for (const [i, link] of unmet.entries()) met.set(link, ids[i]!);
    return foundLinks.map((link) => met.get(link)!);
  }

  #writeResult(result: UrlResult, found: readonly number[], scope: CommitScope): UrlState | null {
    const { discovery, tallies, parameters, judge, canonicals, pages, visits, sources } = this.#parts;
    const { batch, redirectIds, tally } = scope;
    const waiting = this.#waiting.get(result.id, batch.owner) as unknown as WaitingRow | undefined;
    if (waiting === undefined || isLateTrial(result, waiting.hops)) return null;
    const stateBefore = URL_STATES[waiting.state]!;
    if (!acceptsResult(stateBefore, waiting.reason, result)) return null;
    const standIn = result.standIn ? discovery.idOf(result.standIn, result.id, batch.patternBudget, tally) : null;
    if (result.reason === 'ignored-parameter' && !parameters.mayLeaveOut(result, standIn)) return null;
    const redirectTo = result.redirectTo
      ? discovery.idOf(result.redirectTo, result.id, batch.patternBudget, tally)
      : null;
    const judged = judge.judge(result, batch, tally);
    if (redirectTo !== null) redirectIds.set(result.id, redirectTo);
    const looped = redirectTo !== null && leadsBack(result.id, redirectTo, this.#redirectOf);
    const state = looped ? 'failed' : judged.state;
    const reason = looped ? 'redirect-loop' : judged.reason;
    // A statement of its own for this mark would cost as much as this one.
    const touch = result.page && tallies.touchSeq(tally);
    this.#finish.run(URL_STATES.indexOf(state), reason, result.failures, result.dueAtMs, redirectTo, touch, result.id);
    if (stateBefore === 'waiting') tally.leaves(result.hostId, 'waiting', null);
    else countLateAnswer(result.hostId, tally, scope.abandoned);
    if (waiting.failures > 0) tally.retries(waiting.reason, -1);
    if (state === 'waiting' && result.failures > 0) tally.retries(reason, 1);
    tally.enters(result.hostId, state, state === 'waiting' ? null : reason);
    if (state !== 'waiting') canonicals.changes(result.id);
    if (state === 'skipped') discovery.noteLeftOut(reason);
    if (isGuessResult(waiting.hops, state)) discovery.countGuess(result.hostId, state === 'failed', tally);
    discovery.countAnswer(result, state, waiting.via);
    if (batch.learnParameters) parameters.observe(result, state, reason, tally);
    if (result.page) {
      pages.add(result, found, judged, scope);
      judge.compareHosts(result, judged);
      // A copy of another page is no news.
      if (batch.tellNew && judged.duplicateOf === null) this.#tellNew(result, batch.nowMs);
    }
    if (result.capture) pages.capture(result.id, result.capture);
    visits.begin(result, state, waiting.depth, batch.nowMs, judged.duplicateOf);
    sources.moveClaim(result.id, result.hostId);
    this.#settler.leadsOn(result, found, redirectTo);
    if (result.page) sources.recordClaims(result, found, batch.nowMs);
    return state;
  }

  #tellNew({ id, page, capture }: UrlResult, nowMs: number): void {
    this.#parts.changes.add({ id, kind: 'new', atMs: capture?.fetchedAtMs ?? nowMs, title: page!.title });
  }
}
