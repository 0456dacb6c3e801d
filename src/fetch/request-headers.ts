import { OrbweaverError } from '../core/errors.ts';

/**
 * Builds the headers of a request. In: the options and an origin. Out: a flat list of names and values.
 *
 * What always holds: headers that are configured for a host are sent to that host only. A redirect is a new request to
 * a new origin with that origin's own headers, so credentials are never passed on.
 */
export interface HeaderOptions {
  readonly userAgent: string;
  /** Keyed by host: '*' for all, 'example.org', 'example.org:8080', 'https://example.org' or '*.example.org'. */
  readonly headers: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** 'user:password', keyed by host in the same forms without patterns. */
  readonly basicAuth: Readonly<Record<string, string>>;
}

const ACCEPT_ENCODING = 'gzip, br, zstd, deflate';

const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** These headers belong to the connection or would break the message. Users cannot set them. */
const RESERVED: ReadonlySet<string> = new Set(
  `host connection content-length expect keep-alive proxy-authorization te trailer transfer-encoding upgrade`.split(
    /\s+/,
  ),
);

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function isSendableHeader(name: string, value: string): boolean {
  return TOKEN.test(name) && VALUE.test(value) && !RESERVED.has(name.toLowerCase());
}

/** Refuses headers that could never be sent. Called once, before the first request. */
export function checkHeaderOptions(options: HeaderOptions): void {
  if (!VALUE.test(options.userAgent) || options.userAgent.trim() === '') {
    throw new OrbweaverError(
      'ERR_BAD_OPTION',
      'the user agent must be one line of printable text and must not be empty',
    );
  }
  for (const headers of Object.values(options.headers)) {
    for (const [name, value] of Object.entries(headers)) {
      if (isSendableHeader(name, value)) continue;
      // The message contains neither the value nor an invalid name: either may be a secret in the wrong place.
      const which = TOKEN.test(name) ? `the header ${name}` : 'a header';
      const why = 'Orbweaver sets this header itself, or it has characters that a header must not have';
      throw new OrbweaverError('ERR_BAD_OPTION', `${which} cannot be sent: ${why}`);
    }
  }
  for (const [host, credentials] of Object.entries(options.basicAuth)) {
    if (host.includes('*') || !credentials.includes(':')) {
      throw new OrbweaverError(
        'ERR_BAD_OPTION',
        'basic authentication needs the name of one host, without a pattern, and "user:password"',
      );
    }
  }
}

/**
 * Names of headers that are sent but not archived, because archives are passed on to other people: credentials,
 * cookies, and every header that the user gave, which may be a key.
 */
export function secretHeaderNames({ headers }: HeaderOptions): ReadonlySet<string> {
  const given = Object.values(headers).flatMap((values) => Object.keys(values));
  return new Set(['authorization', 'proxy-authorization', 'cookie', ...given.map((name) => name.toLowerCase())]);
}

/** The headers that are the same for all requests to an origin. A more exact pattern overrides a less exact one. */
export function originHeaders(origin: URL, options: HeaderOptions): string[] {
  const headers = new Map([
    ['user-agent', options.userAgent],
    ['accept', ACCEPT],
    ['accept-encoding', ACCEPT_ENCODING],
  ]);
  const matching = Object.entries(options.headers)
    .map(([pattern, values]) => ({ values, exactness: patternExactness(pattern, origin) }))
    .filter(({ exactness }) => exactness > 0)
    .sort((a, b) => a.exactness - b.exactness);
  for (const { values } of matching) {
    for (const [name, value] of Object.entries(values)) headers.set(name.toLowerCase(), value);
  }
  const credentials = options.basicAuth[origin.origin] ?? options.basicAuth[origin.host];
  if (credentials !== undefined) {
    headers.set('authorization', `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}`);
  }
  return [...headers].flat();
}

/** Adds the headers of one request. Their values may come from the web (ETag), so invalid headers are left out. */
export function withExtraHeaders(base: readonly string[], extra: Readonly<Record<string, string>>): string[] {
  const names = new Set<string>();
  const added: string[] = [];
  for (const [name, value] of Object.entries(extra)) {
    if (!isSendableHeader(name, value)) continue;
    names.add(name.toLowerCase());
    added.push(name.toLowerCase(), value);
  }
  const merged: string[] = [];
  for (let i = 0; i < base.length; i += 2) {
    if (!names.has(base[i]!)) merged.push(base[i]!, base[i + 1]!);
  }
  return merged.concat(added);
}

/** 0 means no match. A pattern without a port matches only the default port of the scheme. */
function patternExactness(pattern: string, origin: URL): number {
  if (pattern === '*') return 1;
  if (pattern.startsWith('*.')) return origin.host.endsWith(pattern.slice(1).toLowerCase()) ? 1 + pattern.length : 0;
  if (pattern.toLowerCase() === origin.host) return 1e6;
  return pattern.toLowerCase() === origin.origin ? 2e6 : 0;
}

/** The headers of a request, as a list and as the lines that are sent and archived. */
export interface RequestText {
  /** name, value, name, value … without the headers of the connection. */
  readonly headers: readonly string[];
  /** All headers as lines, including those of the connection, each with its CR LF. */
  readonly lines: string;
  /** The lines without those of secret headers. */
  readonly archivedLines: string;
}

/**
 * Adds the headers of one request. None of them may be in `base` already. Their values may come from
 * the web (ETag), so invalid headers are left out. A refresh calls this ten thousand times in a row
 * with two such headers, so nothing is built again.
 */
export function withRequestHeaders(
  base: RequestText,
  extra: Readonly<Record<string, string>>,
  secrets: ReadonlySet<string>,
): RequestText {
  const headers = [...base.headers];
  let lines = '';
  let archivedLines = '';
  for (const name in extra) {
    const value = extra[name]!;
    if (!isSendableHeader(name, value)) continue;
    headers.push(name, value);
    const line = `${name}: ${value}\r\n`;
    lines += line;
    if (!secrets.has(name.toLowerCase())) archivedLines += line;
  }
  return { headers, lines: base.lines + lines, archivedLines: base.archivedLines + archivedLines };
}

/** `host` is name and port, as in a Host header. The values were checked before. */
export function requestText(host: string, headers: readonly string[], secrets: ReadonlySet<string>): RequestText {
  let lines = `host: ${host}\r\nconnection: keep-alive\r\n`;
  let archivedLines = lines;
  for (let i = 0; i < headers.length; i += 2) {
    const line = `${headers[i]}: ${headers[i + 1]}\r\n`;
    lines += line;
    if (!secrets.has(headers[i]!)) archivedLines += line;
  }
  return { headers, lines, archivedLines };
}
