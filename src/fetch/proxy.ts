import type { Dispatcher, Pool, ProxyAgent } from 'undici';
import type { FetchOptions } from './fetch-options.ts';
import { loadUndici } from './load-undici.ts';

/**
 * The way through a proxy: http pages are asked of it by their full URL, https pages through a CONNECT tunnel. The
 * proxy resolves the names, so a private address behind a name is for the proxy to refuse; we see only literal ones.
 */
export function createProxyDispatcher(proxy: string, options: FetchOptions, poolOptions: Pool.Options): Dispatcher {
  const undici = loadUndici();
  return new undici.ProxyAgent({
    ...poolOptions,
    uri: proxy,
    connectTimeout: options.connectTimeoutMs,
    allowH2: options.allowH2,
    requestTls: {
      rejectUnauthorized: options.rejectUnauthorized,
      allowH2: options.allowH2,
    } as ProxyAgent.Options['requestTls'],
    factory: (origin, theirs) => new undici.Pool(origin, { ...poolOptions, ...(theirs as Pool.Options) }),
  });
}
