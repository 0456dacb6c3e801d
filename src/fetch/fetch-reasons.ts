import type { Reason } from '../core/reasons.ts';

/** The reasons that a fetch can return: the part of the closed list that depends on the network and the server. */
export const FETCH_REASONS = [
  'bad-url',
  'private-address',
  'dns-failed',
  'connect-failed',
  'connect-timeout',
  'tls-failed',
  'connection-reset',
  'headers-timeout',
  'body-timeout',
  'total-timeout',
  'headers-too-large',
  'bad-response',
  'bad-encoding',
  'partial-content',
  'body-too-large',
  'proxy-failed',
  'not-found',
  'gone',
  'forbidden',
  'client-error',
  'server-error',
  'rate-limited',
  'bad-redirect',
  'internal-error',
] as const satisfies readonly Reason[];

export type FetchReason = (typeof FETCH_REASONS)[number];

const REDIRECTS: ReadonlySet<number> = new Set([300, 301, 302, 303, 307, 308]);

/** The reason that follows from the status alone. Null if the status is no failure. */
export function statusReason(status: number, hasRetryAfter: boolean, redirectTo: string | null): FetchReason | null {
  if (status >= 200 && status < 300) return null;
  if (status === 304) return null;
  if (status >= 300 && status < 400) return redirectTo === null ? 'bad-redirect' : null;
  if (status === 404) return 'not-found';
  if (status === 410) return 'gone';
  if (status === 401 || status === 403 || status === 451) return 'forbidden';
  if (status === 429 || (status === 503 && hasRetryAfter)) return 'rate-limited';
  if (status >= 400 && status < 500) return 'client-error';
  if (status >= 500 && status < 600) return 'server-error';
  return 'bad-response';
}

/**
 * Whether a 206 has the whole page, although nobody requested a range (RFC 9110 §14.4): `bytes 0-11/12`. Some caches
 * answer every request in this way.
 */
export function isWholeRange(contentRange: string): boolean {
  const [, last, total] = /^bytes[ \t]+0-(\d{1,15})\/(\d{1,15})$/i.exec(contentRange) ?? [];
  return last !== undefined && Number(last) + 1 === Number(total);
}

/** The target of a redirect: Location resolved against the URL. Null if it is not a usable http or https URL. */
export function redirectTarget(status: number, location: string, url: string): string | null {
  if (!REDIRECTS.has(status) || location === '') return null;
  const target = URL.parse(utf8FromLatin1(location), url);
  if (target === null || (target.protocol !== 'http:' && target.protocol !== 'https:')) return null;
  // A login in a redirect is not sent, stored or shown.
  target.username = '';
  target.password = '';
  return target.href;
}

/**
 * Headers arrive with one character per byte, but many servers send raw UTF-8 in Location. Browsers decode it as UTF-8.
 */
function utf8FromLatin1(text: string): string {
  if (!/[\x80-\xff]/.test(text)) return text;
  const decoded = Buffer.from(text, 'latin1').toString('utf8');
  return decoded.includes('\ufffd') ? text : decoded;
}
