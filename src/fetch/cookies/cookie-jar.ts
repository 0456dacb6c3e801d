import { isIP } from 'node:net';
import type { Clock } from '../core/clock.ts';
import { publicSuffixes } from '../url/public-suffixes.ts';
import { type ParsedCookie, parseSetCookie } from './parse-cookie.ts';
import { stripBrackets } from './private-address.ts';

/**
 * Cookies, for crawls that need a session. In come Set-Cookie headers, out goes the Cookie header of a request
 * (RFC 6265). In memory only, gone with the process.
 *
 * What always holds: a cookie goes back only to the host that set it or, if that host said so, to hosts under a domain
 * of its own (never a public suffix); a bounded number of cookies of a bounded size is kept.
 */
interface Cookie extends ParsedCookie {
  readonly hostOnly: boolean;
  readonly createdOrder: number;
}

const MAX_COOKIES_PER_DOMAIN = 50;
const MAX_DOMAINS = 5_000;
const MAX_HEADER_BYTES = 8 * 1024;

export class CookieJar {
  readonly #clock: Clock;
  /** By the cookie's domain; oldest domain first. */
  readonly #domains = new Map<string, Map<string, Cookie>>();
  #created = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Remembers what the answer of `url` set. */
  store(url: URL, setCookies: readonly string[]): void {
    for (const header of setCookies.slice(0, MAX_COOKIES_PER_DOMAIN)) {
      const parsed = parseSetCookie(header, this.#clock.now());
      if (parsed !== null) this.#storeOne(url, parsed);
    }
  }

  /** The value of the Cookie header for a request; '' for none. */
  header(url: URL): string {
    const host = url.hostname;
    const nowMs = this.#clock.now();
    const found: Cookie[] = [];
    for (const domain of domainsOf(host)) {
      const cookies = this.#domains.get(domain);
      if (!cookies) continue;
      for (const [key, cookie] of cookies) {
        if (cookie.expiresAtMs !== null && cookie.expiresAtMs <= nowMs) cookies.delete(key);
        else if (cookie.hostOnly && domain !== host) continue;
        else if (cookie.secure && url.protocol !== 'https:') continue;
        else if (pathMatches(url.pathname, cookie.path)) found.push(cookie);
      }
    }
    // RFC 6265 §5.4: longer paths first, then the older ones.
    found.sort((a, b) => b.path.length - a.path.length || a.createdOrder - b.createdOrder);
    let text = '';
    for (const { name, value } of found) {
      const next = text === '' ? `${name}=${value}` : `${text}; ${name}=${value}`;
      if (next.length > MAX_HEADER_BYTES) break;
      text = next;
    }
    return text;
  }

  #storeOne(url: URL, parsed: ParsedCookie): void {
    const domain = acceptedDomain(url.hostname, parsed.domain);
    if (domain === null || (parsed.secure && url.protocol !== 'https:')) return;
    const hostOnly = parsed.domain === '' || domain !== parsed.domain || isIP(stripBrackets(domain)) !== 0;
    if (!prefixHolds(parsed, hostOnly)) return;
    const path = parsed.path === '' ? defaultPath(url.pathname) : parsed.path;
    const key = `${parsed.name};${path}`;
    const cookies = this.#domains.get(domain) ?? new Map<string, Cookie>();
    const old = cookies.get(key);
    cookies.delete(key);
    if (parsed.expiresAtMs !== null && parsed.expiresAtMs <= this.#clock.now()) return;
    cookies.set(key, { ...parsed, domain, path, hostOnly, createdOrder: old?.createdOrder ?? this.#created++ });
    dropOldest(cookies, MAX_COOKIES_PER_DOMAIN);
    this.#domains.set(domain, cookies);
    dropOldest(this.#domains, MAX_DOMAINS);
  }
}

/** The domain to file a cookie under; null when the host has no right to it. */
function acceptedDomain(host: string, domain: string): string | null {
  if (domain === '' || domain === host) return host;
  if (isIP(stripBrackets(host)) !== 0 || !host.endsWith(`.${domain}`)) return null;
  return publicSuffixes().getPublicSuffix(domain, { allowPrivateDomains: true }) === domain ? null : domain;
}

/** The host and the domains above it that could have cookies. */
function domainsOf(host: string): string[] {
  const domains = [host];
  const registrable = publicSuffixes().getDomain(host, { allowPrivateDomains: true });
  if (registrable === null) return domains;
  for (let at = host; at.length > registrable.length; ) {
    at = at.slice(at.indexOf('.') + 1);
    domains.push(at);
  }
  return domains;
}

/** __Secure- and __Host- names are promises about the cookie (RFC 6265bis §4.1.3). */
function prefixHolds(cookie: ParsedCookie, hostOnly: boolean): boolean {
  const name = cookie.name.toLowerCase();
  if (name.startsWith('__host-')) return cookie.secure && hostOnly && cookie.domain === '' && cookie.path === '/';
  return !name.startsWith('__secure-') || cookie.secure;
}

/** RFC 6265 §5.1.4. */
function defaultPath(pathname: string): string {
  const end = pathname.lastIndexOf('/');
  return end <= 0 ? '/' : pathname.slice(0, end);
}

function pathMatches(pathname: string, cookiePath: string): boolean {
  if (!pathname.startsWith(cookiePath)) return false;
  return pathname.length === cookiePath.length || cookiePath.endsWith('/') || pathname[cookiePath.length] === '/';
}

function dropOldest<Value>(map: Map<string, Value>, max: number): void {
  if (map.size <= max) return;
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}
