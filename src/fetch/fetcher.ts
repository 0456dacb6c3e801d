import type { Clock } from '../core/clock.ts';
import { BodyBudget } from './body-budget.ts';
import { CookieJar } from './cookie-jar.ts';
import { Deadlines } from './deadlines.ts';
import { type DecodedBody, decodeBody } from './decode-body.ts';
import { DnsCache } from './dns-cache.ts';
import { Exchange } from './exchange.ts';
import { completeFetchOptions, type FetchOptions } from './fetch-options.ts';
import type { FetchReason } from './fetch-reasons.ts';
import { GuardedLookup } from './guarded-lookup.ts';
import { type HostPool, HostPools } from './host-pools.ts';
import { type FetchOutcome, headerValue, headerValues, refusedOutcome } from './outcome.ts';
import { PrivateJudge } from './private-rule.ts';
import { originHeaders, withExtraHeaders } from './request-headers.ts';
import { type RequestText, requestText, withRequestHeaders } from './request-text.ts';
import { parseRetryAfter } from './retry-after.ts';
import { redirectTarget, statusReason } from './status-reason.ts';
import type { OutgoingRequest, Transport } from './transport.ts';
import { createTransports } from './transports.ts';

/**
 * One request, as data. In comes a URL, out goes a `FetchOutcome`.
 *
 * What always holds: `fetch` neither throws nor rejects for anything the web does. A redirect is not followed: each hop
 * is an outcome of its own, so that scope, robots.txt, politeness and the rule about private addresses see every one.
 * Nothing is read beyond the limits, and every wait has an end.
 */
export class Fetcher {
  readonly #clock: Clock;
  readonly #options: FetchOptions;
  readonly #budget = new BodyBudget();
  readonly #deadlines: Deadlines;
  readonly #pools: HostPools;
  readonly #headers = new Map<string, RequestText>();
  readonly #cookies: CookieJar | null;
  readonly #guard: GuardedLookup;
  readonly #proxy: Transport | null;
  readonly #maySend: () => boolean;
  /** Requests under way, and whom they ask. */
  readonly #underWay = new Map<Exchange, string>();

