/**
 * Decides which requests are for a page that is the same for every visitor, and the URL of that page. The length is
 * limited, because clients invent URLs.
 */
import type { IncomingMessage } from 'node:http';
import { requestTarget } from './request-target.ts';

const MAX_PATH_LENGTH = 1_000;
const MAX_VALUE_LENGTH = 100;

/** Null if the request is not observed. The query may contain only the named parameters. */
export function servedUrl(request: IncomingMessage, parameters: readonly string[]): string | null {
  const { cookie, authorization, range } = request.headers;
  if (request.method !== 'GET' || cookie !== undefined || authorization !== undefined || range !== undefined)
    return null;
  const { path, query } = requestTarget(request);
  return pageUrl(query === null ? path : `${path}?${query}`, parameters);
}

/** The same for a URL from the program itself: path and query, or a whole URL of the site. */
export function pageUrl(whole: string, parameters: readonly string[]): string | null {
  const target = whole.replace(/^https?:\/\/[^/?#]*/i, '');
  const at = target.indexOf('?');
  const path = at < 0 ? target : target.slice(0, at);
  if (path.length > MAX_PATH_LENGTH || !isPlainPath(path)) return null;
  const plain = path.replace(/%[0-9a-f]{2}/gi, (escaped) => escaped.toUpperCase());
  if (at < 0) return plain;
  const pairs = target.slice(at + 1).split('&', parameters.length + 1);
  const names = pairs.map((pair) => pair.split('=', 1)[0]!);
  const isKnown = (pair: string, i: number) =>
    parameters.includes(names[i]!) &&
    names.indexOf(names[i]!) === i &&
    pair.length - names[i]!.length <= MAX_VALUE_LENGTH;
  return pairs.every(isKnown) && /^[\x21-\x7e]*$/.test(pairs.join('')) ? `${plain}?${pairs.sort().join('&')}` : null;
}

/** Whether the path is already in resolved form: no dot segments, nothing to escape, no second authority. */
function isPlainPath(path: string): boolean {
  if (!path.startsWith('/') || path.startsWith('//')) return false;
  try {
    return new URL(path, 'http://site.invalid').pathname === path;
  } catch {
    return false;
  }
}
