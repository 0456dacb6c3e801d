/**
 * The shape of a URL's path, which pages of one kind share. A page that was visited once is expected to change as often
 * as other pages of its shape. In: a URL in normal form. Out: a short text. What always holds: the shape depends on the
 * URL alone, takes one pass over it, and has a bounded length.
 *
 * `/products/123-blue-shirt.html` becomes `/products/*.html`, `/2024/05/17/title` becomes `/#/#/#/*`,
 * and `/list.php?page=3` becomes `/list.php?page`. A word in the middle names a kind of page and
 * stays. The last segment names the page itself.
 */
import { pathEnd, pathStart } from './host.ts';
import { parameterName } from './query-parameters.ts';

/** Deeper segments and further parameters tell nothing more about the kind of page. */
const MAX_SEGMENTS = 12;
const MAX_PARAMETERS = 8;
const MAX_NAME_CHARS = 32;
/** A longer segment is a title, not a kind of page. */
const MAX_KIND_CHARS = 24;
const MAX_EXTENSION_CHARS = 6;

export function pathShape(url: string): string {
  const start = pathStart(url);
  const end = pathEnd(url, start);
  const names = url.charCodeAt(end) === QUESTION ? queryShape(url, end + 1) : '';
  const segments = url.slice(start + 1, end).split('/', MAX_SEGMENTS + 1);
  const last = segments.length - 1;
  let shape = '';
  for (let i = 0; i < last && i < MAX_SEGMENTS; i++) shape += `/${middleShape(segments[i]!)}`;
  return `${shape}/${last === MAX_SEGMENTS ? '…' : lastShape(segments[last]!, names !== '')}${names}`;
}

/** The hash of shape and host in 32 bits. A collision of two shapes does no harm: their pages share one estimate. */
export function patternOf(url: string): number {
  return fnv1a(pathShape(url), fnv1a(url.slice(0, pathStart(url)), FNV_OFFSET)) >>> 0;
}

const QUESTION = 0x3f;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

function fnv1a(text: string, seed: number): number {
  let sum = seed;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), FNV_PRIME);
  return sum;
}

function middleShape(segment: string): string {
  if (isNumber(segment)) return '#';
  return segment.length > MAX_KIND_CHARS || /[\d%-]/.test(segment) ? '*' : segment;
}

/** A program that is called with parameters is a kind of page of its own, so its name stays. */
function lastShape(segment: string, isAsked: boolean): string {
  if (segment === '') return '';
  const dot = segment.lastIndexOf('.');
  const hasExtension = dot > 0 && segment.length - dot - 1 <= MAX_EXTENSION_CHARS;
  const name = hasExtension ? segment.slice(0, dot) : segment;
  const extension = hasExtension ? segment.slice(dot).toLowerCase() : '';
  if (isNumber(name)) return `#${extension}`;
  return (isAsked ? middleShape(name) : '*') + extension;
}

function isNumber(segment: string): boolean {
  return /^\d+$/.test(segment);
}

function queryShape(url: string, from: number): string {
  const fragment = url.indexOf('#', from);
  const pairs = url.slice(from, fragment === -1 ? url.length : fragment).split('&', MAX_PARAMETERS);
  const names = pairs.map((pair) => parameterName(pair).slice(0, MAX_NAME_CHARS)).filter((name) => name !== '');
  return names.length === 0 ? '' : `?${names.join('&')}`;
}
