import { OrbweaverError } from '../core/errors.ts';

/**
 * The headers of a request. In come the options and an origin, out goes a flat list of names and values.
 *
 * What always holds: what was configured for a host goes to that host alone. A redirect is a new request to a new
 * origin with that origin's own headers, so credentials cannot travel along.
 */
export interface HeaderOptions {
  readonly userAgent: string;
  /** By host: '*' for all, 'example.org', 'example.org:8080', 'https://example.org' or '*.example.org'. */
  readonly headers: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** 'user:password' by host, in the same forms without patterns. */
  readonly basicAuth: Readonly<Record<string, string>>;
}

export const ACCEPT_ENCODING = 'gzip, br, zstd, deflate';

const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** These belong to the connection or would break the message; nobody sets them by hand. */
const RESERVED: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export function isSendableHeader(name: string, value: string): boolean {
  return TOKEN.test(name) && VALUE.test(value) && !RESERVED.has(name.toLowerCase());
}

/** Refuses what could never be sent, once, before the first request. */
export function checkHeaderOptions(options: HeaderOptions): void {
  if (!VALUE.test(options.userAgent) || options.userAgent.trim() === '') {
    throw new OrbweaverError('ERR_BAD_OPTION', 'the user agent must be a line of printable text');
  }
  for (const headers of Object.values(options.headers)) {
    for (const [name, value] of Object.entries(headers)) {
      if (isSendableHeader(name, value)) continue;
      // Neither the value nor a name that is none: either may be a secret, written in the wrong place.
      const which = TOKEN.test(name) ? `the header ${name}` : 'a header';
      const why = 'it is one that we set ourselves, or has characters that no header may have';
      throw new OrbweaverError('ERR_BAD_OPTION', `${which} cannot be sent: ${why}`);
    }
  }
  for (const [host, credentials] of Object.entries(options.basicAuth)) {
    if (host.includes('*') || !credentials.includes(':')) {
      throw new OrbweaverError('ERR_BAD_OPTION', 'basic authentication needs one host and "user:password"');
    }
  }
}

/** Everything that is the same for all requests to an origin. The more exact a pattern is, the later it wins. */
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

/** Adds the headers of one request. Their values may come from the web (ETag), so what cannot be sent is left out. */
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

/** 0: does not match. The host of a pattern without a port is the one on the scheme's own port. */
function patternExactness(pattern: string, origin: URL): number {
  if (pattern === '*') return 1;
  if (pattern.startsWith('*.')) return origin.host.endsWith(pattern.slice(1).toLowerCase()) ? 1 + pattern.length : 0;
  if (pattern.toLowerCase() === origin.host) return 1e6;
  return pattern.toLowerCase() === origin.origin ? 2e6 : 0;
}
