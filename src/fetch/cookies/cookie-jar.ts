import { isIP } from 'node:net';
import { dropOldest } from '../../core/bounded-map.ts';
import type { Clock } from '../../core/clock.ts';
import { publicSuffixes } from '../../url/public-suffixes.ts';
import { stripBrackets } from '../addresses/private-address.ts';

/**
 * Stores cookies, for crawls that need a session. In: Set-Cookie headers. Out: the Cookie header of a request (RFC
 * 6265). Cookies are kept in memory only and are lost when the process ends.
 *
 * What always holds: a cookie is sent only to the host that set it or, if the host asked for it, to hosts under a
 * domain of its own (never a public suffix). The number and the size of cookies are limited.
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
  /** Keyed by the cookie's domain. The oldest domain is first. */
  readonly #domains = new Map<string, Map<string, Cookie>>();
  #created = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Stores the cookies that the response of `url` set. */
  store(url: URL, setCookies: readonly string[]): void {
    for (const header of setCookies.slice(0, MAX_COOKIES_PER_DOMAIN)) {
      const parsed = parseSetCookie(header, this.#clock.now());
      if (parsed !== null) this.#storeOne(url, parsed);
    }
  }

  /** The value of the Cookie header for a request, or '' if there is none. */
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
    // RFC 6265 §5.4: longer paths first, then older cookies.
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

/** The domain under which a cookie is stored. Null if the host may not set cookies for that domain. */
function acceptedDomain(host: string, domain: string): string | null {
  if (domain === '' || domain === host) return host;
  if (isIP(stripBrackets(host)) !== 0 || !host.endsWith(`.${domain}`)) return null;
  return publicSuffixes().getPublicSuffix(domain, { allowPrivateDomains: true }) === domain ? null : domain;
}

/** The host and the parent domains that could have cookies. */
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

/** __Secure- and __Host- names promise properties of the cookie (RFC 6265bis §4.1.3). */
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

/** One cookie, as a Set-Cookie header describes it (RFC 6265 §5.2). */
interface ParsedCookie {
  readonly name: string;
  readonly value: string;
  /** '' if the header has no domain: the cookie is for that host only. */
  readonly domain: string;
  /** '' if the header has no path or an invalid one. */
  readonly path: string;
  readonly secure: boolean;
  /** Null for a session cookie. A time in the past deletes the cookie. */
  readonly expiresAtMs: number | null;
}

/** RFC 6265 §6.1 requires support for at least 4096 bytes. Larger cookies are ignored. */
const MAX_COOKIE_BYTES = 4096;

/**
 * Returns null if the header is not a cookie. Later attributes override earlier ones, and Max-Age overrides Expires.
 */
export function parseSetCookie(header: string, nowMs: number): ParsedCookie | null {
  if (header.length > MAX_COOKIE_BYTES || /[\x00-\x08\x0a-\x1f\x7f]/.test(header)) return null;
  const [pair = '', ...attributes] = header.split(';');
  const equals = pair.indexOf('=');
  const name = pair.slice(0, Math.max(0, equals)).trim();
  if (equals === -1 || name === '') return null;
  const value = pair.slice(equals + 1).trim();

  let domain = '';
  let path = '';
  let secure = false;
  let expiresMs: number | null = null;
  let maxAgeMs: number | null = null;
  for (const attribute of attributes) {
    const at = attribute.indexOf('=');
    const key = (at === -1 ? attribute : attribute.slice(0, at)).trim().toLowerCase();
    const text = at === -1 ? '' : attribute.slice(at + 1).trim();
    if (key === 'domain') domain = text.replace(/^\./, '').toLowerCase();
    else if (key === 'path') path = text.startsWith('/') ? text : '';
    else if (key === 'secure') secure = true;
    else if (key === 'expires') expiresMs = parseExpires(text);
    else if (key === 'max-age') maxAgeMs = parseMaxAge(text, nowMs);
  }
  return { name, value, domain, path, secure, expiresAtMs: maxAgeMs ?? expiresMs };
}

function parseExpires(text: string): number | null {
  // "Wed, 09-Jun-2021 10:18:14 GMT": not every date parser accepts the dashes of old servers.
  const atMs = Date.parse(text.replaceAll('-', ' '));
  return Number.isNaN(atMs) ? null : atMs;
}

function parseMaxAge(text: string, nowMs: number): number | null {
  if (!/^-?\d+$/.test(text)) return null;
  const seconds = Number(text);
  return seconds <= 0 ? 0 : nowMs + seconds * 1000;
}
