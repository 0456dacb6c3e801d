import { OrbweaverError } from '../core/errors.ts';
import type { DnsOptions } from './addresses/dns-cache.ts';
import { NOTHING_PRIVATE, type PrivateRule } from './addresses/private-rule.ts';
import { checkHeaderOptions, type HeaderOptions } from './request-headers.ts';

/** Whole numbers above 0. */
const LIMITS = {
  /** DNS look-up, TCP and TLS together. */
  connectTimeoutMs: 10_000,
  /** From the request to the last response header. */
  headersTimeoutMs: 20_000,
  /** Between two parts of the body. */
  bodyTimeoutMs: 20_000,
  /** From the call to the last byte, including the wait for a free connection. */
  totalTimeoutMs: 120_000,
  /** Applies to the received bytes and to the decoded body, separately. */
  maxBodyBytes: 10 * 1024 * 1024,
  maxHeaderBytes: 64 * 1024,
  connectionsPerHost: 2,
  /**
   * Maximum number of hosts with open connections. Beyond it, the connections of
   * the least recently used host are closed.
   */
  maxOpenHosts: 1_000,
};

/** All options of a fetcher. They are checked once, when the fetcher is created, and never again in the crawl. */
export interface FetchOptions extends Readonly<typeof LIMITS>, HeaderOptions, PrivateRule {
  readonly allowH2: boolean;
  /** http:// or https:// URL, with user:password if needed. */
  readonly proxy: string | null;
  readonly cookies: boolean;
  readonly rejectUnauthorized: boolean;
  readonly dns: Partial<DnsOptions>;
  /** The limit for a long kind of body, if it is above `maxBodyBytes`. Only a body that is too large is looked at. */
  readonly maxLongBodyBytes: number;
  /** Recognises a long kind of body by its beginning. */
  readonly isLongKind: (beginning: Buffer) => boolean;
}

const FETCH_DEFAULTS: FetchOptions = {
  ...LIMITS,
  ...NOTHING_PRIVATE,
  userAgent: 'Orbweaver/0.1',
  allowH2: true,
  proxy: null,
  headers: {},
  basicAuth: {},
  cookies: false,
  rejectUnauthorized: true,
  dns: {},
  maxLongBodyBytes: 0,
  isLongKind: () => false,
};

/** Fills in the defaults and refuses invalid values. */
export function completeFetchOptions(given: Partial<FetchOptions>): FetchOptions {
  const options: FetchOptions = { ...FETCH_DEFAULTS, ...given };
  for (const name of Object.keys(LIMITS) as (keyof typeof LIMITS)[]) {
    if (Number.isSafeInteger(options[name]) && options[name] > 0) continue;
    throw new OrbweaverError('ERR_BAD_OPTION', `${name} must be a whole number above 0, not ${options[name]}`);
  }
  checkHeaderOptions(options);
  if (options.proxy !== null) {
    const proxy = URL.parse(options.proxy);
    if (proxy === null || (proxy.protocol !== 'http:' && proxy.protocol !== 'https:')) {
      throw new OrbweaverError('ERR_BAD_OPTION', 'the proxy must be an http:// or https:// URL');
    }
  }
  return Object.freeze(options);
}
