import { type HttpFlaw, NO_FLAWS } from '../../../core/http-flaws.ts';

/**
 * Parses the head of a response. In: the text from the first byte to the blank line, with one character per byte. Out:
 * the head with the framing of the body, or null if the text breaks a rule of HTTP. flawed-head.ts reads such a text.
 *
 * What always holds: the parser is strict wherever two parsers could disagree (bare CR or LF, NUL and other
 * control characters, spaces before a colon, two different lengths). A folded value (obs-fold) is joined by a space, as
 * RFC 9112 §5.2 requires of a client, but never in a framing header.
 */
export interface ResponseHead {
  readonly status: number;
  readonly statusText: string;
  /** name, value, name, value … as received. */
  readonly rawHeaders: string[];
  readonly framing: 'length' | 'chunked' | 'until-close';
  /** Length of the body. 0 unless `framing` is 'length'. */
  readonly contentLength: number;
  /** The transfer codings besides chunked, in the form of Content-Encoding. '' in nearly all responses. */
  readonly transferCodings: string;
  /** Empty if the head follows the rules. */
  readonly flaws: readonly HttpFlaw[];
  readonly keepAlive: boolean;
  /** The timeout that the server announced with Keep-Alive, or -1 if it announced none. */
  readonly keepAliveMs: number;
}

const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const COLON = 0x3a;

/**
 * Classes of characters in a line of a head: 1 for field-vchar, space and tab, 3 for the
 * characters that are also allowed in a name.
 */
const CHARACTERS = new Uint8Array(256);
for (let code = 0x20; code < 256; code++) if (code !== 0x7f) CHARACTERS[code] = 1;
CHARACTERS[TAB] = 1;
for (const character of "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
  CHARACTERS[character.charCodeAt(0)] = 3;
}

const VERSIONS: ReadonlySet<string> = new Set(['HTTP/1.1', 'HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0']);

/** `text` ends with the CR LF of its last line. */
export function parseResponseHead(text: string): ResponseHead | null {
  const version = text.slice(0, 8);
  if (!VERSIONS.has(version) || text.charCodeAt(8) !== SPACE) return null;
  const status = digitsAt(text, 9, 12);
  const lineEnd = endOfLine(text, 12);
  if (status < 100 || lineEnd === -1 || (lineEnd > 12 && text.charCodeAt(12) !== SPACE)) return null;
  const rawHeaders = parseHeaderLines(text, lineEnd + 2);
  if (rawHeaders === null) return null;
  return frame(status, text.slice(13, lineEnd), version === 'HTTP/1.1', rawHeaders, null);
}

/** Parses lines of `name: value`, of a head or of a trailer. Null if a line is invalid. */
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

/**
 * Finds out how the body is framed. `flaws` collects the flaws of a head that was read with tolerance. It is null for a
 * strict reading, which returns null at the first flaw.
 */
export function frame(
  status: number,
  statusText: string,
  isHttp11: boolean,
  rawHeaders: string[],
  flaws: Set<HttpFlaw> | null,
): ResponseHead | null {
  let contentLength = -1;
  let transfer: TransferCodings | null = null;
  let keepAlive = isHttp11;
  let keepAliveMs = -1;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    // Most headers are excluded by their length alone.
    if (name.length !== 10 && name.length !== 14 && name.length !== 17) continue;
    const value = rawHeaders[i + 1]!;
    const lower = name.toLowerCase();
    if (lower === 'content-length') {
      let length = readContentLength(value);
      if (length === -1 || (contentLength !== -1 && contentLength !== length)) {
        if (flaws === null) return null;
        flaws.add('content-length');
        // curl takes the last length. Without a number, the length matters only if there is a body.
        length = readLooseLength(value, contentLength);
        if (length === NO_NUMBER && !isBodiless(status)) return null;
      }
      contentLength = length;
    } else if (lower === 'transfer-encoding') transfer = readTransferCodings(value, transfer);
    else if (lower === 'connection') keepAlive = readConnectionTokens(value, keepAlive);
    else if (lower === 'keep-alive') keepAliveMs = readKeepAliveMs(value);
  }
  // RFC 9112 §6.3: the transfer coding overrides the length, and the rest of this connection cannot be trusted.
  const isDoubtful = transfer !== null && (contentLength !== -1 || !transfer.isPlain);
  if (isDoubtful) flaws?.add('transfer-encoding');
  const framing = transfer?.isChunked ? 'chunked' : transfer || contentLength < 0 ? 'until-close' : 'length';
  return {
    status,
    statusText,
    rawHeaders,
    framing,
    contentLength: framing === 'length' ? contentLength : 0,
    transferCodings: transfer?.others ?? '',
    flaws: flaws !== null ? [...flaws] : isDoubtful ? DOUBTFUL_TRANSFER : NO_FLAWS,
    keepAlive: keepAlive && !isDoubtful && flaws === null,
    keepAliveMs,
  };
}

