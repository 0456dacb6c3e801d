import type { Clock } from '../core/clock.ts';
import { DnsCache } from './addresses/dns-cache.ts';
import { GuardedLookup } from './addresses/guarded-lookup.ts';
import { PrivateJudge } from './addresses/private-rule.ts';
import { BodyBudget } from './body/body-budget.ts';
import { type DecodedBody, decodeWithin, parseContentEncoding } from './body/decode-body.ts';
import { CookieJar } from './cookies/cookie-jar.ts';
import { Deadlines } from './deadlines.ts';
import { Exchange, type ExchangeParts } from './exchange.ts';
import { completeFetchOptions, type FetchOptions } from './fetch-options.ts';
import { type FetchOutcome, headerValue, headerValues, outcomeOf, refusedOutcome } from './outcome.ts';
import {
  originHeaders,
  type RequestText,
  requestText,
  secretHeaderNames,
  withExtraHeaders,
  withRequestHeaders,
} from './request-headers.ts';
import { type HostPool, HostPools } from './transport/host-pools.ts';
import type { OutgoingRequest, Transport } from './transport/transport.ts';
import { createTransports } from './transport/transports.ts';

/**
 * Sends one request and returns the result as data. In: a URL. Out: a `FetchOutcome`.
 *
 * What always holds: `fetch` neither throws nor rejects for anything the web does. It does not follow redirects. Each
 * hop is a separate outcome, so that scope, robots.txt, politeness and the rule for private addresses are applied to
 * every hop. Nothing is read beyond the limits, and every wait has an end.
 */
export class Fetcher {
  readonly #clock: Clock;
  readonly #options: FetchOptions;
  readonly #deadlines: Deadlines;
  readonly #pools: HostPools;
  readonly #headers = new Map<string, RequestText>();
  readonly #cookies: CookieJar | null;
  readonly #secrets: ReadonlySet<string>;
  readonly #guard: GuardedLookup;
  readonly #proxy: Transport | null;
  readonly #exchangeParts: ExchangeParts;
  /** Requests in progress, and their origins. */
  readonly #underWay = new Map<Exchange, string>();

  /** `maySend` is called just before a request is written, because connecting can take long. */
  constructor(options: Partial<FetchOptions>, clock: Clock, maySend: () => boolean = () => true) {
    this.#clock = clock;
    this.#options = completeFetchOptions(options);
    this.#exchangeParts = { clock, budget: new BodyBudget(), limits: this.#options, maySend };
    this.#deadlines = new Deadlines(clock, tickMs(this.#options));
    this.#secrets = secretHeaderNames(this.#options);
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

  /** Closes the connections of a host (scheme and authority). Requests in progress are finished first. */
  closeHost(host: string): void {
    this.#pools.close(host);
    this.#headers.delete(host);
  }

  /**
   * Ends the requests in progress at one host, or at all hosts, with
   * 'connection-reset'. New requests are still possible.
   */
  abort(host?: string): void {
    for (const [exchange, origin] of this.#underWay) if (host === undefined || origin === host) exchange.abandon();
  }

  /** Closes the fetcher. Requests in progress end with 'connection-reset'. */
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
    const sentCookie = this.#cookies?.header(target) ?? '';
    const { headers, lines, archivedLines } = this.#requestText(target, extraHeaders, sentCookie);
    const request: OutgoingRequest = {
      origin,
      path: target.pathname + target.search,
      headers,
      lines,
      archivedLines,
      secrets: this.#secrets,
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
      this.#storeCookies(target, exchange, sentCookie);
      this.#finish(url, exchange, resolve);
    };
    const route = { secure: target.protocol === 'https:', proxied: this.#proxy !== null };
    const exchange = new Exchange(this.#exchangeParts, route, done, send);
    this.#deadlines.add(exchange);
    this.#underWay.set(exchange, origin);
    send(exchange);
  }

  /** Without a proxy, addresses are checked when a connection is made. */
  async #sendByProxy(proxy: Transport, request: OutgoingRequest, exchange: Exchange): Promise<void> {
    const refusal = await this.#guard.proxiedError(request.origin);
    if (refusal === null) proxy.dispatch(request, exchange);
    else exchange.fail(refusal);
  }

  #storeCookies(target: URL, exchange: Exchange, sentCookie: string): void {
    if (this.#cookies === null) return;
    this.#cookies.store(target, headerValues(exchange.rawHeaders, 'set-cookie'));
    exchange.changesCookies = this.#cookies.header(target) !== sentCookie;
  }

  #finish(url: string, exchange: Exchange, resolve: (outcome: FetchOutcome) => void): void {
    const body = exchange.body.take();
    if (exchange.transferCodings === '') {
      this.#decode(url, exchange, body, null, resolve);
      return;
    }
    // The archive keeps bodies without transfer coding.
    const codings = exchange.transferCodings;
    const unknown = parseContentEncoding(codings)?.length === codings.split(',').length ? null : 'bad-encoding';
    void Promise.resolve(this.#decodeAs(codings, body, exchange)).then(({ decoded, fault }) =>
      this.#decode(url, exchange, [decoded], fault ?? unknown, resolve),
    );
  }

  #decode(
    url: string,
    exchange: Exchange,
    body: Buffer[],
    fault: DecodedBody['fault'],
    resolve: (outcome: FetchOutcome) => void,
  ): void {
    const decoded = this.#decodeAs(headerValue(exchange.rawHeaders, 'content-encoding'), body, exchange);
    const settle = (done: DecodedBody): void => {
      const result = fault === null ? done : { decoded: done.decoded, fault };
      const outcome = outcomeOf(url, exchange, body, result, this.#clock.now());
      resolve(exchange.isLong ? releasing(outcome, exchange) : outcome);
    };
    if (decoded instanceof Promise) void decoded.then(settle);
    else settle(decoded);
  }

  #decodeAs(codings: string, body: Buffer[], { truncated }: Exchange): DecodedBody | Promise<DecodedBody> {
    return decodeWithin(body, codings, this.#options, truncated === null);
  }

  #requestText(target: URL, extra: Readonly<Record<string, string>> | undefined, cookie: string): RequestText {
    let base = this.#headers.get(target.origin);
    if (base === undefined) {
      base = requestText(target.host, originHeaders(target, this.#options), this.#secrets);
      if (this.#headers.size >= this.#options.maxOpenHosts) this.#headers.clear();
      this.#headers.set(target.origin, base);
    }
    if (extra === undefined && cookie === '') return base;
    if (cookie === '' && !Object.keys(extra!).some((name) => base.headers.includes(name))) {
      return withRequestHeaders(base, extra!, this.#secrets);
    }
    const headers = withExtraHeaders(base.headers, cookie === '' ? (extra ?? {}) : { cookie, ...extra });
    return requestText(target.host, headers, this.#secrets);
  }
}

function releasing(outcome: FetchOutcome, exchange: Exchange): FetchOutcome {
  const { release } = outcome;
  return Object.assign(outcome, {
    release: () => {
      release();
      exchange.released();
    },
  });
}

/** Fine enough for the shortest timeout, and no finer. */
function tickMs({ connectTimeoutMs, headersTimeoutMs, bodyTimeoutMs, totalTimeoutMs }: FetchOptions): number {
  const shortestMs = Math.min(connectTimeoutMs, headersTimeoutMs, bodyTimeoutMs, totalTimeoutMs);
  return Math.min(250, Math.max(5, Math.floor(shortestMs / 8)));
}
