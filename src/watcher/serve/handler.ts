/**
 * The watcher's side of HTTP: requests come in, and what is asked for under our few paths is answered; the rest is not ours. Always
 * holds: no parameter reaches the file system, nobody can do more than read and hold the lease, and whatever is sent, the work and the memory
 * that it costs are bounded. Bodies of requests are never read.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, systemClock } from '../../core/clock.ts';
import { ReportShelf, type ShelfLimits } from '../report/report-shelf.ts';
import { answerText, limitSending } from './answer.ts';
import { clientAddress, LOOPBACK, trustedProxies } from './client-address.ts';
import { parseQuestion } from './question.ts';
import { type Rate, RateLimit } from './rate-limit.ts';
import { authorityOf, requestTarget, siteFor } from './request-target.ts';
import { answerBusy, type ServedSite, SiteDesk } from './site-desk.ts';

export const REPORT_PATH = '/.well-known/orbweaver-report';
export const SITEMAP_PATH = '/.well-known/orbweaver-sitemap.xml';

export interface HandlerOptions {
  readonly path: string;
  /** Of the index; null: no sitemaps. */
  readonly sitemapPath: string | null;
  /** Whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  readonly perClient: Rate;
  readonly overall: Rate;
  /** Answers under way at a time. */
  readonly maxUnderWay: number;
  /** How long sending one answer may take. */
  readonly sendMs: number;
  readonly shelf: Partial<ShelfLimits>;
  readonly clock: Clock;
  /** Of a clock that only goes on. */
  readonly steadyMs: () => number;
  /** Awaited between pieces of longer work. */
  readonly breathe?: () => Promise<void>;
  /** A fault of ours; who asked is told no more than that there was one. */
  readonly onFault: (error: unknown) => void;
}

export const HANDLER_OPTIONS: HandlerOptions = {
  path: REPORT_PATH,
  sitemapPath: SITEMAP_PATH,
  trustedProxies: LOOPBACK,
  perClient: { burst: 60, perSecond: 5 },
  overall: { burst: 1_000, perSecond: 200 },
  maxUnderWay: 256,
  sendMs: 120_000,
  shelf: {},
  clock: systemClock,
  steadyMs: () => performance.now(),
  onFault: () => undefined,
};

/** False: not ours, and nothing was done. */
export type ReportHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

type Ask = (desk: SiteDesk, request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

export function reportHandler(sites: readonly ServedSite[], given: Partial<HandlerOptions> = {}): ReportHandler {
  const options = { ...HANDLER_OPTIONS, ...given };
  const shelf = new ReportShelf(options.shelf);
  const forSitemaps = { nowMs: options.steadyMs, breathe: options.breathe };
  const desks = new Map(sites.map((site) => [authorityOf(site.source.site), new SiteDesk(site, shelf, forSitemaps)]));
  if (desks.size < sites.length) throw new Error('two sites have the same authority');
  const proxies = trustedProxies(options.trustedProxies);
  const limit = new RateLimit(options.perClient, options.overall);
  let underWay = 0;

  return (request, response) => {
    const { path, query } = requestTarget(request);
    const desk = siteFor(desks, request);
    const ask = desk === null ? null : askAt(options, desk, path, query);
    if (ask === null || desk === null) return false;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      answerText(request, response, 405, 'Only GET and HEAD.\n', { Allow: 'GET, HEAD' });
      return true;
    }
    const waitSeconds = limit.take(clientAddress(request, proxies), options.steadyMs());
    if (waitSeconds > 0) {
      answerText(request, response, 429, 'Too many questions.\n', { 'Retry-After': waitSeconds });
      return true;
    }
    if (underWay >= options.maxUnderWay) {
      answerBusy(request, response);
      return true;
    }
    underWay++;
    limitSending(response, options.clock, options.sendMs);
    response.once('close', () => underWay--);
    // Without a listener, what a reader does to its connection would be a fault of ours.
    response.on('error', () => undefined);
    Promise.resolve(ask(desk, request, response)).catch((error: unknown) => {
      // Who went away before the end is no fault.
      if (!response.destroyed) options.onFault(error);
      if (response.headersSent) response.destroy();
      else answerText(request, response, 500, 'This went wrong here.\n');
    });
    return true;
  };
}

/** What is at a path; null: nothing of ours. */
function askAt(
  { path: reportPath, sitemapPath }: HandlerOptions,
  desk: SiteDesk,
  path: string,
  query: string | null,
): Ask | null {
  if (path === reportPath) return (desk, request, response) => askReport(desk, request, response, query ?? '');
  const text = desk.textAt(path);
  if (text !== null) return (_, request, response) => answerText(request, response, 200, text);
  const part = sitemapPath === null || !desk.isMapped ? null : sitemapPart(path, sitemapPath);
  if (part === null) return null;
  return (desk, request, response) =>
    query === null ? desk.answerSitemap(request, response, sitemapPath!, part.number) : refuse(request, response);
}

function askReport(desk: SiteDesk, request: IncomingMessage, response: ServerResponse, query: string) {
  const question = parseQuestion(query);
  const isAsked = question !== null && (request.method === 'GET' || (question.take ?? question.release) === null);
  return isAsked ? desk.answer(request, response, question) : refuse(request, response);
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  answerText(request, response, 400, 'No question that a report answers.\n');
}

function sitemapPart(path: string, index: string): { readonly number: number | null } | null {
  if (path === index) return { number: null };
  const stem = `${index.replace(/\.xml$/, '')}-`;
  const [, number] = path.startsWith(stem) ? (/^([1-9]\d{0,4})\.xml$/.exec(path.slice(stem.length)) ?? []) : [];
  return number === undefined ? null : { number: Number(number) };
}
