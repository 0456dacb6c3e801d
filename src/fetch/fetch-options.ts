import { OrbweaverError } from '../core/errors.ts';
import type { DnsOptions } from './dns-cache.ts';
import { NOTHING_PRIVATE, type PrivateRule } from './private-rule.ts';
import { checkHeaderOptions, type HeaderOptions } from './request-headers.ts';

/** Everything a fetcher can be told. Checked once, when it is made; never again in the crawl. */
export interface FetchOptions extends HeaderOptions, PrivateRule {
  /** Look-up, TCP and TLS together. */
  readonly connectTimeoutMs: number;
  /** From the request to the last response header. */
  readonly headersTimeoutMs: number;
  /** Between two pieces of the body. */
  readonly bodyTimeoutMs: number;
  /** From the call to the last byte, waiting for a free connection included. */
  readonly totalTimeoutMs: number;
  /** Of the wire and of the decoded body, each. */
  readonly maxBodyBytes: number;
  readonly maxHeaderBytes: number;
  readonly connectionsPerHost: number;
  /** Hosts whose connections are kept; the longest unused one is closed when there are more. */
  readonly maxOpenHosts: number;
  readonly allowH2: boolean;
  /** http:// or https:// URL, with user:password where needed. */
  readonly proxy: string | null;
  readonly cookies: boolean;
  readonly rejectUnauthorized: boolean;
  readonly dns: Partial<DnsOptions>;
}

export const FETCH_DEFAULTS: FetchOptions = {
  userAgent: 'Orbweaver/0.1',
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 20_000,
  bodyTimeoutMs: 20_000,
  totalTimeoutMs: 120_000,
  maxBodyBytes: 10 * 1024 * 1024,
  maxHeaderBytes: 64 * 1024,
  connectionsPerHost: 2,
  maxOpenHosts: 1_000,
  allowH2: true,
  proxy: null,
  headers: {},
  basicAuth: {},
  cookies: false,
  ...NOTHING_PRIVATE,
  rejectUnauthorized: true,
  dns: {},
};

const POSITIVE = [
  'connectTimeoutMs',
  'headersTimeoutMs',
  'bodyTimeoutMs',
  'totalTimeoutMs',
  'maxBodyBytes',
  'maxHeaderBytes',
  'connectionsPerHost',
  'maxOpenHosts',
] as const satisfies readonly (keyof FetchOptions)[];

/** Fills in the defaults and refuses what makes no sense. */
export function completeFetchOptions(given: Partial<FetchOptions>): FetchOptions {
  const options: FetchOptions = { ...FETCH_DEFAULTS, ...given };
  for (const name of POSITIVE) {
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
