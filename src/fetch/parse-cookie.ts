/** One cookie as a Set-Cookie header describes it (RFC 6265 §5.2). */
export interface ParsedCookie {
  readonly name: string;
  readonly value: string;
  /** '' when the header has none: the cookie is for that host only. */
  readonly domain: string;
  /** '' when the header has none, or one that is no path. */
  readonly path: string;
  readonly secure: boolean;
  /** null for a cookie of this session; in the past for one to delete. */
  readonly expiresAtMs: number | null;
}

/** RFC 6265 §6.1 asks for 4096 bytes at least; more is not remembered. */
const MAX_COOKIE_BYTES = 4096;

/** null for what is no cookie. Later attributes win over earlier ones, Max-Age over Expires. */
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
  // "Wed, 09-Jun-2021 10:18:14 GMT": the dashes of old servers are not in every parser's grammar.
  const atMs = Date.parse(text.replaceAll('-', ' '));
  return Number.isNaN(atMs) ? null : atMs;
}

function parseMaxAge(text: string, nowMs: number): number | null {
  if (!/^-?\d+$/.test(text)) return null;
  const seconds = Number(text);
  return seconds <= 0 ? 0 : nowMs + seconds * 1000;
}
