/**
 * Commit: what became of a batch of URLs, in one transaction — their states, pages, captures, the links they carry, the
 * manners of their hosts, and how far the archive's files are valid.
 *
 * A result counts only while its URL waits and its host is leased to the sender: the same batch again, or a late one from
 * an owner whose lease was taken over, changes nothing but making links known, which is harmless.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ON_TOPIC } from '../../core/on-topic.ts';
import { encodeLinkList, linkValue } from '../../graph/link-list.ts';
import type {
  CaptureRecord,
  CommitBatch,
  CommitReceipt,
  FoundUrl,
  NewRank,
  PageRecord,
  UrlResult,
  UrlState,
} from '../contract.ts';
import { URL_STATES } from '../contract.ts';
import type { Discovery } from './discovery.ts';
import { type Judgement, PageJudge } from './judge-page.ts';
import { leadsTo } from './leads-to.ts';
import type { LinkGraph } from './link-graph.ts';
import type { NearDuplicates } from './near-duplicates.ts';
import type { ParameterLearner } from './parameters.ts';
import { Tally, type TallyWriter } from './tally.ts';

export class Committer {
  readonly #db: DatabaseSync;
  readonly #discovery: Discovery;
  readonly #tallies: TallyWriter;
  readonly #graph: LinkGraph;
  readonly #parameters: ParameterLearner;
  readonly #judge: PageJudge;
  readonly #fileIds = new Map<string, number>();
  /** Of the batch under way. */
  #redirectIds = new Map<number, number>();
  readonly #waiting: StatementSync;
  readonly #finish: StatementSync;
  readonly #redirectOf: StatementSync;
  readonly #insertPage: StatementSync;
  readonly #insertCapture: StatementSync;
  readonly #newRank: StatementSync;
  readonly #newPromise: StatementSync;
  readonly #updateHost: StatementSync;
  readonly #updateRobots: StatementSync;
  readonly #upsertFile: StatementSync;

  constructor(
    db: DatabaseSync,
    discovery: Discovery,
    tallies: TallyWriter,
    graph: LinkGraph,
    parameters: ParameterLearner,
    near: NearDuplicates,
  ) {
    this.#db = db;
    this.#discovery = discovery;
    this.#tallies = tallies;
    this.#graph = graph;
    this.#parameters = parameters;
    this.#judge = new PageJudge(db, discovery, near);
    this.#waiting = db.prepare(
      `SELECT u.failures FROM urls u JOIN hosts h ON h.id = u.host_id WHERE u.id = ? AND u.state = 0 AND h.lease_owner = ?`,
    );
    this.#finish = db.prepare(
      'UPDATE urls SET state = ?, reason = ?, failures = ?, due_at = ?, redirect_to = ? WHERE id = ?',
    );
    this.#redirectOf = db.prepare('SELECT redirect_to AS next FROM urls WHERE id = ?');
    this.#insertPage = db.prepare(
      `INSERT OR REPLACE INTO pages (url_id, bytes, digest, canonical, duplicate_of, noindex, outlinks, relevance, graph_seq,
         title, language, near_of, similarity, sketch)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#insertCapture = db.prepare('INSERT OR REPLACE INTO captures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#newRank = db.prepare('UPDATE urls SET rank = ? WHERE id = ? AND state = 0');
    this.#newPromise = db.prepare(
      'UPDATE urls SET rank = ?1, relevance = ?2 WHERE id = ?3 AND state = 0 AND coalesce(relevance, 0) < ?2',
    );
    this.#updateHost = db.prepare(
      `UPDATE hosts SET asked_at = max(asked_at, ?), delay_ms = ?, blocked_until = max(blocked_until, ?)
       WHERE id = ? AND lease_owner = ?`,
    );
    this.#updateRobots = db.prepare(
      'UPDATE hosts SET robots_status = ?, robots_body = ?, robots_at = ? WHERE id = ? AND lease_owner = ?',
    );
    this.#upsertFile = db.prepare(
      `INSERT INTO archive_files (name, bytes) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET bytes = max(bytes, excluded.bytes)
       RETURNING id`,
    );
  }

  commit(batch: CommitBatch): CommitReceipt {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const receipt = this.#write(batch);
      this.#db.exec('COMMIT');
      return receipt;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      this.#discovery.forget();
      this.#graph.forget();
      this.#parameters.forget();
      this.#judge.forget();
      this.#fileIds.clear();
      throw error;
    }
  }

  #write(batch: CommitBatch): CommitReceipt {
    const tally = new Tally();
    for (const [name, bytes] of batch.archive) {
      this.#fileIds.set(name, (this.#upsertFile.get(name, bytes) as { id: number }).id);
    }
    const linkIds: (readonly number[])[] = [];
    const states: (UrlState | null)[] = [];
    const met = new Map<FoundUrl, number>();
    this.#redirectIds = new Map();
    const graphSeq = this.#graph.nextSeq();
    for (const result of batch.results) {
      const found = this.#idsOf(result, met, batch.patternBudget, tally);
      linkIds.push(found);
      states.push(this.#writeResult(result, found, batch, graphSeq, tally));
    }
    this.rerank(batch.ranks);
    for (const found of batch.found) this.#discovery.idOf(found, null, batch.patternBudget, tally);
    for (const { hostId, manners, robots } of batch.hosts) {
      this.#updateHost.run(manners.askedAtMs, manners.delayMs, manners.blockedUntilMs, hostId, batch.owner);
      if (robots) this.#updateRobots.run(robots.status, robots.body, robots.fetchedAtMs, hostId, batch.owner);
    }
    this.#discovery.write();
    this.#judge.write();
    const uncountedLinks = this.#graph.write(graphSeq);
    this.#tallies.write(tally, batch.nowMs);
    return {
      linkIds,
      states,
      redirectIds: this.#redirectIds,
      discovered: tally.discovered,
      uncountedLinks,
      ...this.#parameters.takeNews(),
    };
  }

  rerank(ranks: readonly NewRank[]): void {
    for (const { id, rank, relevance } of ranks) {
      if (relevance === undefined) this.#newRank.run(rank, id);
      else this.#newPromise.run(rank, relevance, id);
    }
  }

  /** `met`: the links of this batch so far; one object may stand in many results, and is looked up once. */
  #idsOf({ id, foundLinks }: UrlResult, met: Map<FoundUrl, number>, patternBudget: number, tally: Tally): number[] {
    const unmet = foundLinks.filter((link) => !met.has(link));
    const ids = this.#discovery.idsOf(unmet, id, patternBudget, tally);
    for (const [i, link] of unmet.entries()) met.set(link, ids[i]!);
    return foundLinks.map((link) => met.get(link)!);
  }

  #writeResult(
    result: UrlResult,
    found: readonly number[],
    batch: CommitBatch,
    graphSeq: number,
    tally: Tally,
  ): UrlState | null {
    const waiting = this.#waiting.get(result.id, batch.owner) as { failures: number } | undefined;
    if (waiting === undefined) return null;
    const standIn = result.standIn ? this.#discovery.idOf(result.standIn, result.id, batch.patternBudget, tally) : null;
    if (result.reason === 'ignored-parameter' && !this.#parameters.mayLeaveOut(result, standIn)) return null;
    const redirectTo = result.redirectTo
      ? this.#discovery.idOf(result.redirectTo, result.id, batch.patternBudget, tally)
      : null;
    const judged = this.#judge.judge(result, batch, tally);
    if (redirectTo !== null) this.#redirectIds.set(result.id, redirectTo);
    const looped = redirectTo !== null && leadsTo(result.id, redirectTo, this.#redirectOf);
    const state = looped ? 'failed' : judged.state;
    const reason = looped ? 'redirect-loop' : judged.reason;
    this.#finish.run(URL_STATES.indexOf(state), reason, result.failures, result.dueAtMs, redirectTo, result.id);
    tally.leaves(result.hostId, 'waiting', null);
    tally.add('retrying', (state === 'waiting' && result.failures > 0 ? 1 : 0) - (waiting.failures > 0 ? 1 : 0));
    tally.enters(result.hostId, state, state === 'waiting' ? null : reason);
    if (batch.learnParameters) this.#parameters.observe(result, state, reason, tally);
    if (result.page) {
      const foundValues = found.map((id, i) => linkValue(id, result.foundAttributes[i]!));
      const links = encodeLinkList(result.knownLinks, foundValues);
      this.#graph.add(result.id, links);
      this.#writePage(result.id, result.page, judged, links.count, graphSeq);
      this.#judge.compareHosts(result, judged);
      tally.add('bytes', result.page.bytes);
      tally.add('wire-bytes', result.page.wireBytes);
      if (result.page.relevance !== null) {
        tally.add('judged', 1);
        tally.add('on-topic', result.page.relevance >= ON_TOPIC ? 1 : 0);
      }
    }
    if (result.capture) this.#writeCapture(result.id, result.capture);
    return state;
  }

  #writePage(
    id: number,
    page: PageRecord,
    { canonical, duplicateOf, near }: Judgement,
    outlinks: number,
    graphSeq: number,
  ): void {
    this.#insertPage.run(
      id,
      page.bytes,
      Buffer.from(page.digest, 'hex'),
      canonical,
      duplicateOf,
      page.noindex ? 1 : 0,
      outlinks,
      page.relevance,
      graphSeq,
      page.title,
      page.language,
      near?.of ?? null,
      near?.similarity ?? null,
      near === null && duplicateOf === null && page.sketch ? bytesOf(page.sketch) : null,
    );
  }

  #writeCapture(id: number, capture: CaptureRecord): void {
    const fileId = this.#fileIds.get(capture.file);
    if (fileId === undefined) throw new Error(`capture in ${capture.file}, which the batch does not name`);
    this.#insertCapture.run(
      id,
      capture.fetchedAtMs,
      capture.status,
      capture.contentType,
      capture.payloadDigest,
      fileId,
      capture.offset,
      capture.length,
      capture.revisit ? 1 : 0,
    );
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