const DOUBTFUL_TRANSFER: readonly HttpFlaw[] = ['transfer-encoding'];

/** These responses have no body, whatever their headers say (RFC 9112 §6.3). */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304 || status < 200;
}

export function isFraming(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === 'content-length' || lower === 'transfer-encoding' || lower === 'connection';
}

/** Index of the CR in the CR LF that ends the line. -1 if another control character comes first. */
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

/** Removes spaces and tabs at both ends. No other character that `trim` would remove can occur there. */
export function trimmed(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

/** The number that the digits at `from`–`to` are, or -1 if they are not all digits. */
function digitsAt(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return -1;
    number = number * 10 + digit;
  }
  return number;
}

/** Parses the headers that define the length of a response and whether the connection stays open. */

/** Larger numbers would not be exact, and no body is that long. */
const MAX_LENGTH_DIGITS = 15;

/** Accepts digits only (RFC 9110 §8.6). Returns -1 for everything else: signs, lists, inner spaces, an empty value. */
function readContentLength(value: string): number {
  if (value.length === 0 || value.length > MAX_LENGTH_DIGITS) return -1;
  return digitsAt(value, 0, value.length);
}

const NO_NUMBER = -2;

/**
 * The number at the beginning of the value, as in curl. `before`, if it is beyond all numbers. `NO_NUMBER` if the value
 * does not begin with a number.
 */
function readLooseLength(value: string, before: number): number {
  const digits = /^\+?(\d+)/.exec(value)?.[1];
  if (digits === undefined) return NO_NUMBER;
  const length = Number(digits);
  return length < 2 ** 63 ? length : before;
}

interface TransferCodings {
  readonly isChunked: boolean;
  /** Codings besides chunked and identity. */
  readonly others: string;
  /** Nothing but chunked, or codings and then chunked (RFC 9112 §6.1). */
  readonly isPlain: boolean;
}

const ONLY_CHUNKED: TransferCodings = { isChunked: true, others: '', isPlain: true };

/** A body is in chunks if any coding is chunked, as in curl and browsers. `before`: codings of an earlier header. */
function readTransferCodings(value: string, before: TransferCodings | null): TransferCodings {
  const lower = value.toLowerCase();
  if (lower === 'chunked' && before === null) return ONLY_CHUNKED;
  const codings = lower.split(',').flatMap((coding) => coding.trim() || []);
  const others = codings.filter((coding) => coding !== 'chunked' && coding !== 'identity');
  return {
    isChunked: codings.includes('chunked') || before?.isChunked === true,
    others: [...(before?.others ? [before.others] : []), ...others].join(','),
    isPlain:
      before === null && codings.indexOf('chunked') === codings.length - 1 && others.length + 1 === codings.length,
  };
}

/** "close" overrides "keep-alive" (RFC 9112 §9.3). Other words change nothing. */
function readConnectionTokens(value: string, keepAlive: boolean): boolean {
  const lower = value.toLowerCase();
  if (lower === 'keep-alive') return true;
  if (lower === 'close') return false;
  const tokens = lower.split(',').map((token) => token.trim());
  if (tokens.includes('close')) return false;
  return keepAlive || tokens.includes('keep-alive');
}

/** `timeout=5, max=100` → 5,000. Returns -1 if there is no timeout. */
function readKeepAliveMs(value: string): number {
  const found = /(?:^|[,\s])timeout=(\d{1,6})/i.exec(value);
  return found ? Number(found[1]) * 1000 : -1;
}
