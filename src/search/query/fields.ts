/** The fields that a query may name, and how their values are read. */
import { didYouMean } from '../../core/did-you-mean.ts';
import { authorityOf, pathOf } from '../../url/host.ts';
import { UrlNormalizer } from '../../url/normalize.ts';
import { isWritable, readDateRange } from './date-range.ts';
import type { FilterQuery, Query, WordField } from './query.ts';
import { type NoteList, quoted } from './query-notes.ts';

export type FilterField = FilterQuery['kind'] | 'before' | 'after';
export type QueryField = WordField | FilterField;

/** The names of fields. Some are known from other search engines. */
export const FIELDS: ReadonlyMap<string, QueryField> = new Map<string, QueryField>([
  ['any', 'any'],
  ['intitle', 'title'],
  ['title', 'title'],
  ['inurl', 'url'],
  ['url', 'url'],
  ['inanchor', 'anchor'],
  ['site', 'site'],
  ['filetype', 'filetype'],
  ['ext', 'filetype'],
  ['lang', 'lang'],
  ['language', 'lang'],
  ['date', 'date'],
  ['after', 'after'],
  ['before', 'before'],
  ['changed', 'changed'],
  ['link', 'link'],
  ['depth', 'depth'],
]);
/** The name of each word field in the canonical text. */
export const FIELD_NAMES: Readonly<Record<WordField, string>> = {
  any: 'any',
  title: 'intitle',
  url: 'inurl',
  anchor: 'inanchor',
};
const MAX_NAME_CHARS = 12;
const FILE_TYPES: Readonly<Record<string, string>> = { htm: 'html', xhtml: 'html', text: 'txt', jpeg: 'jpg' };
const NORMALIZER = new UrlNormalizer();
const HAS_SCHEME = /^https?:\/\//i;
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::\d+)?$/;
const MAX_DEPTH = 999_999_999;
const DEPTHS = /^(?:(>=|<=|>|<|=)?(\d{1,9})|(\d{1,9})?\.\.(\d{1,9})?|\[(\d{1,9}|\*) to (\d{1,9}|\*)\])$/;

export function isWordField(field: QueryField): field is WordField {
  return field in FIELD_NAMES;
}

/** The field of a name, in any case. */
export function fieldNamed(name: string): QueryField | undefined {
  return name.length > MAX_NAME_CHARS ? undefined : FIELDS.get(name.toLowerCase());
}

/** `; did you mean …` for a name that looks like a misspelt field, or an empty text. */
export function similarField(name: string): string {
  if (name.length < 4 || name.length > MAX_NAME_CHARS || !/^[a-z]+$/.test(name)) return '';
  return didYouMean(
    name,
    [...FIELDS.keys()].filter((each) => each.length > 3 && each[0] === name[0]),
  );
}

/** Null if the value cannot be read; a note says why. */
export function readFilter(field: FilterField, given: string, nowMs: number, notes: NoteList): Query | null {
  const value = given.trim();
  const fail = (expected: string): null => {
    notes.add('bad-value', `${quoted(`${field}:${given}`)} is not ${expected}`);
    return null;
  };
  switch (field) {
    case 'site':
      return readSite(value) ?? fail('a host or a domain such as site:example.com');
    case 'filetype':
      return readFileType(value) ?? fail('a file type such as filetype:pdf');
    case 'lang':
      return readLanguage(value) ?? fail('a language code such as lang:en');
    case 'link':
      return readLink(value) ?? fail('a URL such as link:https://example.com/');
    case 'depth':
      return readDepth(value) ?? fail('a depth such as depth:2, depth:0..3 or depth:<3');
    default:
      return readDate(field, value, nowMs, notes) ?? fail('a date such as 2026-10, 2026-10-01..2026-11-01 or 7d');
  }
}

/** `*.example.com`, `.example.com` and complete URLs are accepted too. */
function readSite(value: string): Query | null {
  const bare = value.replace(/^(?:\*?\.)+/, '');
  if (bare === '' || /^[/?#]/.test(bare)) return null;
  const url = NORMALIZER.normalize(HAS_SCHEME.test(bare) ? bare : `http://${bare}`);
  if (url === null) return null;
  const [host, path] = [authorityOf(url), pathOf(url)];
  if (!HOST.test(host)) return null;
  return { kind: 'site', host, path: path === '/' ? '' : path };
}

function readFileType(value: string): Query | null {
  const found = /^\.?([a-z0-9]{1,16})$/i.exec(value)?.[1]?.toLowerCase();
  return found === undefined ? null : { kind: 'filetype', value: FILE_TYPES[found] ?? found };
}

/** The region of a language (`en-US`) is dropped, because the index has languages only. */
function readLanguage(value: string): Query | null {
  const found = /^([a-z]{2,3})(?:[-_][a-z0-9]{1,8}){0,3}$/i.exec(value)?.[1];
  return found === undefined ? null : { kind: 'lang', value: found.toLowerCase() };
}

/** A URL without a scheme means both: nobody remembers which one a site has. */
function readLink(value: string): Query | null {
  if (value === '') return null;
  const schemes = HAS_SCHEME.test(value) ? [''] : ['http://', 'https://'];
  const urls = schemes.map((scheme) => NORMALIZER.normalize(scheme + value));
  const links = urls.filter((url) => url !== null).map((url) => ({ kind: 'link', url }) as const);
  if (links.length < schemes.length) return null;
  return links.length === 1 ? links[0]! : { kind: 'or', operands: links };
}

function readDepth(value: string): Query | null {
  const found = DEPTHS.exec(value.toLowerCase());
  if (found === null) return null;
  const [, sign, single, from = found[5], to = found[6]] = found;
  const numberOf = (text: string | undefined): number | null =>
    text === undefined || text === '*' ? null : Number(text);
  if (single === undefined) {
    const [low, high] = [numberOf(from), numberOf(to)];
    if (low === null && high === null) return null;
    if (low !== null && high !== null && low > high) return { kind: 'depth', from: high, to: low };
    return { kind: 'depth', from: low ?? 0, to: high };
  }
  const depth = Number(single);
  switch (sign) {
    case '<':
      return depth === 0 ? null : { kind: 'depth', from: 0, to: depth - 1 };
    case '<=':
      return { kind: 'depth', from: 0, to: depth };
    case '>':
      return { kind: 'depth', from: Math.min(depth + 1, MAX_DEPTH), to: null };
    case '>=':
      return { kind: 'depth', from: depth, to: null };
    default:
      return { kind: 'depth', from: depth, to: depth };
  }
}

function readDate(
  field: 'date' | 'changed' | 'before' | 'after',
  value: string,
  nowMs: number,
  notes: NoteList,
): Query | null {
  const kind = field === 'changed' ? 'changed' : 'date';
  const range = readDateRange(value, nowMs, () => notes.add('range-turned', quoted(value)));
  if (range === null) return null;
  // As in other search engines, neither `before:2026` nor `after:2026` has a page of 2026.
  if (field === 'before') return range.fromMs === null ? null : { kind, fromMs: null, toMs: range.fromMs };
  if (field === 'after') {
    return range.toMs === null || !isWritable(range.toMs) ? null : { kind, fromMs: range.toMs, toMs: null };
  }
  return { kind, ...range };
}
