/**
 * Commit: stores the results of a batch of URLs. In: their states, pages, captures and links, the manners of
 * their hosts, and the valid lengths of the archive files. Out: a receipt. First the URLs that the batch
 * names are made known (discovery.ts). Then one transaction does the rest: it locks the hosts of the batch,
 * reads everything it needs, decides in memory, and writes.
 *
 * What always holds: a result counts only while its URL waits and its host is leased to the sender.
 * The same batch again, or a late batch from an owner that lost its lease, only makes links known,
 * which is harmless. Visits to known pages are in revisit.ts.
 *
 * The partner for SQLite is store/sqlite/commit/commit.ts; the shared contract test is test/store/contract/commits.ts.
 */
import type { CommitBatch, CommitReceipt, FoundUrl, UrlResult, UrlState } from '../../contract.ts';
import { URL_STATES } from '../../contract.ts';
import { acceptsResult, countLateAnswer, isGuessResult, isLateTrial } from '../../rules/guess-rule.ts';
import { withAdmitted } from '../../rules/left-out.ts';
import type { PatternAnswers } from '../../rules/pattern-budget-rule.ts';
import { ChangeLog } from '../changes/change-log.ts';
import { ChangeSources } from '../changes/change-sources.ts';
import { Visits } from '../changes/visits.ts';
import { setMarks } from '../changes/watcher-marks.ts';
import { takeCrawlLock } from '../connection/advisory-locks.ts';
import type { Database, Session } from '../connection/database.ts';
import { admitLeftOut } from '../discovery/admit-left-out.ts';
import type { Discovery } from '../discovery/discovery.ts';
import { findsOf } from '../discovery/finds-of-batch.ts';
import { GuessAnswers } from '../discovery/guesses.ts';
import { ResultAnswers } from '../discovery/pattern-answers.ts';
import { GraphWriter } from '../graph/graph-writer.ts';
import { ParameterLearner } from '../learning/parameters.ts';
import { holdHosts } from '../leases/held-hosts.ts';
import { learnedManners, sharedManners, writeHosts } from '../leases/host-updates.ts';
import { rerank } from '../leases/rerank.ts';
import { writeTally } from '../leases/tally-writer.ts';
import { WorkingSet } from '../rows/working-set.ts';
import type { StoreMemory } from '../store-memory.ts';
import { Canonicals } from './canonicals.ts';
import type { CommitParts, CommitScope } from './commit-scope.ts';
import { type Company, Crossing, crossing } from './commits-across-hosts.ts';
import { Copies } from './copies.ts';
import { PageJudge } from './judge-page.ts';
import { leadsBack } from './loop-check.ts';
import { readWaiting } from './read-waiting.ts';
import { Revisits } from './revisit.ts';
import { PageSettler } from './settle-page.ts';
import { markSoft404s } from './soft-404s.ts';
import { PageWriter } from './write-page.ts';

export class Committer {
  readonly #db: Database;
  readonly #discovery: Discovery;
  readonly #memory: StoreMemory;
  readonly #slot: number;

  constructor(db: Database, discovery: Discovery, memory: StoreMemory, slot: number) {
    this.#db = db;
    this.#discovery = discovery;
    this.#memory = memory;
    this.#slot = slot;
  }

