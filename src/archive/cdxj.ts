import { safeJson } from '../core/safe-text.ts';
import { withoutFirst, withoutLast } from '../core/text/trim-character.ts';
import { timestamp14 } from './archive-file.ts';
import type { RecordLocation } from './exchange-records.ts';
import { targetUri } from './target-uri.ts';

export interface IndexedCapture extends RecordLocation {
  readonly url: string;
  readonly fetchedAtMs: number;
  /** The media type, without parameters. */
  readonly mime: string;
  readonly status: number;
}

/**
 * One line of a CDXJ index, without its line end: key, time, and a JSON object whose values are all strings. An index
 * has its lines in byte order, so that readers can use a binary search. A line is the same, byte for byte, as the line
 * that cdxj-indexer writes for the record (docs/archive.md lists the exceptions).
 */
export function cdxjLine(capture: IndexedCapture): string {
  const { url, fetchedAtMs, mime, status, payloadDigest, file, offset, length, revisit } = capture;
  const type = revisit ? 'warc/revisit' : mime.split(TYPE_END, 1)[0]!;
  const fields = [
    ['url', targetUri(url)],
    ...(type === '' ? [] : [['mime', type]]),
    // The record of an unchanged page has no HTTP head. Readers take the status of the response that it refers to.
    ...(revisit && status === 304 ? [] : [['status', String(status)]]),
    ['digest', payloadDigest],
    ['length', String(length)],
    ['offset', String(offset)],
    ['filename', file],
  ] as const;
  const json = fields.map(([name, value]) => `"${name}": ${safeJson(value)}`).join(', ');
  // Only text that is not a web URL can have white space in its key.
  const key = surt(url).replace(/\s/g, encodeURIComponent);
  return `${key} ${timestamp14(fetchedAtMs)} {${json}}`;
}

/** Some servers separate the parameters of a media type with a space. */
const TYPE_END = /[;\s]/;

/**
 * Converts a URL to a sort key in the format of pywb's indexes. The host labels are reversed, so that the
 * captures of a domain are next to each other, and URLs that are the same page for a reader get the same
 * key. In: an absolute URL. Out: `com,example)/path?query`.
 *
 * What always holds: it never throws and takes linear time. Text that is not a web URL is returned unchanged.
 *
 * Different URLs may have the same key (the rules ignore case, order and session
 * ids), so readers compare the `url` field.
 */
const WEB_URL = /^(?:https?|ftp):\/\//i;
const HEX = /^[0-9A-Fa-f]{2}$/;
/** Characters that are not escaped in a key: printable ASCII except space, `#` and `%`. */
const KEPT = new Set<number>();
for (let code = 0x21; code < 0x7f; code++) if (code !== 0x23 && code !== 0x25) KEPT.add(code);

export function surt(url: string): string {
  const text = url.trim().replace(/[\t\r\n]/g, '');
  const parsed = WEB_URL.test(text) ? URL.parse(text) : null;
  if (parsed === null) return url;
  const hash = text.indexOf('#');
  const whole = hash < 0 ? text : text.slice(0, hash);
  // Path and query are taken from the text, because a URL parser treats dots and
  // escapes differently from the rules of the key.
  const authorityStart = whole.indexOf('//') + 2;
  const rest = whole.slice(authorityStart);
  const pathStart = rest.search(/[/?]/);
  const target = pathStart < 0 ? '' : rest.slice(pathStart);
  const mark = target.indexOf('?');
  const path = keyPath(mark < 0 ? target : target.slice(0, mark));
  const query = mark < 0 ? '' : keyQuery(target.slice(mark + 1));
  return `${keyHost(parsed)})${path}${query === '' ? '' : `?${query}`}`;
}

function keyHost(url: URL): string {
  let host = url.hostname.toLowerCase();
  if (host.startsWith('[')) host = host.slice(1, -1);
  host = withoutLast(withoutFirst(host.replaceAll('..', '.'), '.'), '.').replace(/^www\d*\./, '');
  return host.split('.').reverse().join(',') + (url.port === '' ? '' : `:${url.port}`);
}

function keyPath(raw: string): string {
  const kept: string[] = [];
  // The text before the first slash is empty.
  for (const segment of unescapeFully(raw).split('/').slice(1)) {
    if (segment === '.') continue;
    if (segment === '..' && kept.length > 0) kept.pop();
    else kept.push(segment);
  }
  const last = kept.pop() ?? '';
  const path = `/${[...kept.filter((segment) => segment !== ''), last].join('/')}`;
  const key = withoutPathSession(escapeOnce(path).toLowerCase());
  return key.length > 1 && key.endsWith('/') ? key.slice(0, -1) : key;
}

