/**
 * Answers the questions about one site. In: a parsed question. Out: the response. What always holds: a lease is given
 * only to the client that receives it, and no client learns more than the report contains.
 */

import { createHash } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { PROOF_HEADER } from '../../core/report-proof.ts';
import { safeJson } from '../../core/safe-text.ts';
import type { Client } from '../admit/client-address.ts';
import { LeaseAdmission, type Visitor } from '../admit/lease-admission.ts';
import type { Permission } from '../admit/lease-shares.ts';
import { indexXml, partXml, SitemapPlanner } from '../announce/sitemap.ts';
import type { LeaseKeeper, LeaseView, TakeOutcome } from '../report/lease-keeper.ts';
import { type BorrowedReport, type ReportCache, reportName } from '../report/report-cache.ts';
import { headLine, leaseField } from '../report/report-lines.ts';
import type { ReportSource } from '../report/report-source.ts';
import { answerReport, answerStream, answerText, isKnownTo } from './answer.ts';
import { isGone, whenGone } from './on-disconnect.ts';
import type { Question } from './question.ts';

/** A site and its lease; without a lease keeper there is no lease to take. */
export interface ServedSite {
  readonly source: ReportSource;
  readonly lease: LeaseKeeper | null;
  /** Decides who may take the lease. If absent, anyone may take it as often and as long as the keeper allows. */
  readonly admission?: LeaseAdmission;
  /** The watcher serves no sitemap for this site. */
  readonly isUnmapped?: boolean;
  /** Texts that are served as they are, by path: the key file of IndexNow. */
  readonly texts?: Readonly<Record<string, string>>;
}

export interface EndpointClocks {
  nowMs(): number;
  /** Time of a monotonic clock. */
  steadyMs(): number;
}

const NO_LEASE: LeaseView = { by: 'none', held: false };
/** The first sweep takes minutes, not hours. */
const SWEEP_RETRY_SECONDS = 30;
const BUSY_RETRY_SECONDS = 5;

export class SiteEndpoint {
  readonly isMapped: boolean;
  readonly #texts: Readonly<Record<string, string>>;
  readonly #source: ReportSource;
  readonly #lease: LeaseKeeper | null;
  readonly #admission: LeaseAdmission;
  readonly #clocks: EndpointClocks;
  readonly #cache: ReportCache;
  readonly #sitemaps: SitemapPlanner;

  constructor({ source, lease, admission, isUnmapped, texts }: ServedSite, cache: ReportCache, clocks: EndpointClocks) {
    this.#admission = admission ?? new LeaseAdmission();
    this.#clocks = clocks;
    this.isMapped = isUnmapped !== true;
    this.#texts = texts ?? {};
    this.#source = source;
    this.#lease = lease;
    this.#cache = cache;
    this.#sitemaps = new SitemapPlanner(source, clocks.steadyMs);
  }

