/**
 * Commit: what became of a batch of URLs, in one transaction — their states, pages, captures, the links they carry, the
 * manners of their hosts, and how far the archive's files are valid.
 *
 * A result counts only while its URL waits and its host is leased to the sender: the same batch again, or a late one from
 * an owner whose lease was taken over, changes nothing but making links known, which is harmless.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ON_TOPIC } from '../../core/on-topic.ts';
import type { Reason } from '../../core/reasons.ts';
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
import type { LinkGraph } from './link-graph.ts';
import { Mirrors } from './mirrors.ts';
import type { NearDuplicate, NearDuplicates } from './near-duplicates.ts';
import type { ParameterLearner } from './parameters.ts';
import { Tally, type TallyWriter } from './tally.ts';

/** What a page turned out to be a copy of. */
interface Judgement {
  readonly state: UrlState;
  readonly reason: Reason | null;
  readonly canonical: number | null;
  readonly duplicateOf: number | null;
  readonly near: NearDuplicate | null;
}

/** Chains of redirects and of canonical links are followed this far to see whether they lead back. */
const MAX_CHAIN = 100;

export class Committer {
  readonly #db: DatabaseSync;
  readonly #discovery: Discovery;
  readonly #tallies: TallyWriter;
  readonly #graph: LinkGraph;
  readonly #parameters: ParameterLearner;
  readonly #near: NearDuplicates;
  readonly #mirrors: Mirrors;
  readonly #fileIds = new Map<string, number>();
  /** Of the batch under way. */
  #redirectIds = new Map<number, number>();
  readonly #waiting: StatementSync;
  readonly #finish: StatementSync;
  readonly #redirectOf: StatementSync;
  readonly #duplicateOf: StatementSync;
  readonly #firstOfContent: StatementSync;
  readonly #insertContent: StatementSync;
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
    this.#near = near;
    this.#mirrors = new Mirrors(db);
    this.#waiting = db.prepare(
      `SELECT u.failures FROM urls u JOIN hosts h ON h.id = u.host_id WHERE u.id = ? AND u.state = 0 AND h.lease_owner = ?`,
    );
    this.#finish = db.prepare(
      'UPDATE urls SET state = ?, reason = ?, failures = ?, due_at = ?, redirect_to = ? WHERE id = ?',
    );
    this.#redirectOf = db.prepare('SELECT redirect_to AS next FROM urls WHERE id = ?');
    this.#duplicateOf = db.prepare('SELECT duplicate_of AS next FROM pages WHERE url_id = ?');
    this.#firstOfContent = db.prepare('SELECT url_id FROM contents WHERE digest = ?');
    this.#insertContent = db.prepare('INSERT INTO contents (digest, url_id) VALUES (?, ?)');
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
      this.#near.forget();
      this.#mirrors.forget();
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
    this.#near.write();
    this.#mirrors.write();
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
    const judged = this.#judge(result, batch, tally);
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
      this.#compareHosts(result, judged);
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

  /**
   * Duplicate by canonical link (C7), then by identical content: the first page committed with it is the original. Of pages
   * that name each other in a ring the last one stays, or none of them would be a page of the copy. What is no duplicate may
   * still be nearly one (E5); it stays a page.
   */
  #judge({ id, state, reason, page }: UrlResult, batch: CommitBatch, tally: Tally): Judgement {
    if (!page) return { state, reason, canonical: null, duplicateOf: null, near: null };
    const canonical = page.canonical ? this.#discovery.idOf(page.canonical, id, batch.patternBudget, tally) : null;
    if (canonical !== null && !leadsTo(id, canonical, this.#duplicateOf)) {
      return { state: 'duplicate', reason: 'duplicate-canonical', canonical, duplicateOf: canonical, near: null };
    }
    if (page.bytes === 0) return { state, reason, canonical, duplicateOf: null, near: null };
    const digest = Buffer.from(page.digest.slice(0, 32), 'hex');
    const first = this.#firstOfContent.get(digest) as { url_id: number } | undefined;
    if (first === undefined) this.#insertContent.run(digest, id);
    if (first !== undefined && first.url_id !== id) {
      return { state: 'duplicate', reason: 'duplicate-content', canonical, duplicateOf: first.url_id, near: null };
    }
    const near = page.sketch ? this.#near.judge(id, page.sketch, batch.nearDuplicate ?? 0, cutBytes(page)) : null;
    return { state, reason: reason ?? (near && 'near-duplicate'), canonical, duplicateOf: null, near };
  }

  /** A page that only names another as its canonical one, and an empty one, say nothing of their hosts. */
  #compareHosts({ id, hostId, url, page }: UrlResult, { reason, duplicateOf, near }: Judgement): void {
    if (page!.bytes === 0 || reason === 'duplicate-canonical') return;
    this.#mirrors.compare(id, hostId, url, duplicateOf ?? near?.of ?? null);
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

/** The size that a page like this one has to come near to; 0 where its text says all. */
function cutBytes({ bytes, isSketchCut }: PageRecord): number {
  return isSketchCut ? bytes : 0;
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Whether the chain that begins at `from` comes by `id`. */
function leadsTo(id: number, from: number, next: StatementSync): boolean {
  let at: number | null = from;
  for (let step = 0; step < MAX_CHAIN && at !== null; step++) {
    if (at === id) return true;
    at = (next.get(at) as { next: number | null } | undefined)?.next ?? null;
  }
  return false;
}
