/**
 * Reads single query parameters, in order to learn which of them never change the content. In: URLs in normal form.
 * What always holds: the answer depends on the URL alone, so the units and the store always agree.
 */
import { pathEnd, pathStart } from './host.ts';

/**
 * URLs with more parameters are ignored: each parameter is examined
 * separately, and a page must not make that expensive.
 */
const MAX_PARAMETERS = 8;
const MAX_NAME_CHARS = 64;
const MAX_SPACE_CHARS = 256;
/** A longer segment is a title, not a kind of page. */
const MAX_KIND_CHARS = 24;

/** The distinct names in order. Empty if there are too many names or a name is too long. */
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

/** All occurrences of a parameter, as they are written. */
export function parameterPairs(url: string, name: string): string {
  const pairs = queryOf(url).split('&');
  return pairs.filter((pair) => parameterName(pair) === name).join('&');
}

/** The URL without any occurrence of these parameters. If no parameter is left, the question mark is removed too. */
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
 * The pages for which a lesson holds: all pages with one path shape. Numbers, titles (`red-shoe`, `red-shoe.html`) and
 * segments that are too long for a kind of page become `*`, because the pages of a shop or a forum have nothing else in
 * common. The name of a program (`list-items.php`) stays except for its numbers, because a rule for one program may be
 * wrong for the next. Null for paths that are too long to store.
 */
export function parameterSpace(url: string): string | null {
  const start = pathStart(url);
  const end = pathEnd(url, start);
  if (end - start > MAX_SPACE_CHARS) return null;
  return url.slice(start, end).split('/').map(shapeOf).join('/');
}

/** Selects one URL in sixteen for a spot check, by its key: always the same URLs, and a site cannot choose them. */
export function isSpotChecked(keyHex: string): boolean {
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

/** The two optional rules for queries: some parameters are dropped, and the others are sorted. */

export type QueryRewriter = (query: string) => string;

/** Returns null if there is nothing to do, so that the caller can skip queries completely. */
export function compileQueryRules(sortQuery: boolean, dropParameters: readonly string[]): QueryRewriter | null {
  if (!sortQuery && dropParameters.length === 0) return null;
  const exact = new Set<string>();
  const prefixes: string[] = [];
  for (const name of dropParameters) {
    if (name.endsWith('*')) prefixes.push(name.slice(0, -1));
    else exact.add(name);
  }
  const isDropped = (pair: string): boolean => {
    const name = parameterName(pair);
    return exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
  };

  return (query) => {
    let pairs = query.split('&').filter((pair) => !isDropped(pair));
    if (sortQuery) {
      // The sort is stable and looks at names only, because `a=2&a=1` may be a list whose order matters.
      pairs = pairs.filter((pair) => pair !== '');
      pairs.sort((left, right) => compareText(parameterName(left), parameterName(right)));
    }
    return pairs.join('&');
  };
}

export function parameterName(pair: string): string {
  const equals = pair.indexOf('=');
  return equals === -1 ? pair : pair.slice(0, equals);
}

// Compares by code units, not by locale: the same crawl must give the same URLs on every machine.
function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