function keyQuery(raw: string): string {
  const query = withoutQuerySession(escapeOnce(unescapeFully(raw))).toLowerCase();
  if (query.length <= 1) return query;
  const fields = query.split('&').map((field) => {
    const equals = field.indexOf('=');
    return equals < 0 ? { name: field, value: null } : { name: field.slice(0, equals), value: field.slice(equals + 1) };
  });
  fields.sort((a, b) => compare(a.name, b.name) || compare(a.value ?? '', b.value ?? '') || order(a) - order(b));
  return fields.map(({ name, value }) => (value === null ? name : `${name}=${value}`)).join('&');
}

/** A name without a value is sorted before the same name with an empty value. */
const order = (field: { value: string | null }): number => (field.value === null ? 0 : 1);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Decodes percent escapes until none is left, so that `%257E` becomes `~`. One character per byte.
 * Decoding can create a new escape (`%2%35` …), so the end of the output is checked again after each
 * step. This is linear, while repeated passes are not.
 */
function unescapeFully(text: string): string {
  if (!/[^\x00-\x24\x26-\x7f]/.test(text)) return text;
  const bytes = Buffer.from(text, 'utf8');
  let end = 0;
  for (const byte of bytes) {
    bytes[end++] = byte;
    while (end >= 3 && bytes[end - 3] === 0x25 && HEX.test(bytes.toString('latin1', end - 2, end))) {
      bytes[end - 3] = Number.parseInt(bytes.toString('latin1', end - 2, end), 16);
      end -= 2;
    }
  }
  return bytes.toString('latin1', 0, end);
}

function escapeOnce(byteText: string): string {
  if (!/[^\x21\x22\x24\x26-\x7e]/.test(byteText)) return byteText;
  let out = '';
  for (let at = 0; at < byteText.length; at++) {
    const code = byteText.charCodeAt(at);
    out += KEPT.has(code) ? byteText[at] : `%${code.toString(16).padStart(2, '0').toUpperCase()}`;
  }
  return out;
}

/** ASP.NET puts the session into the path: `/(S(24 characters))/page.aspx`. */
function withoutPathSession(path: string): string {
  if (!path.includes('.aspx')) return path;
  let segments = path.split('/');
  for (const session of [/^\((?:[a-z]\([0-9a-z]{24}\))+\)$/, /^\([0-9a-z]{24}\)$/]) {
    // Searches from the end, to find the last session that has a page after it without a question mark in between.
    let pageFollows = false;
    for (let at = segments.length - 1; at > 0; at--) {
      const segment = segments[at]!;
      if (pageFollows && session.test(segment)) {
        segments = segments.toSpliced(at, 1);
        break;
      }
      const page = segment.indexOf('.aspx');
      const mark = segment.indexOf('?');
      if (page >= 0 && (mark < 0 || mark > page)) pageFollows = true;
      else if (mark >= 0) pageFollows = false;
    }
  }
  return segments.join('/');
}

const QUERY_SESSIONS = [
  { name: 'jsessionid=', value: /^[0-9a-z]{32}$/i },
  { name: 'phpsessid=', value: /^[0-9a-z]{32}$/i },
  { name: 'sid=', value: /^[0-9a-z]{32}$/i },
  { name: 'aspsessionid', value: /^[a-z]{8}=[a-z]{24}$/i },
] as const;

/**
 * Removes session ids of the well-known kinds, the last one of each kind. A prefix before the name is kept, as in pywb.
 */
function withoutQuerySession(query: string): string {
  if (!/id/i.test(query)) return query;
  let fields = query.split('&');
  for (const { name, value } of QUERY_SESSIONS) {
    const at = fields.findLastIndex((field) => value.test(afterLast(field, name) ?? ''));
    if (at >= 0) fields = joined(fields, at, name, 1);
  }
  const at = fields.findLastIndex(
    (field, index) => (afterLast(field, 'cfid=') ?? '') !== '' && /^cftoken=./i.test(fields[index + 1] ?? ''),
  );
  return (at >= 0 ? joined(fields, at, 'cfid=', 2) : fields).join('&');
}

function afterLast(field: string, name: string): string | null {
  const at = field.toLowerCase().lastIndexOf(name);
  return at < 0 ? null : field.slice(at + name.length);
}

/** Removes `count` fields. The text before `name` in the first of them is put in front of the next field. */
function joined(fields: readonly string[], at: number, name: string, count: number): string[] {
  const before = fields[at]!.slice(0, fields[at]!.toLowerCase().lastIndexOf(name));
  const [next = '', ...rest] = fields.slice(at + count);
  return [...fields.slice(0, at), before + next, ...rest];
}
