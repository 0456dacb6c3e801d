import { isIP } from 'node:net';
import type { Dispatcher, Pool } from 'undici';
import type { Clock } from '../core/clock.ts';
import { createConnector } from './connector.ts';
import { CookieJar } from './cookie-jar.ts';
import { Deadlines } from './deadlines.ts';
import { type DecodedBody, decodeBody } from './decode-body.ts';
import { DnsCache } from './dns-cache.ts';
import { Exchange } from './exchange.ts';
import { completeFetchOptions, type FetchOptions, privateAddressRule } from './fetch-options.ts';
import type { FetchReason } from './fetch-reasons.ts';
import { createPool, type HostPool, HostPools } from './host-pools.ts';
import { type FetchOutcome, firstHeader, refusedOutcome } from './outcome.ts';
import { isPublicAddress, stripBrackets } from './private-address.ts';
import { createProxyDispatcher } from './proxy.ts';
import { originHeaders, withExtraHeaders } from './request-headers.ts';
import { parseRetryAfter } from './retry-after.ts';
import { requestHeadText } from './sent-request.ts';
import { redirectTarget, statusReason } from './status-reason.ts';

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
  readonly #deadlines: Deadlines;
  readonly #pools: HostPools;
  readonly #headers = new Map<string, string[]>();
  readonly #cookies: CookieJar | null;
  readonly #allowsPrivate: (origin: string) => boolean;
  readonly #proxy: Dispatcher | null;

  constructor(options: Partial<FetchOptions>, clock: Clock) {
    this.#clock = clock;
    this.#options = completeFetchOptions(options);
    this.#deadlines = new Deadlines(clock, tickMs(this.#options));
    this.#allowsPrivate = privateAddressRule(this.#options);
    this.#cookies = this.#options.cookies ? new CookieJar(clock) : null;
    const dnsCache = new DnsCache(clock, this.#options.dns);
    const connect = createConnector(dnsCache, { ...this.#options, allowsPrivate: this.#allowsPrivate });
    const poolOptions = poolOptionsFor(this.#options, connect);
    const { proxy } = this.#options;
    this.#proxy = proxy === null ? null : createProxyDispatcher(proxy, this.#options, poolOptions);
    this.#pools = new HostPools({
      maxHosts: this.#options.maxOpenHosts,
      createDispatcher: (origin) => createPool(origin, poolOptions),
    });
  }

  fetch(url: string, extraHeaders?: Readonly<Record<string, string>>): Promise<FetchOutcome> {
    const target = URL.parse(url);
    if (target === null || (target.protocol !== 'http:' && target.protocol !== 'https:')) {
      return Promise.resolve(refusedOutcome(url, this.#clock.now(), 'bad-url'));
    }
    // Without a proxy the connector judges every address, literal ones too.
    if (this.#proxy !== null && this.#isForbiddenLiteral(target)) {
      return Promise.resolve(refusedOutcome(url, this.#clock.now(), 'private-address'));
    }
    return new Promise((resolve) => this.#start(target, url, extraHeaders, resolve));
  }

  /** Frees the connections of a host (scheme and authority); requests under way are finished. */
  closeHost(host: string): void {
    this.#pools.close(host);
    this.#headers.delete(host);
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
    const options = this.#options;
    const request: Dispatcher.DispatchOptions = {
      origin,
      path: target.pathname + target.search,
      method: 'GET',
      headers: this.#requestHeaders(target, extraHeaders),
    };
    let pool: HostPool | null = null;
    const send = (exchange: Exchange): void => {
      try {
        if (this.#proxy !== null) {
          this.#proxy.dispatch({ ...request }, exchange);
          return;
        }
        if (pool !== null) this.#pools.release(pool);
        pool = this.#pools.acquire(origin);
        pool.dispatcher.dispatch(request, exchange);
      } catch (error) {
        exchange.fail(error);
      }
    };
    const done = (exchange: Exchange): void => {
      this.#deadlines.delete(exchange);
      if (pool !== null) this.#pools.release(pool);
      this.#finish(target, url, exchange, resolve);
    };
    const route = { secure: target.protocol === 'https:', proxied: this.#proxy !== null };
    const exchange = new Exchange(this.#clock, options, route, done, send);
    this.#deadlines.add(exchange);
    send(exchange);
  }

  #finish(target: URL, url: string, exchange: Exchange, resolve: (outcome: FetchOutcome) => void): void {
    const encoding = firstHeader(exchange.headers, 'content-encoding');
    const complete = exchange.truncated === null;
    const decoded = decodeBody(exchange.body, encoding, this.#options.maxBodyBytes, complete);
    if (decoded instanceof Promise) {
      decoded.then((late) => resolve(this.#outcome(target, url, exchange, late)));
    } else {
      resolve(this.#outcome(target, url, exchange, decoded));
    }
  }

  #outcome(target: URL, url: string, exchange: Exchange, { decoded, fault }: DecodedBody): FetchOutcome {
    const { status, headers, startedAtMs, firstByteAtMs } = exchange;
    const endedAtMs = this.#clock.now();
    const redirectTo = redirectTarget(status, firstHeader(headers, 'location'), target.href);
    const retryAfterMs = parseRetryAfter(firstHeader(headers, 'retry-after'), endedAtMs);
    if (this.#cookies !== null) this.#storeCookies(target, headers['set-cookie']);
    // A status that says no is an answer, however its body ended; the page of a redirect or a 304 is of no interest.
    let reason: FetchReason | null = exchange.reason;
    if (status > 0 && reason !== 'headers-too-large') {
      const hasPage = status >= 200 && status < 300;
      reason = hasPage ? (exchange.reason ?? fault) : statusReason(status, retryAfterMs !== null, redirectTo);
    }
    return {
      url,
      startedAtMs,
      endedAtMs,
      firstByteMs: firstByteAtMs === 0 ? 0 : firstByteAtMs - startedAtMs,
      ip: exchange.ip,
      protocol: exchange.isH2 ? 'h2' : 'http/1.1',
      requestHead: requestHeadText(exchange.sentHead, exchange.isH2),
      status,
      statusText: exchange.statusText,
      rawHeaders: exchange.rawHeaders,
      body: exchange.body,
      bodyBytes: exchange.bodyBytes,
      decoded,
      truncated: exchange.truncated ?? (fault === 'body-too-large' ? 'length' : null),
      reason,
      redirectTo,
      retryAfterMs,
      header: (name) => firstHeader(headers, name),
    };
  }

  #requestHeaders(target: URL, extra: Readonly<Record<string, string>> | undefined): string[] {
    let base = this.#headers.get(target.origin);
    if (base === undefined) {
      base = originHeaders(target, this.#options);
      if (this.#headers.size >= this.#options.maxOpenHosts) this.#headers.clear();
      this.#headers.set(target.origin, base);
    }
    const cookie = this.#cookies?.header(target) ?? '';
    if (extra === undefined && cookie === '') return base;
    return withExtraHeaders(base, cookie === '' ? (extra ?? {}) : { cookie, ...extra });
  }

  #storeCookies(target: URL, setCookie: string | string[] | undefined): void {
    if (setCookie !== undefined) this.#cookies?.store(target, Array.isArray(setCookie) ? setCookie : [setCookie]);
  }

  #isForbiddenLiteral(target: URL): boolean {
    const host = stripBrackets(target.hostname);
    return isIP(host) !== 0 && !isPublicAddress(host) && !this.#allowsPrivate(target.origin);
  }
}

/** Idle connections are kept about as long as a polite delay between two requests lasts. */
const KEEP_ALIVE_MS = 10_000;
const KEEP_ALIVE_MAX_MS = 60_000;

function poolOptionsFor(options: FetchOptions, connect: Pool.Options['connect']): Pool.Options {
  return {
    connect,
    connections: options.connectionsPerHost,
    pipelining: 1,
    allowH2: options.allowH2,
    maxHeaderSize: options.maxHeaderBytes,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
    // `Deadlines` watches over both; timers of the client's own would only cost.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}

/** Fine enough for the shortest time-out, and no finer. */
function tickMs({ headersTimeoutMs, bodyTimeoutMs, totalTimeoutMs }: FetchOptions): number {
  return Math.min(250, Math.max(5, Math.floor(Math.min(headersTimeoutMs, bodyTimeoutMs, totalTimeoutMs) / 8)));
}
