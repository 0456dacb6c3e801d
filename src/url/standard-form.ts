import { normalizePercentEncoding } from './percent-encoding.ts';
import type { QueryRewriter } from './query-rules.ts';

/**
 * The normal form by the book: the WHATWG parser first, our own rules on what it gives. Everything else in this folder
 * that makes a URL must give exactly what this gives; a fuzz test holds it to that.
 */

/** A longer link is no link: nothing answers to it, and it would only cost memory. */
export const MAX_URL_CHARS = 65_536;

/** The domain name system holds no longer name (RFC 1035, 2.3.4): 255 octets, two of which are not written. */
export const MAX_HOST_CHARS = 253;

export interface FormRules {
  readonly keepHashbang: boolean;
  readonly rewriteQuery: QueryRewriter | null;
}

export function standardForm(text: string, base: string | undefined, rules: FormRules): string | null {
  if (text.length > MAX_URL_CHARS || hasForeignScheme(text)) return null;
  const url = parseUrl(text, base);
  if (url === null || !isWebScheme(url.protocol)) return null;
  const origin = originWithoutTrailingDot(url);
  if (origin === null) return null;

  // The user name and the fragment are left behind here, simply by not being taken along.
  let form = origin + normalizePercentEncoding(url.pathname);
  if (url.search !== '') {
    const query = normalizePercentEncoding(url.search.slice(1));
    form += questioned(rules.rewriteQuery === null ? query : rules.rewriteQuery(query));
  }
  if (rules.keepHashbang && url.hash.startsWith('#!') && url.hash.length > 2) {
    form += normalizePercentEncoding(url.hash);
  }
  // Encoding can make a URL nine times as long. Without this check its own normal form would be refused.
  return form.length > MAX_URL_CHARS ? null : form;
}

/** `URL.parse`, which Node 18 does not have; the watcher runs there too. */
const parseUrl: (text: string, base?: string) => URL | null =
  typeof URL.parse === 'function'
    ? (text, base) => URL.parse(text, base)
    : (text, base) => {
        try {
          return new URL(text, base);
        } catch {
          return null;
        }
      };

export function questioned(query: string): string {
  return query === '' ? '' : `?${query}`;
}

/**
 * `mailto:`, `javascript:`, `data:` … are told by their first characters; parsing them (a data URL may have megabytes)
 * would only give the same answer later.
 */
function hasForeignScheme(text: string): boolean {
  for (let at = 0; at < 32; at++) {
    const code = text.charCodeAt(at);
    const lower = code | 0x20;
    if (lower >= 0x61 && lower <= 0x7a && code >= 0x41) continue;
    if (at > 0 && ((code >= 0x30 && code <= 0x39) || code === 0x2b || code === 0x2d || code === 0x2e)) continue;
    return at > 0 && code === 0x3a && !isWebScheme(text.slice(0, at + 1).toLowerCase());
  }
  return false;
}

function isWebScheme(protocol: string): boolean {
  return protocol === 'http:' || protocol === 'https:';
}

/** `example.com.` is `example.com`, written absolutely. What is left is parsed anew: `0x7f..` becomes an address by it. */
function originWithoutTrailingDot(url: URL): string | null {
  const { protocol, hostname, host } = url;
  if (!hostname.endsWith('.')) return hostname.length > MAX_HOST_CHARS ? null : `${protocol}//${host}`;
  let end = hostname.length;
  while (end > 0 && hostname.charCodeAt(end - 1) === 0x2e) end--;
  const port = host.slice(hostname.length);
  const parsed = parseUrl(`${protocol}//${hostname.slice(0, end)}${port}/`);
  return parsed === null || end === 0 || end > MAX_HOST_CHARS ? null : `${protocol}//${parsed.host}`;
}