  async commit(batch: CommitBatch): Promise<CommitReceipt> {
    const { patternBudget, nowMs } = batch;
    const finds = await findsOf(this.#db, batch);
    const { ids, count, overBudget } = await this.#discovery.makeKnown(finds, { patternBudget, nowMs });
    const rules = { isToldOnce: true, isByIndex: true };
    const { answers, ...receipt } = await crossing((company) =>
      this.#db.transaction((session) => this.#write(session, batch, ids, company), rules),
    );
    const admission = { patternBudget, slot: this.#slot, nowMs };
    const admitted = await admitLeftOut(this.#db, [...answers, ...overBudget], admission);
    return { ...withAdmitted(receipt, admitted), discovered: count };
  }

  async #write(
    session: Session,
    batch: CommitBatch,
    ids: ReadonlyMap<FoundUrl, number>,
    company: Company,
  ): Promise<Omit<CommitReceipt, 'discovered'> & { readonly answers: readonly PatternAnswers[] }> {
    const { schema } = this.#db;
    const turn = takeCrawlLock(session, schema, 'crossing', company);
    const set = new WorkingSet(session, schema);
    const graph = new GraphWriter(set, this.#memory);
    const [leased, graphSeq] = await Promise.all([
      holdHosts(session, schema, batch),
      graph.nextSeq(),
      turn,
      batch.results.some(({ page }) => page !== null) && set.touchSeq(),
    ]);
    const scope: CommitScope = {
      set,
      batch,
      ids,
      graphSeq,
      redirectIds: new Map(),
      loggedAs: new Map(),
      leased,
      crossing: Crossing.of(company, leased),
    };
    const changes = new ChangeLog(set);
    const copies = new Copies(set, scope.crossing);
    const canonicals = new Canonicals(set, copies);
    const parts: CommitParts = {
      graph,
      parameters: new ParameterLearner(set),
      judge: new PageJudge(scope, this.#memory, canonicals),
      copies,
      canonicals,
      pages: new PageWriter(set, graph),
      visits: new Visits(set),
      sources: new ChangeSources(set),
      changes,
      guesses: new GuessAnswers(),
      answers: new ResultAnswers(),
    };
    const settler = new PageSettler(scope, parts);
    const revisits = new Revisits(scope, parts, settler);
    await revisits.writePlain();
    const first = batch.results.filter(({ revisit }) => revisit === undefined);
    const others = revisits.others.map(({ id }) => id);
    await Promise.all([
      this.#readFirst(set, first, parts),
      set.urls.load(others, 'held'),
      set.visits.load(others, 'held'),
    ]);
    const counting = first.filter((result) => this.#counts(result, scope));
    const [looks] = await Promise.all([
      revisits.prepare(),
      parts.pages.files(batch),
      parts.parameters.prepare(batch, leased.sharedHosts),
    ]);
    await parts.judge.prepare([...counting, ...looks]);
    const states: (UrlState | null)[] = [];
    for (const result of batch.results) {
      const found = result.foundLinks.map((link) => ids.get(link)!);
      states.push(
        result.revisit
          ? await revisits.write(result, result.revisit, found)
          : await this.#writeResult(result, found, scope, parts, settler),
      );
    }
    await rerank(set, batch.ranks);
    if (batch.marks !== undefined) await setMarks(set, batch, states);
    await parts.pages.writeCaptures();
    const canonicalsLeft = await canonicals.settle();
    await parts.judge.write();
    await parts.parameters.write();
    await set.flush();
    await settler.unlink();
    const uncountedLinks = await graph.write(graphSeq);
    await settler.write();
    await parts.sources.write();
    await set.flush();
    await revisits.noteCopies();
    await markSoft404s(set, batch, scope);
    await parts.guesses.write(session, schema, set.tally);
    const answers = await parts.answers.write(session, { schema, slot: this.#slot });
    const learned = learnedManners(batch, leased);
    const [, , shared] = await Promise.all([
      writeHosts(session, schema, batch, leased),
      writeTally(session, { schema, slot: this.#slot }, set.tally, batch.nowMs, learned),
      sharedManners(session, schema, leased),
    ]);
    await changes.write();
    const linkIds = batch.results.map(({ foundLinks }) => foundLinks.map((link) => ids.get(link)!));
    return {
      answers,
      linkIds,
      states,
      redirectIds: scope.redirectIds,
      loggedAs: scope.loggedAs,
      retrying: set.tally.change('retrying'),
      uncountedLinks,
      ...parts.parameters.takeNews(),
      ...(canonicalsLeft && { canonicalsLeft }),
      abandoned: parts.guesses.abandoned,
      ...(shared.size > 0 && { sharedManners: shared }),
    };
  }

  async #readFirst(set: WorkingSet, results: readonly UrlResult[], { pages, sources }: CommitParts): Promise<void> {
    const ids = new Set(results.map(({ id }) => id));
    if (ids.size === 0) return;
    for (const { id, lastCaptureMs, claimedAtMs } of await readWaiting(set, ids)) {
      pages.knowCapture(id, lastCaptureMs);
      if (claimedAtMs !== null) sources.note(id, claimedAtMs);
    }
  }

  #counts(result: UrlResult, { set, leased, ids }: CommitScope): boolean {
    const isKnown = [result.redirectTo, result.standIn, result.page?.canonical].every(
      (other) => !other || ids.has(other),
    );
    const row = set.urls.get(result.id);
    const isOpen = row != null && acceptsResult(URL_STATES[row.state]!, row.reason, result);
    return isOpen && leased.holds(result.hostId, result.id) && isKnown;
  }

  async #writeResult(
    result: UrlResult,
    found: readonly number[],
    scope: CommitScope,
    { parameters, judge, canonicals, pages, visits, sources, changes, guesses, answers }: CommitParts,
    settler: PageSettler,
  ): Promise<UrlState | null> {
    const { set, batch, ids, graphSeq, redirectIds } = scope;
    const { tally } = set;
    if (!this.#counts(result, scope)) return null;
    const waiting = set.urls.get(result.id)!;
    const standIn = result.standIn ? ids.get(result.standIn)! : null;
    if (isLateTrial(result, waiting.hops)) return null;
    if (result.reason === 'ignored-parameter' && !(await parameters.mayLeaveOut(result, standIn))) return null;
    const redirectTo = result.redirectTo ? ids.get(result.redirectTo)! : null;
    const judged = await judge.judge(result);
    if (redirectTo !== null) redirectIds.set(result.id, redirectTo);
    const looped = redirectTo !== null && (await leadsBack(set, result.id, redirectTo));
    const state = looped ? 'failed' : judged.state;
    const reason = looped ? 'redirect-loop' : judged.reason;
    const { failures: failuresBefore, reason: reasonBefore, state: stateBefore } = waiting;
    set.urls.change(result.id, {
      state: URL_STATES.indexOf(state),
      reason,
      failures: result.failures,
      due_at: result.dueAtMs,
      redirect_to: redirectTo,
    });
    if (state !== 'waiting') canonicals.changes(result.id);
    if (URL_STATES[stateBefore] === 'waiting') tally.leaves(result.hostId, 'waiting', null);
    else countLateAnswer(result.hostId, tally, guesses.abandoned);
    if (failuresBefore > 0) tally.retries(reasonBefore, -1);
    if (state === 'waiting' && result.failures > 0) tally.retries(reason, 1);
    tally.enters(result.hostId, state, state === 'waiting' ? null : reason);
    if (isGuessResult(waiting.hops, state)) guesses.add(result.hostId, state === 'failed', tally);
    answers.add(result, state, waiting.via);
    if (batch.learnParameters) await parameters.observe(result, state, reason);
    if (result.page) {
      pages.add(result, found, judged, graphSeq);
      settler.judged(result.page, judged);
      await judge.compareHosts(result, judged);
      // A copy of another page is no news.
      if (batch.tellNew && judged.duplicateOf === null) {
        const atMs = result.capture?.fetchedAtMs ?? batch.nowMs;
        changes.add(result.hostId, { id: result.id, kind: 'new', atMs, title: result.page.title });
      }
    }
    if (result.capture) pages.capture(result.id, result.capture);
    visits.begin(result, state, waiting.depth, batch.nowMs, judged.duplicateOf);
    await sources.tell(result.id);
    settler.leadsOn(result, found, redirectTo);
    if (result.page) await sources.hear(result, found, batch.nowMs);
    return state;
  }
}
