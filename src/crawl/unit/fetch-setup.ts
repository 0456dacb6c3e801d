/** Converts the options of the crawl into the options of the fetch stage. */
import type { CrawlOptions } from '../../core/options/options.ts';
import { headerParts, loginParts } from '../../core/options/secret-values.ts';
import type { PrivateRule } from '../../fetch/addresses/private-rule.ts';
import type { FetchOptions } from '../../fetch/fetch-options.ts';

export function fetchOptions(options: CrawlOptions, privateRule: PrivateRule): Partial<FetchOptions> {
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
    ...privateRule,
  };
}

/** Our name in robots.txt: the user agent up to its version. */
export function productToken(userAgent: string): string {
  return /^[A-Za-z_-]+/.exec(userAgent)?.[0] ?? 'Orbweaver';
}

/** Groups `host|Name: value` by host. The text was checked when the options were read, and no message repeats it. */
function extraHeaders(texts: readonly string[]): Record<string, Record<string, string>> {
  const byHost: Record<string, Record<string, string>> = {};
  for (const text of texts) {
    const [host, name, value] = headerParts(text)!;
    byHost[host] = { ...byHost[host], [name]: value };
  }
  return byHost;
}

/** Groups `host|user:password` by host, in the same way. */
function credentials(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(texts.map((text) => loginParts(text)!));
}
