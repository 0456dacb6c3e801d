/** The crawl's options as the fetch stage wants them. */
import { OrbweaverError } from '../core/errors.ts';
import type { CrawlOptions } from '../core/options.ts';
import type { FetchOptions } from '../fetch/fetch-options.ts';

export function fetchOptions(options: CrawlOptions, privateHosts: readonly string[] | null): Partial<FetchOptions> {
  return {
    userAgent: options.userAgent,
    connectTimeoutMs: options.connectTimeout,
    headersTimeoutMs: options.headersTimeout,
    bodyTimeoutMs: options.bodyTimeout,
    totalTimeoutMs: options.timeout,
    maxBodyBytes: options.maxBody,
    maxHeaderBytes: options.maxHeaderBytes,
    connectionsPerHost: options.perHost,
    maxOpenHosts: options.liveHosts,
    allowH2: options.http2,
    proxy: options.proxy,
    headers: extraHeaders(options.header),
    basicAuth: credentials(options.auth),
    cookies: options.cookies,
    privateAddresses: options.allowPrivate || privateHosts === null ? 'allow' : 'deny',
    allowedPrivateHosts: privateHosts ?? [],
  };
}

/** The name robots.txt knows us by: the user agent up to its version. */
export function productToken(userAgent: string): string {
  return /^[A-Za-z_-]+/.exec(userAgent)?.[0] ?? 'Orbweaver';
}

/** `host|Name: value` → by host. */
function extraHeaders(texts: readonly string[]): Record<string, Record<string, string>> {
  const byHost: Record<string, Record<string, string>> = {};
  for (const text of texts) {
    const found = /^([^|]+)\|([^:\s]+):\s*(\S.*)?$/.exec(text);
    if (!found) throw new OrbweaverError('ERR_BAD_OPTION', `--header needs "host|Name: value", not "${text}"`);
    byHost[found[1]!] = { ...byHost[found[1]!], [found[2]!]: found[3] ?? '' };
  }
  return byHost;
}

/** `host|user:password` → by host. The text is never repeated in a message: it is a secret. */
function credentials(texts: readonly string[]): Record<string, string> {
  const byHost: Record<string, string> = {};
  for (const text of texts) {
    const found = /^([^|]+)\|([^:]*:.*)$/.exec(text);
    if (!found) throw new OrbweaverError('ERR_BAD_OPTION', '--auth needs "host|user:password"');
    byHost[found[1]!] = found[2]!;
  }
  return byHost;
}