  /** `maySend` is asked at the last instant before a request is written: a connection can be long in coming. */
  constructor(options: Partial<FetchOptions>, clock: Clock, maySend: () => boolean = () => true) {
    this.#clock = clock;
    this.#maySend = maySend;
    this.#options = completeFetchOptions(options);
    this.#deadlines = new Deadlines(clock, tickMs(this.#options));
    this.#cookies = this.#options.cookies ? new CookieJar(clock) : null;
    this.#guard = new GuardedLookup(new DnsCache(clock, this.#options.dns), new PrivateJudge(this.#options));
    const { createTransport, proxy } = createTransports(this.#options, this.#guard, this.#deadlines, () => clock.now());
    this.#proxy = proxy;
    this.#pools = new HostPools({ maxHosts: this.#options.maxOpenHosts, createTransport });
  }

  fetch(url: string, extraHeaders?: Readonly<Record<string, string>>): Promise<FetchOutcome> {
    const target = URL.parse(url);
    if (target === null || (target.protocol !== 'http:' && target.protocol !== 'https:')) {
      return Promise.resolve(refusedOutcome(url, this.#clock.now(), 'bad-url'));
    }
    return new Promise((resolve) => this.#start(target, url, extraHeaders, resolve));
  }

  /** Frees the connections of a host (scheme and authority); requests under way are finished. */
  closeHost(host: string): void {
    this.#pools.close(host);
    this.#headers.delete(host);
  }

  /** Ends what is under way at a host, or at all of them, as 'connection-reset'; others can be asked as before. */
  abort(host?: string): void {
    for (const [exchange, origin] of this.#underWay) if (host === undefined || origin === host) exchange.abandon();
  }

  /** Ends everything; requests under way end as 'connection-reset'. */
  async close(): Promise<void> {
    await this.#pools.destroy();
    await this.#proxy?.destroy();
    this.#deadlines.stop();
  }

  #start(
    target: URL,
    url: string,
    extraHeaders: Readonly<Record<string, string>> | undefined,
    resolve: (outcome: FetchOutcome) => void,
  ): void {
    const { origin } = target;
    const { headers, lines, archivedLines } = this.#requestText(target, extraHeaders);
    const request: OutgoingRequest = {
      origin,
      path: target.pathname + target.search,
      headers,
      lines,
      archivedLines,
    };
    let pool: HostPool | null = null;
    const send = (exchange: Exchange): void => {
      if (this.#proxy !== null) {
        void this.#sendByProxy(this.#proxy, request, exchange);
        return;
      }
      if (pool !== null) this.#pools.release(pool);
      pool = this.#pools.acquire(origin);
      pool.transport.dispatch(request, exchange);
    };
    const done = (exchange: Exchange): void => {
      this.#deadlines.delete(exchange);
      this.#underWay.delete(exchange);
      if (pool !== null) this.#pools.release(pool);
      this.#finish(target, url, exchange, resolve);
    };
    const route = { secure: target.protocol === 'https:', proxied: this.#proxy !== null };
    const exchange = new Exchange(this.#clock, this.#budget, this.#options, route, done, send, this.#maySend);
    this.#deadlines.add(exchange);
    this.#underWay.set(exchange, origin);
    send(exchange);
  }

  /** Without a proxy the addresses are judged where connections are made. */
  async #sendByProxy(proxy: Transport, request: OutgoingRequest, exchange: Exchange): Promise<void> {
    const refusal = await this.#guard.proxiedError(request.origin);
    if (refusal === null) proxy.dispatch(request, exchange);
    else exchange.fail(refusal);
  }

  #finish(target: URL, url: string, exchange: Exchange, resolve: (outcome: FetchOutcome) => void): void {
    const encoding = headerValue(exchange.rawHeaders, 'content-encoding');
    const complete = exchange.truncated === null;
    const body = exchange.body.take();
    const decoded = decodeBody(body, encoding, this.#options.maxBodyBytes, complete);
    if (decoded instanceof Promise) {
      decoded.then((late) => resolve(this.#outcome(target, url, exchange, body, late)));
    } else {
      resolve(this.#outcome(target, url, exchange, body, decoded));
    }
  }

  #outcome(
    target: URL,
    url: string,
    exchange: Exchange,
    body: Buffer[],
    { decoded, fault }: DecodedBody,
  ): FetchOutcome {
    const { status, rawHeaders, startedAtMs, firstByteAtMs } = exchange;
    const endedAtMs = this.#clock.now();
    const redirectTo = redirectTarget(status, headerValue(rawHeaders, 'location'), target.href);
    const retryAfterMs = parseRetryAfter(headerValue(rawHeaders, 'retry-after'), endedAtMs);
    if (this.#cookies !== null) this.#cookies.store(target, headerValues(rawHeaders, 'set-cookie'));
    // A status that says no is an answer, however its body ended; the page of a redirect or a 304 is of no interest.
    let reason: FetchReason | null = exchange.reason;
    if (status > 0 && reason !== 'headers-too-large') {
      const hasPage = status >= 200 && status < 300;
      reason = hasPage ? (exchange.reason ?? fault) : statusReason(status, retryAfterMs !== null, redirectTo);
    }
    const outcome = {
      url,
      startedAtMs,
      endedAtMs,
      firstByteMs: firstByteAtMs === 0 ? 0 : firstByteAtMs - startedAtMs,
      ip: exchange.ip,
      protocol: exchange.isH2 ? ('h2' as const) : ('http/1.1' as const),
      requestHead: exchange.requestHead,
      status,
      statusText: exchange.statusText,
      rawHeaders,
      body,
      bodyBytes: exchange.body.bytes,
      decoded,
      truncated: exchange.truncated ?? (fault === 'body-too-large' ? ('length' as const) : null),
      reason,
      redirectTo,
      retryAfterMs,
      header: (name: string) => headerValue(rawHeaders, name),
      release() {
        outcome.body = [];
        outcome.decoded = NOTHING;
      },
    };
    return outcome;
  }

  #requestText(target: URL, extra: Readonly<Record<string, string>> | undefined): RequestText {
    let base = this.#headers.get(target.origin);
    if (base === undefined) {
      base = requestText(target.host, originHeaders(target, this.#options));
      if (this.#headers.size >= this.#options.maxOpenHosts) this.#headers.clear();
      this.#headers.set(target.origin, base);
    }
    const cookie = this.#cookies?.header(target) ?? '';
    if (extra === undefined && cookie === '') return base;
    if (cookie === '' && !Object.keys(extra!).some((name) => base.headers.includes(name))) {
      return withRequestHeaders(base, extra!);
    }
    const headers = withExtraHeaders(base.headers, cookie === '' ? (extra ?? {}) : { cookie, ...extra });
    return requestText(target.host, headers);
  }
}

const NOTHING = Buffer.alloc(0);

/** Fine enough for the shortest time-out, and no finer. */
function tickMs({ connectTimeoutMs, headersTimeoutMs, bodyTimeoutMs, totalTimeoutMs }: FetchOptions): number {
  const shortestMs = Math.min(connectTimeoutMs, headersTimeoutMs, bodyTimeoutMs, totalTimeoutMs);
  return Math.min(250, Math.max(5, Math.floor(shortestMs / 8)));
}
