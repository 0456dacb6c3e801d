/** The path and query of a request, and the site it is for. */
import type { IncomingMessage } from 'node:http';

export interface RequestTarget {
  readonly path: string;
  /** The text after the `?`; null if there is none. */
  readonly query: string | null;
}

/** Frameworks remove the matched prefix from `url` and keep the whole in `originalUrl`. */
export function requestTarget(request: IncomingMessage & { readonly originalUrl?: unknown }): RequestTarget {
  const whole = typeof request.originalUrl === 'string' ? request.originalUrl : (request.url ?? '');
  // The absolute form, as proxies send it (RFC 9112, 3.2.2).
  const target = whole.startsWith('/') ? whole : whole.replace(/^https?:\/\/[^/?#]*/i, '');
  const at = target.indexOf('?');
  return at < 0 ? { path: target, query: null } : { path: target.slice(0, at), query: target.slice(at + 1) };
}

/** `https://www.example.org` → `www.example.org`. The default port is left out, as in a Host header. */
export function authorityOf(site: string): string {
  return new URL(site).host;
}

/** Chooses one of several sites by the Host header. A single site answers to any name. */
export function siteFor<Site>(sites: ReadonlyMap<string, Site>, request: IncomingMessage): Site | null {
  if (sites.size === 1) return sites.values().next().value ?? null;
  const host = (request.headers.host ?? '').toLowerCase();
  return sites.get(host) ?? sites.get(host.replace(/:(?:80|443)$/, '')) ?? null;
}
