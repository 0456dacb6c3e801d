import { readConnectionTokens, readContentLength, readKeepAliveMs, readTransferCoding } from './framing-headers.ts';

/**
 * The head of a response, from its text. In comes everything between the first byte and the blank line, one character
 * a byte; out goes the head with what it says about the body's length, or null for what is no HTTP.
 *
 * What always holds: strict where two readers could disagree (bare CR or LF, NUL and other control characters, spaces
 * before a colon, two different lengths), so that no part of a body is ever taken for a header or the other way round.
 * A folded value (obs-fold) is joined by a space, as RFC 9112 §5.2 asks of a client, but never in a header that frames.
 */
export interface ResponseHead {
  readonly status: number;
  readonly statusText: string;
  /** name, value, name, value … as received. */
  readonly rawHeaders: string[];
  readonly framing: 'length' | 'chunked' | 'until-close';
  /** Of the body; 0 unless `framing` is 'length'. */
  readonly contentLength: number;
  readonly keepAlive: boolean;
  /** What the server promised with Keep-Alive: timeout; -1 when it promised nothing. */
  readonly keepAliveMs: number;
}

const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const COLON = 0x3a;

/** Room for what a line of a head may hold: 1 for field-vchar, space and tab, 3 for the characters of a name as well. */
const CHARACTERS = new Uint8Array(256);
for (let code = 0x20; code < 256; code++) if (code !== 0x7f) CHARACTERS[code] = 1;
CHARACTERS[TAB] = 1;
for (const character of "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
  CHARACTERS[character.charCodeAt(0)] = 3;
}

const VERSIONS: ReadonlySet<string> = new Set(['HTTP/1.1', 'HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0']);

/** The text ends after the CR LF of its last line. */
export function parseResponseHead(text: string): ResponseHead | null {
  const version = text.slice(0, 8);
  if (!VERSIONS.has(version) || text.charCodeAt(8) !== SPACE) return null;
  const status = threeDigits(text, 9);
  const lineEnd = endOfLine(text, 12);
  if (status === -1 || lineEnd === -1 || (lineEnd > 12 && text.charCodeAt(12) !== SPACE)) return null;
  const rawHeaders = parseHeaderLines(text, lineEnd + 2);
  if (rawHeaders === null) return null;
  return frame(status, text.slice(13, lineEnd), version === 'HTTP/1.1', rawHeaders);
}

/** Lines of `name: value`, of a head or of a trailer; null when one of them is none. */
export function parseHeaderLines(text: string, from: number): string[] | null {
  const headers: string[] = [];
  let at = from;
  while (at < text.length) {
    const lineEnd = endOfLine(text, at);
    if (lineEnd === -1) return null;
    const first = text.charCodeAt(at);
    if (first === SPACE || first === TAB) {
      if (headers.length === 0 || isFraming(headers[headers.length - 2]!)) return null;
      const folded = trimmed(text, at, lineEnd);
      if (folded !== '') headers.push(`${headers.pop()} ${folded}`.trimStart());
    } else {
      const colon = endOfName(text, at);
      if (colon === at || text.charCodeAt(colon) !== COLON) return null;
      headers.push(text.slice(at, colon), trimmed(text, colon + 1, lineEnd));
    }
    at = lineEnd + 2;
  }
  return headers;
}

function frame(status: number, statusText: string, isHttp11: boolean, rawHeaders: string[]): ResponseHead | null {
  let contentLength = -1;
  let transferCoding: 'chunked' | 'other' | null = null;
  let keepAlive = isHttp11;
  let keepAliveMs = -1;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    // Most headers are told apart by their length alone.
    if (name.length !== 10 && name.length !== 14 && name.length !== 17) continue;
    const value = rawHeaders[i + 1]!;
    const lower = name.toLowerCase();
    if (lower === 'content-length') {
      const length = readContentLength(value);
      if (length === -1 || (contentLength !== -1 && contentLength !== length)) return null;
      contentLength = length;
    } else if (lower === 'transfer-encoding') {
      // The last coding of the last line is the outermost one (RFC 9112 §6.1).
      transferCoding = readTransferCoding(value);
    } else if (lower === 'connection') keepAlive = readConnectionTokens(value, keepAlive);
    else if (lower === 'keep-alive') keepAliveMs = readKeepAliveMs(value);
  }
  // RFC 9112 §6.3: the transfer coding wins, and nobody knows what else on this connection is not as it seems.
  if (transferCoding !== null && contentLength !== -1) keepAlive = false;
  const framing =
    transferCoding === 'chunked' ? 'chunked' : transferCoding || contentLength === -1 ? 'until-close' : 'length';
  return {
    status,
    statusText,
    rawHeaders,
    framing,
    contentLength: framing === 'length' ? contentLength : 0,
    keepAlive,
    keepAliveMs,
  };
}

function isFraming(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === 'content-length' || lower === 'transfer-encoding' || lower === 'connection';
}

/** Index of the CR of the CR LF that ends the line; -1 when another control character comes first. */
function endOfLine(text: string, from: number): number {
  let at = from;
  while (at < text.length && CHARACTERS[text.charCodeAt(at)] !== 0) at++;
  return text.charCodeAt(at) === CR && text.charCodeAt(at + 1) === LF ? at : -1;
}

function endOfName(text: string, from: number): number {
  let at = from;
  while (CHARACTERS[text.charCodeAt(at)] === 3) at++;
  return at;
}

/** Without the spaces and tabs around it: nothing else that `trim` would take off can be there. */
function trimmed(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

function threeDigits(text: string, at: number): number {
  let number = 0;
  for (let i = at; i < at + 3; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return -1;
    number = number * 10 + digit;
  }
  return number;
}
