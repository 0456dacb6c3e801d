/**
 * The HTTP side of the watcher. In: requests. Out: responses for the few paths of the watcher; other requests are left
 * alone. What always holds: no parameter reaches the file system; a client can only read and hold the lease; the work
 * and memory for any request are bounded. Request bodies are never read.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { systemClock } from '../../core/clock.ts';
import { addressList, clientOf, LOOPBACK } from '../admit/client-address.ts';
import type { Visitor } from '../admit/lease-admission.ts';
import { RateLimit } from '../admit/rate-limit.ts';
import { partNumber } from '../announce/sitemap.ts';
import { type CacheLimits, ReportCache } from '../report/report-cache.ts';
import { answerText } from './answer.ts';
import { FairSlots } from './fair-slots.ts';
import { whenGone } from './on-disconnect.ts';
import { parseQuestion } from './question.ts';
import { authorityOf, requestTarget, siteFor } from './request-target.ts';
import { answerBusy, type ServedSite, SiteEndpoint } from './site-endpoint.ts';

export const REPORT_PATH = '/.well-known/orbweaver-report';
export const SITEMAP_PATH = '/.well-known/orbweaver-sitemap.xml';

const HANDLER_OPTIONS = {
  path: REPORT_PATH,
  /** The path of the sitemap index; null for no sitemaps. */
  sitemapPath: SITEMAP_PATH as string | null,
  /** Proxies that the owner named. Their `X-Forwarded-For` is trusted, also for rights that depend on addresses. */
  trustedProxies: [] as readonly string[],
  /** Proxies on this machine. Their `X-Forwarded-For` says for which client a question is counted. */
  localProxies: LOOPBACK as readonly string[],
  perClient: { burst: 60, perSecond: 5 },
  overall: { burst: 1_000, perSecond: 200 },
  /** Number of responses that may run at a time. */
  maxUnderWay: 256,
  /** Limit for the time to send one response. */
  sendMs: 120_000,
  cache: {} as Partial<CacheLimits>,
  clock: systemClock,
  /** Time of a monotonic clock. */
  steadyMs: () => performance.now(),
  /** Receives the approximate time that questions take. Node's own time for each question cannot be measured here. */
  spent: (_ms: number): void => undefined,
  /** Called for internal errors. The client only learns that there was an error. */
  onFault: (_error: unknown): void => undefined,
};
export type HandlerOptions = Readonly<typeof HANDLER_OPTIONS>;

/** False if the path does not belong to the watcher; nothing was done. */
export type ReportHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

interface Asked {
  /** The number of questions that this request counts for. */
  readonly cost: number;
  answer(request: IncomingMessage, response: ServerResponse, visitor: Visitor): Promise<void> | void;
}

/** A proxy that does not name its clients may ask this many times as much. */
const SHARED_SCALE = 10;
/** The estimated time that Node needs to read a question and to send a response. */
const QUESTION_MS = 0.5;
/** A sitemap is made again for each request. */
const SITEMAP_COST = 10;

export function reportHandler(sites: readonly ServedSite[], given: Partial<HandlerOptions> = {}): ReportHandler {
  const options = { ...HANDLER_OPTIONS, ...given };
  const slots = new FairSlots(options.maxUnderWay);
  const cache = new ReportCache({ disconnectSlowReader: () => slots.free(), spent: options.spent, ...options.cache });
  const clocks = { nowMs: () => options.clock.now(), steadyMs: options.steadyMs };
  const endpointOf = (site: ServedSite) => new SiteEndpoint(site, cache, clocks);
  const endpoints = new Map(sites.map((site) => [authorityOf(site.source.site), endpointOf(site)]));
  if (endpoints.size < sites.length) throw new Error('two sites have the same authority');
  const proxies = { named: addressList(options.trustedProxies), local: addressList(options.localProxies) };
  const limit = new RateLimit(options.perClient, options.overall);

  return (request, response) => {
    const { path, query } = requestTarget(request);
    const endpoint = siteFor(endpoints, request);
    const asked = endpoint === null ? null : askAt(options, endpoint, path, query);
    if (asked === null || endpoint === null) return false;
    options.spent(QUESTION_MS);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      answerText(request, response, 405, 'Only GET and HEAD are allowed.\n', { Allow: 'GET, HEAD' });
      return true;
    }
    const client = clientOf(request, proxies);
    const visitor = endpoint.visitor(request, client, query ?? '');
    const counted = visitor?.client ?? client.counted;
    const scale = client.isShared ? SHARED_SCALE : 1;
    const waitSeconds = limit.take(counted, options.steadyMs(), asked.cost, scale);
    if (waitSeconds > 0) {
      answerText(request, response, 429, 'Too many requests. Retry later.\n', { 'Retry-After': waitSeconds });
      return true;
    }
    if (visitor === null) {
      answerText(request, response, 401, 'The name and key are unknown, or the clocks differ by minutes.\n');
      return true;
    }
    // Destroys the connection too: a pipelined response cannot be ended alone.
    const leave = slots.take(counted, () => request.socket.destroy());
    if (leave === null) {
      answerBusy(request, response);
      return true;
    }
    const cancel = options.clock.after(options.sendMs, () => request.socket.destroy());
    whenGone(request, response, () => {
      cancel();
      leave();
    });
    // Without a listener, a connection error of the reader would be an uncaught error.
    response.on('error', () => undefined);
    Promise.resolve(asked.answer(request, response, visitor)).catch((error: unknown) => {
      // A reader that disconnected early is not an error.
      if (!response.destroyed) options.onFault(error);
      if (response.headersSent) response.destroy();
      else answerText(request, response, 500, 'Internal error.\n');
    });
    return true;
  };
}

/** Finds the answer for a path; null if the path does not belong to the watcher. */
function askAt(
  { path: reportPath, sitemapPath }: HandlerOptions,
  endpoint: SiteEndpoint,
  path: string,
  query: string | null,
): Asked | null {
  if (path === reportPath) return reportAt(endpoint, query ?? '');
  const text = endpoint.textAt(path);
  if (text !== null) return { cost: 1, answer: (request, response) => answerText(request, response, 200, text) };
  const part = sitemapPath === null || !endpoint.isMapped ? null : sitemapPart(path, sitemapPath);
  if (part === null) return null;
  return {
    cost: SITEMAP_COST,
    answer: (request, response) =>
      query === null ? endpoint.answerSitemap(request, response, sitemapPath!, part.number) : refuse(request, response),
  };
}

function reportAt(endpoint: SiteEndpoint, query: string): Asked {
  return {
    cost: 1,
    answer: (request, response, visitor) => {
      const question = parseQuestion(query);
      const isAsked = question !== null && (request.method === 'GET' || (question.take ?? question.release) === null);
      return isAsked ? endpoint.answer(request, response, question, visitor) : refuse(request, response);
    },
  };
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  answerText(request, response, 400, 'Unknown or invalid query parameters.\n');
}

function sitemapPart(path: string, index: string): { readonly number: number | null } | null {
  if (path === index) return { number: null };
  const number = partNumber(path, index);
  return number === null ? null : { number };
}
