/** The crawl's options as the fetch stage wants them. */
import type { CrawlOptions } from '../core/options.ts';
import { headerParts, loginParts } from '../core/secret-values.ts';
import type { FetchOptions } from '../fetch/fetch-options.ts';
import type { PrivateRule } from '../fetch/private-rule.ts';

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

/** The name robots.txt knows us by: the user agent up to its version. */
export function productToken(userAgent: string): string {
  return /^[A-Za-z_-]+/.exec(userAgent)?.[0] ?? 'Orbweaver';
}

/**
 * `host|Name: value` → by host. The text was checked when the options were read, and is never repeated in a message.
 */
function extraHeaders(texts: readonly string[]): Record<string, Record<string, string>> {
  const byHost: Record<string, Record<string, string>> = {};
  for (const text of texts) {
    const [host, name, value] = headerParts(text)!;
    byHost[host] = { ...byHost[host], [name]: value };
  }
  return byHost;
}

/** `host|user:password` → by host, in the same way. */
function credentials(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(texts.map((text) => loginParts(text)!));
}
