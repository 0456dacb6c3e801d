/**
 * Answers the questions about one site. A question that was parsed comes in, the answer goes out. Always holds: a lease is
 * given only to who is sent it, and nobody is told more than the report says.
 */

import { createHash } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { PROOF_HEADER } from '../../core/report-proof.ts';
import { safeJson } from '../../core/safe-text.ts';
import { LeaseAdmission, type Visitor } from '../admit/lease-admission.ts';
import type { Permission } from '../admit/lease-shares.ts';
import { indexXml, partXml } from '../announce/sitemap.ts';
import { SitemapDesk, type SitemapDeskOptions } from '../announce/sitemap-desk.ts';
import type { LeaseKeeper, LeaseView, TakeOutcome } from '../report/lease-keeper.ts';
import { headLine, leaseField } from '../report/report-lines.ts';
import { type LentReport, type ReportShelf, reportName } from '../report/report-shelf.ts';
import type { ReportSource } from '../report/report-source.ts';
import { answerReport, answerStream, answerText, isKnownTo } from './answer.ts';
import type { Client } from './client-address.ts';
import type { Question } from './question.ts';
import { isGone, whenGone } from './when-gone.ts';

/** A site and who may crawl it; without a keeper there is no lease to take. */
export interface ServedSite {
  readonly source: ReportSource;
  readonly lease: LeaseKeeper | null;
  /** Who may take it; left out: anybody, as often and for as long as the keeper allows. */
  readonly admission?: LeaseAdmission;
  /** Without a sitemap of ours. */
  readonly isUnmapped?: boolean;
  /** Texts served as they are, by path: the key file of IndexNow. */
  readonly texts?: Readonly<Record<string, string>>;
}

export interface DeskClocks {
  nowMs(): number;
  /** Of a clock that only goes on. */
  steadyMs(): number;
}

const NO_LEASE: LeaseView = { by: 'none', held: false };
/** The first sweep takes minutes, not hours. */
const SWEEP_RETRY_SECONDS = 30;
const BUSY_RETRY_SECONDS = 5;

export class SiteDesk {
  readonly isMapped: boolean;
  readonly #texts: Readonly<Record<string, string>>;
  readonly #source: ReportSource;
  readonly #lease: LeaseKeeper | null;
  readonly #admission: LeaseAdmission;
  readonly #clocks: DeskClocks;
  readonly #shelf: ReportShelf;
  readonly #sitemaps: SitemapDesk;

  constructor(
    { source, lease, admission, isUnmapped, texts }: ServedSite,
    shelf: ReportShelf,
    clocks: DeskClocks,
    sitemaps: SitemapDeskOptions,
  ) {
    this.#admission = admission ?? new LeaseAdmission();
    this.#clocks = clocks;
    this.isMapped = isUnmapped !== true;
    this.#texts = texts ?? {};
    this.#source = source;
    this.#lease = lease;
    this.#shelf = shelf;
    this.#sitemaps = new SitemapDesk(source, sitemaps);
  }

  textAt(path: string): string | null {
    return Object.hasOwn(this.#texts, path) ? this.#texts[path]! : null;
  }

  /** Who asks; null where it has a proof that is not good. */
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
    // To one who may not take it, it is shown only while somebody has it.
    const keeper = isLeaseOpen || this.#lease?.view().held === true ? this.#lease : null;
    if (take !== null && keeper !== null) return this.#answerTake(request, response, question, keeper, visitor);
    if (release !== null && this.#lease !== null) {
      if (!(await this.#lease.release(release))) {
        answerRefusal(request, response, { isGiven: false, lease: this.#lease.view(), retryAfterMs: 1_000 });
        return;
      }
      this.#admission.ended(this.#clocks.steadyMs());
    }
    // A lease that is given or taken back is nothing to keep.
    const isLease = take !== null || release !== null;
    const asked = { since: question.since, limit: release === null ? question.limit : 0 };
    const etag = `W/"${createHash('sha256').update(reportName(this.#source, asked)).digest('base64url').slice(0, 22)}"`;
    const headers: OutgoingHttpHeaders = isLease
      ? { 'Cache-Control': 'no-store' }
      : { 'Cache-Control': 'no-cache', ETag: etag };
    if (!isLease && isKnownTo(request, etag)) return answerText(request, response, 304, '', headers);
    const lent = await this.#shelf.lend(this.#source, asked, visitor.client);
    if (lent === null) return answerBusy(request, response);
    await this.#send(request, response, lent, keeper?.view() ?? NO_LEASE, headers);
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
    // Before anything is put together; asked again when it is this one's turn.
    const refusal = keeper.refusal(wanted);
    if (refusal !== null) return answerRefusal(request, response, refusal);
    const permission = this.#permission(visitor, wanted.token);
    if ('waitMs' in permission) {
      const refused = { isGiven: false as const, lease: keeper.view(), retryAfterMs: permission.waitMs };
      return answerRefusal(request, response, refused);
    }
    const lent = await this.#shelf.lend(this.#source, question, visitor.client);
    if (lent === null) return answerBusy(request, response);
    const outcome = await keeper.take({ ...wanted, mostMs: permission.mostMs }).catch((error: unknown) => {
      lent.giveBack();
      throw error;
    });
    if (!outcome.isGiven) {
      lent.giveBack();
      return answerRefusal(request, response, outcome);
    }
    const nowMs = this.#clocks.steadyMs();
    this.#admission.gave(visitor, nowMs, nowMs + outcome.forMs);
    // Gone before it was told.
    if (isGone(request, response) && wanted.token === null) {
      await keeper.takeBack(outcome.lease.token);
      this.#admission.ended(this.#clocks.steadyMs());
    }
    await this.#send(request, response, lent, outcome.lease, { 'Cache-Control': 'no-store' });
  }

  /** A holder that has its token makes the lease longer within what it was given at first. */
  #permission(visitor: Visitor, token: string | null): Permission {
    if (token !== null) return { mostMs: Number.MAX_SAFE_INTEGER };
    const permission = this.#admission.ask(visitor, this.#clocks.steadyMs());
    if ('waitMs' in permission || this.#admission.use(visitor, this.#clocks.nowMs())) return permission;
    return { waitMs: 1_000 };
  }

  async answerSitemap(request: IncomingMessage, response: ServerResponse, path: string, part: number | null) {
    if (!this.#isReady(request, response)) return;
    const parts = await this.#sitemaps.plan();
    if (part !== null && parts[part - 1] === undefined) return answerText(request, response, 404, 'No such sitemap.\n');
    const xml =
      part === null ? whole(indexXml(this.#source.site, path, parts)) : partXml(this.#source, parts[part - 1]!);
    await answerStream(request, response, 'application/xml; charset=utf-8', xml);
  }

  #isReady(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.#source.memory.isComplete) return true;
    const text = 'The site has not been looked through yet.\n';
    answerText(request, response, 503, text, { 'Retry-After': SWEEP_RETRY_SECONDS });
    return false;
  }

  async #send(
    request: IncomingMessage,
    response: ServerResponse,
    { report, giveBack }: LentReport,
    lease: LeaseView,
    headers: OutgoingHttpHeaders,
  ): Promise<void> {
    whenGone(request, response, giveBack);
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
  answerText(request, response, 503, 'Too much is under way.\n', { 'Retry-After': BUSY_RETRY_SECONDS });
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
