/**
 * Query parameters one by one, for learning which of them never change the content. In come URLs in normal form. Always: the
 * answer depends on the URL alone, so that units and store, which both ask, agree.
 */
import { pathEnd, pathStart } from './host.ts';
import { parameterName } from './query-rules.ts';

/** URLs with more are left alone: each parameter is looked at by itself, and a page may not make that dear. */
const MAX_PARAMETERS = 8;
const MAX_NAME_CHARS = 64;
const MAX_SPACE_CHARS = 256;
/** A longer segment is a title, not a kind of page. */
const MAX_KIND_CHARS = 24;

/** The distinct names, in order; none where there are too many or too long ones. */
export function parameterNames(url: string): readonly string[] {
  const query = queryOf(url);
  if (query === '') return [];
  const pairs = query.split('&', MAX_PARAMETERS + 1);
  if (pairs.length > MAX_PARAMETERS) return [];
  const names = new Set(pairs.map(parameterName));
  names.delete('');
  for (const name of names) if (name.length > MAX_NAME_CHARS) return [];
  return [...names];
}

/** The URL without every occurrence of these; a query that has nothing left goes with its question mark. */
export function withoutParameters(url: string, names: ReadonlySet<string>): string {
  const query = queryOf(url);
  if (query === '' || names.size === 0) return url;
  const question = pathEnd(url, pathStart(url));
  const kept = query
    .split('&')
    .filter((pair) => !names.has(parameterName(pair)))
    .join('&');
  const fragment = url.slice(question + 1 + query.length);
  return url.slice(0, question) + (kept === '' ? '' : `?${kept}`) + fragment;
}

/**
 * The pages for which a lesson holds: those of one shape of path. Numbers, titles (`red-shoe`, `red-shoe.html`) and whatever is
 * too long to be a kind of page become `*`, because the pages of a shop or of a forum have no more in common than that. The
 * name of a program (`list-items.php`) stays but for its numbers: what holds for one need not hold for the next. Null for
 * paths that are too long to keep.
 */
export function parameterSpace(url: string): string | null {
  const start = pathStart(url);
  const end = pathEnd(url, start);
  if (end - start > MAX_SPACE_CHARS) return null;
  return url.slice(start, end).split('/').map(shapeOf).join('/');
}

/** One of sixteen, by the key of the URL: always the same ones, and not for a site to choose. */
export function isAudited(keyHex: string): boolean {
  return keyHex.startsWith('0');
}

function shapeOf(segment: string): string {
  const dot = segment.lastIndexOf('.');
  const extension = dot <= 0 ? '' : segment.slice(dot).toLowerCase();
  if (extension !== '' && extension !== '.html' && extension !== '.htm') return segment.replace(/\d+/g, '*');
  const isTitle = segment.length > MAX_KIND_CHARS || /[\d%-]/.test(segment);
  return isTitle ? `*${extension}` : segment;
}

function queryOf(url: string): string {
  const question = url.indexOf('?');
  if (question === -1) return '';
  const fragment = url.indexOf('#');
  if (fragment !== -1 && fragment < question) return '';
  return fragment === -1 ? url.slice(question + 1) : url.slice(question + 1, fragment);
}
