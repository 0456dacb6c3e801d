/**
 * The watcher's side of HTTP: requests come in, and what is asked for under our few paths is answered; the rest is not ours. Always
 * holds: no parameter reaches the file system, nobody can do more than read and hold the lease, and whatever is sent, the work and the memory
 * that it costs are bounded. Bodies of requests are never read.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, systemClock } from '../../core/clock.ts';
import type { Visitor } from '../admit/lease-admission.ts';
import { ReportShelf, type ShelfLimits } from '../report/report-shelf.ts';
import { answerText } from './answer.ts';
import { addressList, clientOf, LOOPBACK } from './client-address.ts';
import { FairSeats } from './fair-seats.ts';
import { parseQuestion } from './question.ts';
import { type Rate, RateLimit } from './rate-limit.ts';
import { authorityOf, requestTarget, siteFor } from './request-target.ts';
import { answerBusy, type ServedSite, SiteDesk } from './site-desk.ts';
import { whenGone } from './when-gone.ts';

export const REPORT_PATH = '/.well-known/orbweaver-report';
export const SITEMAP_PATH = '/.well-known/orbweaver-sitemap.xml';

export interface HandlerOptions {
  readonly path: string;
  /** Of the index; null: no sitemaps. */
  readonly sitemapPath: string | null;
  /** Proxies that the owner named: their `X-Forwarded-For` is believed, also where rights are given by addresses. */
  readonly trustedProxies: readonly string[];
  /** Proxies of this machine: their `X-Forwarded-For` says whom questions are counted for. */
  readonly localProxies: readonly string[];
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
  /** Told the time that questions take, about: what Node does for each of them cannot be measured from here. */
  readonly spent: (ms: number) => void;
  /** Awaited between pieces of longer work. */
  readonly breathe?: () => Promise<void>;
  /** A fault of ours; who asked is told no more than that there was one. */
  readonly onFault: (error: unknown) => void;
}

export const HANDLER_OPTIONS: HandlerOptions = {
  path: REPORT_PATH,
  sitemapPath: SITEMAP_PATH,
  trustedProxies: [],
  localProxies: LOOPBACK,
  perClient: { burst: 60, perSecond: 5 },
  overall: { burst: 1_000, perSecond: 200 },
  maxUnderWay: 256,
  sendMs: 120_000,
  shelf: {},
  clock: systemClock,
  steadyMs: () => performance.now(),
  spent: () => undefined,
  onFault: () => undefined,
};

/** False: not ours, and nothing was done. */
export type ReportHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

interface Asked {
  /** As many questions as it counts for. */
  readonly cost: number;
  answer(request: IncomingMessage, response: ServerResponse, visitor: Visitor): Promise<void> | void;
}

/** A proxy that does not say who asks stands for so many. */
const SHARED_SCALE = 10;
/** What Node takes to read a question and to send an answer. */
const QUESTION_MS = 0.5;
/** A sitemap is made anew for each who asks. */
const SITEMAP_COST = 10;

export function reportHandler(sites: readonly ServedSite[], given: Partial<HandlerOptions> = {}): ReportHandler {
  const options = { ...HANDLER_OPTIONS, ...given };
  const seats = new FairSeats(options.maxUnderWay);
  const shelf = new ReportShelf({ cutSlowReader: () => seats.free(), spent: options.spent, ...options.shelf });
  const forSitemaps = { nowMs: options.steadyMs, breathe: options.breathe };
  const clocks = { nowMs: () => options.clock.now(), steadyMs: options.steadyMs };
  const deskOf = (site: ServedSite) => new SiteDesk(site, shelf, clocks, forSitemaps);
  const desks = new Map(sites.map((site) => [authorityOf(site.source.site), deskOf(site)]));
  if (desks.size < sites.length) throw new Error('two sites have the same authority');
  const proxies = { named: addressList(options.trustedProxies), local: addressList(options.localProxies) };
  const limit = new RateLimit(options.perClient, options.overall);

  return (request, response) => {
    const { path, query } = requestTarget(request);
    const desk = siteFor(desks, request);
    const asked = desk === null ? null : askAt(options, desk, path, query);
    if (asked === null || desk === null) return false;
    options.spent(QUESTION_MS);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      answerText(request, response, 405, 'Only GET and HEAD.\n', { Allow: 'GET, HEAD' });
      return true;
    }
    const client = clientOf(request, proxies);
    const visitor = desk.visitor(request, client, query ?? '');
    const counted = visitor?.client ?? client.counted;
    const scale = client.isShared ? SHARED_SCALE : 1;
    const waitSeconds = limit.take(counted, options.steadyMs(), asked.cost, scale);
    if (waitSeconds > 0) {
      answerText(request, response, 429, 'Too many questions.\n', { 'Retry-After': waitSeconds });
      return true;
    }
    if (visitor === null) {
      answerText(request, response, 401, 'This name and key are not known here, or the clocks differ.\n');
      return true;
    }
    // The connection, too: an answer that waits behind another on it cannot be ended alone.
    const leave = seats.take(counted, () => request.socket.destroy());
    if (leave === null) {
      answerBusy(request, response);
      return true;
    }
    const cancel = options.clock.after(options.sendMs, () => request.socket.destroy());
    whenGone(request, response, () => {
      cancel();
      leave();
    });
    // Without a listener, what a reader does to its connection would be a fault of ours.
    response.on('error', () => undefined);
    Promise.resolve(asked.answer(request, response, visitor)).catch((error: unknown) => {
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
): Asked | null {
  if (path === reportPath) return reportAt(desk, query ?? '');
  const text = desk.textAt(path);
  if (text !== null) return { cost: 1, answer: (request, response) => answerText(request, response, 200, text) };
  const part = sitemapPath === null || !desk.isMapped ? null : sitemapPart(path, sitemapPath);
  if (part === null) return null;
  return {
    cost: SITEMAP_COST,
    answer: (request, response) =>
      query === null ? desk.answerSitemap(request, response, sitemapPath!, part.number) : refuse(request, response),
  };
}

function reportAt(desk: SiteDesk, query: string): Asked {
  return {
    cost: 1,
    answer: (request, response, visitor) => {
      const question = parseQuestion(query);
      const isAsked = question !== null && (request.method === 'GET' || (question.take ?? question.release) === null);
      return isAsked ? desk.answer(request, response, question, visitor) : refuse(request, response);
    },
  };
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
