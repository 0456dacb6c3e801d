import type { QueryRewriter } from './query-parameters.ts';

/**
 * The normal form by the slow, exact way: the WHATWG parser first, then our own rules on its result. All other code in
 * this folder that makes a URL must return exactly the same result. A fuzz test checks this.
 */

/** A longer link is not treated as a link: no server answers it, and it would only cost memory. */
export const MAX_URL_CHARS = 65_536;

/** The domain name system has no longer names (RFC 1035, 2.3.4): 255 octets, of which two are not written. */
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

  // The form is built without the user name and the fragment, so both are dropped here.
  let form = origin + normalizePercentEncoding(url.pathname);
  if (url.search !== '') {
    const query = normalizePercentEncoding(url.search.slice(1));
    form += questioned(rules.rewriteQuery === null ? query : rules.rewriteQuery(query));
  }
  if (rules.keepHashbang && url.hash.startsWith('#!') && url.hash.length > 2) {
    form += normalizePercentEncoding(url.hash);
  }
  // Encoding can make a URL nine times as long. Without this check, the result could be a form that is itself refused.
  return form.length > MAX_URL_CHARS ? null : form;
}

/** `URL.parse` is missing in Node 18, and the watcher runs there too. */
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
 * Recognises `mailto:`, `javascript:`, `data:` … by their first characters. Parsing them (a data URL may have
 * megabytes) would only give the same answer later.
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

/**
 * `example.com.` is the absolute spelling of `example.com`. The rest is
 * parsed again, because `0x7f..` becomes an address.
 */
function originWithoutTrailingDot(url: URL): string | null {
  const { protocol, hostname, host } = url;
  if (!hostname.endsWith('.')) return hostname.length > MAX_HOST_CHARS ? null : `${protocol}//${host}`;
  let end = hostname.length;
  while (end > 0 && hostname.charCodeAt(end - 1) === 0x2e) end--;
  const port = host.slice(hostname.length);
  const parsed = parseUrl(`${protocol}//${hostname.slice(0, end)}${port}/`);
  return parsed === null || end === 0 || end > MAX_HOST_CHARS ? null : `${protocol}//${parsed.host}`;
}

/**
 * Gives percent-encoding one spelling (RFC 3986 6.2.2): hex digits are upper case, and unreserved characters are never
 * encoded. All other triplets stay as they are, because `%2F` and `/` may name different resources.
 */

/** Returns 0–15 for a hex digit and -1 for anything else, including NaN, which charCodeAt returns after the end. */
function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (code >= 0x41 && code <= 0x46) return code - 0x37;
  if (code >= 0x61 && code <= 0x66) return code - 0x57;
  return -1;
}

/** RFC 3986 2.3: ALPHA DIGIT - . _ ~ */
function isUnreserved(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2d ||
    code === 0x2e ||
    code === 0x5f ||
    code === 0x7e
  );
}

const HEX = '0123456789ABCDEF';

/** Returns a triplet with upper-case digits, such as `%2F`. */
function percentTriplet(octet: number): string {
  return `%${HEX[octet >> 4]}${HEX[octet & 15]}`;
}

function normalizePercentEncoding(text: string): string {
  let at = text.indexOf('%');
  if (at === -1) return text;
  let out = '';
  let copiedTo = 0;
  // The index in `out` of the last `%` that begins no triplet. A digit that is decoded directly after it could complete
  // a triplet (`%%341` → `%41`). The next normalisation would decode that one too, so the form would not be stable.
  let bareAt = -3;
  while (at !== -1) {
    const high = hexValue(text.charCodeAt(at + 1));
    const low = hexValue(text.charCodeAt(at + 2));
    const position = out.length + at - copiedTo;
    if (high === -1 || low === -1) {
      bareAt = position;
      at = text.indexOf('%', at + 1);
      continue;
    }
    const octet = high * 16 + low;
    const completesBare = position - bareAt <= 2 && hexValue(octet) !== -1;
    const spelled = isUnreserved(octet) && !completesBare ? String.fromCharCode(octet) : percentTriplet(octet);
    out += text.slice(copiedTo, at) + spelled;
    copiedTo = at + 3;
    at = text.indexOf('%', copiedTo);
  }
  return out + text.slice(copiedTo);
}