  textAt(path: string): string | null {
    return Object.hasOwn(this.#texts, path) ? this.#texts[path]! : null;
  }

  /** Identifies the client; null if its proof is invalid. */
  visitor(request: IncomingMessage, client: Client, query: string): Visitor | null {
    const given = request.headers[PROOF_HEADER.toLowerCase()];
    const proof = given === undefined ? null : String(given);
    return this.#admission.visitor(client, proof, { site: this.#source.site, query, nowMs: this.#clocks.nowMs() });
  }

  async answer(
    request: IncomingMessage,
    response: ServerResponse,
    question: Question,
    visitor: Visitor,
  ): Promise<void> {
    if (!this.#isReady(request, response)) return;
    const { take, release } = question;
    const isLeaseOpen = visitor.isKnown || this.#admission.isForAnyone;
    // A client that may not take the lease sees it only while it is held.
    const keeper = isLeaseOpen || this.#lease?.view().held === true ? this.#lease : null;
    if (take !== null && keeper !== null) return this.#answerTake(request, response, question, keeper, visitor);
    if (release !== null && this.#lease !== null) {
      if (!(await this.#lease.release(release))) {
        answerRefusal(request, response, { isGiven: false, lease: this.#lease.view(), retryAfterMs: 1_000 });
        return;
      }
      this.#admission.ended(this.#clocks.steadyMs());
    }
    // The response to a take or a release must not be cached.
    const isLease = take !== null || release !== null;
    const asked = { since: question.since, limit: release === null ? question.limit : 0 };
    const etag = `W/"${createHash('sha256').update(reportName(this.#source, asked)).digest('base64url').slice(0, 22)}"`;
    const headers: OutgoingHttpHeaders = isLease
      ? { 'Cache-Control': 'no-store' }
      : { 'Cache-Control': 'no-cache', ETag: etag };
    if (!isLease && isKnownTo(request, etag)) return answerText(request, response, 304, '', headers);
    const borrowed = await this.#cache.borrow(this.#source, asked, visitor.client);
    if (borrowed === null) return answerBusy(request, response);
    await this.#send(request, response, borrowed, keeper?.view() ?? NO_LEASE, headers);
  }

  async #answerTake(
    request: IncomingMessage,
    response: ServerResponse,
    question: Question,
    keeper: LeaseKeeper,
    visitor: Visitor,
  ): Promise<void> {
    const { isKnown } = visitor;
    const wanted = { ...question.take!, seq: this.#source.memory.lastSeq, isKnown };
    // Checked before the report is built. The keeper checks again when the lease is taken.
    const refusal = keeper.refusal(wanted);
    if (refusal !== null) return answerRefusal(request, response, refusal);
    const permission = this.#permission(visitor, wanted.token);
    if ('waitMs' in permission) {
      const refused = { isGiven: false as const, lease: keeper.view(), retryAfterMs: permission.waitMs };
      return answerRefusal(request, response, refused);
    }
    const borrowed = await this.#cache.borrow(this.#source, question, visitor.client);
    if (borrowed === null) return answerBusy(request, response);
    const outcome = await keeper.take({ ...wanted, mostMs: permission.mostMs }).catch((error: unknown) => {
      borrowed.release();
      throw error;
    });
    if (!outcome.isGiven) {
      borrowed.release();
      return answerRefusal(request, response, outcome);
    }
    const nowMs = this.#clocks.steadyMs();
    this.#admission.gave(visitor, nowMs, nowMs + outcome.forMs);
    // The client disconnected before it received the lease.
    if (isGone(request, response) && wanted.token === null) {
      await keeper.takeBack(outcome.lease.token);
      this.#admission.ended(this.#clocks.steadyMs());
    }
    await this.#send(request, response, borrowed, outcome.lease, { 'Cache-Control': 'no-store' });
  }

  /** A holder with the token may renew the lease within its first time limit. */
  #permission(visitor: Visitor, token: string | null): Permission {
    if (token !== null) return { mostMs: Number.MAX_SAFE_INTEGER };
    const permission = this.#admission.ask(visitor, this.#clocks.steadyMs());
    if ('waitMs' in permission || this.#admission.use(visitor, this.#clocks.nowMs())) return permission;
    return { waitMs: 1_000 };
  }

  async answerSitemap(request: IncomingMessage, response: ServerResponse, path: string, part: number | null) {
    if (!this.#isReady(request, response)) return;
    const parts = await this.#sitemaps.plan();
    if (part !== null && parts[part - 1] === undefined) return answerText(request, response, 404, 'Not found.\n');
    const xml =
      part === null ? whole(indexXml(this.#source.site, path, parts)) : partXml(this.#source, parts[part - 1]!);
    await answerStream(request, response, 'application/xml; charset=utf-8', xml);
  }

  #isReady(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.#source.memory.isComplete) return true;
    const text = 'The first sweep of the site is not done. Retry later.\n';
    answerText(request, response, 503, text, { 'Retry-After': SWEEP_RETRY_SECONDS });
    return false;
  }

  async #send(
    request: IncomingMessage,
    response: ServerResponse,
    { report, release }: BorrowedReport,
    lease: LeaseView,
    headers: OutgoingHttpHeaders,
  ): Promise<void> {
    whenGone(request, response, release);
    if (isGone(request, response)) return;
    const { since, cursor, more, listing, gzipped } = report;
    const { site, memory } = this.#source;
    const now = { site, pages: memory.pageCount, atMs: memory.sweptAtMs, lease };
    await answerReport(request, response, headLine({ ...now, since, cursor, more, listing }), gzipped, headers);
  }
}

async function* whole(text: string): AsyncGenerator<string> {
  yield text;
}

export function answerBusy(request: IncomingMessage, response: ServerResponse): void {
  answerText(request, response, 503, 'The watcher is busy. Retry later.\n', { 'Retry-After': BUSY_RETRY_SECONDS });
}

function answerRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  { lease, retryAfterMs }: TakeOutcome & { isGiven: false },
): void {
  const text = `${safeJson({ lease: leaseField(lease) })}\n`;
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  answerText(request, response, 409, text, { 'Retry-After': seconds, 'Content-Type': 'application/json' });
}
