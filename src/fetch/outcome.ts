import { type HttpFlaw, NO_FLAWS } from '../core/http-flaws.ts';
import type { DecodedBody } from './body/decode-body.ts';
import { giveBack } from './body/gunzip.ts';
import { extractContentType } from './content-type.ts';
import { type FetchReason, isWholeRange, redirectTarget, statusReason } from './fetch-reasons.ts';
import { parseRetryAfter } from './retry.ts';

/** Why a body was cut short: our size limit, our timeout, or a disconnect. */
export type Truncation = 'length' | 'time' | 'disconnect';

/** One request and its result. It describes everything that the web did. Nothing is thrown. */
export interface FetchOutcome {
  readonly url: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Time from the start to the first byte of the response. 0 if there was no response. */
  readonly firstByteMs: number;
  /** The address of the connection. Null if there was no connection, or if a proxy made it. */
  readonly ip: string | null;
  readonly protocol: 'http/1.1' | 'h2';
  /**
   * Request line and headers, each with its CR LF, without the blank line and credentials. '' if no request was sent.
   */
  readonly requestHead: string;
  /** 0 if there was no response. */
  readonly status: number;
  readonly statusText: string;
  /** name, value, name, value … as received, with one character per byte. */
  readonly rawHeaders: readonly string[];
  /** The body as it arrived: without transfer coding, with content coding. */
  readonly body: readonly Buffer[];
  readonly bodyBytes: number;
  /** The body without content coding. Never longer than `maxBodyBytes`. */
  readonly decoded: Buffer;
  readonly truncated: Truncation | null;
  /** Null for a complete 2xx, for a redirect with a usable Location, and for 304. */
  readonly reason: FetchReason | null;
  readonly redirectTo: string | null;
  readonly retryAfterMs: number | null;
  /** A redirect to the same URL that sets a cookie. The server may have a page for the next request, which sends it. */
  readonly isCookieHop: boolean;
  /** The rules of HTTP that the response broke. Of an unreadable response (`bad-response`), the last one tells why. */
  readonly flaws: readonly HttpFlaw[];
  /** The first value of a header, by lower-case name. '' if the header is absent. */
  header(name: string): string;
  /**
   * Drops `body` and `decoded`, which are empty afterwards. Call it when they are no longer needed: the memory of
   * `decoded` is used for another response then. After a slow response, the promise of an outcome is an old object for
   * the garbage collector. Everything that an old object references stays in memory until the next full collection.
   * Without this call, every page would bring the next full collection closer by its size.
   */
  release(): void;
}

/**
 * The value of a header in `name, value, …`, by lower-case name. '' if the header is absent. The first value counts,
 * except that several Content-Encoding headers are one list, and that content-type.ts chooses among several types.
 */
export function headerValue(rawHeaders: readonly string[], lowerName: string): string {
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    // Names of different lengths need not be compared.
    if (name.length === lowerName.length && name.toLowerCase() === lowerName) {
      return lowerName.startsWith('content-') ? contentValue(rawHeaders, lowerName, i) : rawHeaders[i + 1]!;
    }
  }
  return '';
}

function contentValue(rawHeaders: readonly string[], lowerName: string, at: number): string {
  const value = rawHeaders[at + 1]!;
  const isType = lowerName === 'content-type';
  if (!isType && lowerName !== 'content-encoding') return value;
  let isOnly = !(isType && value.includes(','));
  for (let i = at + 2; isOnly && i < rawHeaders.length; i += 2) {
    isOnly = rawHeaders[i]!.length !== lowerName.length || rawHeaders[i]!.toLowerCase() !== lowerName;
  }
  if (isOnly) return value;
  const values = headerValues(rawHeaders, lowerName);
  return isType ? extractContentType(values) : values.join(',');
}

/** All values of a header, in order. */
export function headerValues(rawHeaders: readonly string[], lowerName: string): string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]!.toLowerCase() === lowerName);
}

const EMPTY = Buffer.alloc(0);

const NO_RESPONSE = {
  firstByteAtMs: 0,
  ip: null,
  isH2: false,
  requestHead: '',
  status: 0,
  statusText: '',
  rawHeaders: [],
  body: { bytes: 0 },
  truncated: null,
  flaws: NO_FLAWS,
  changesCookies: false,
} as const;

/** A response as it arrived, or as the archive has it. */
export interface ReceivedResponse extends Pick<FetchOutcome, 'startedAtMs' | 'ip' | 'requestHead' | 'status'> {
  /** 0 if there was no response. */
  readonly firstByteAtMs: number;
  readonly isH2: boolean;
  readonly statusText: string;
  readonly rawHeaders: readonly string[];
  readonly body: { readonly bytes: number };
  readonly truncated: Truncation | null;
  /** Why the exchange failed or the body was cut. The status may give another reason. */
  readonly reason: FetchReason | null;
  readonly flaws: readonly HttpFlaw[];
  readonly changesCookies: boolean;
}

export function outcomeOf(
  url: string,
  response: ReceivedResponse,
  body: Buffer[],
  { decoded, fault }: DecodedBody,
  endedAtMs: number,
): FetchOutcome {
  const { status, rawHeaders, startedAtMs, firstByteAtMs } = response;
  const redirectTo = redirectTarget(status, headerValue(rawHeaders, 'location'), url);
  const retryAfterMs = parseRetryAfter(headerValue(rawHeaders, 'retry-after'), endedAtMs);
  // An error status is a valid response, even if its body was cut off. The body
  // of a redirect or a 304 does not matter.
  let { reason } = response;
  if (status > 0 && reason !== 'headers-too-large') {
    const hasPage = status >= 200 && status < 300;
    reason = hasPage
      ? (reason ?? fault ?? partReason(status, rawHeaders))
      : statusReason(status, retryAfterMs !== null, redirectTo);
  }
  const outcome = {
    url,
    startedAtMs,
    endedAtMs,
    firstByteMs: firstByteAtMs === 0 ? 0 : firstByteAtMs - startedAtMs,
    ip: response.ip,
    protocol: response.isH2 ? ('h2' as const) : ('http/1.1' as const),
    requestHead: response.requestHead,
    status,
    statusText: response.statusText,
    rawHeaders,
    body,
    bodyBytes: response.body.bytes,
    decoded,
    truncated: response.truncated ?? (fault === 'body-too-large' ? ('length' as const) : null),
    reason,
    redirectTo,
    retryAfterMs,
    isCookieHop: response.changesCookies && redirectTo !== null && isSameUrl(redirectTo, url),
    flaws: response.flaws,
    header: (name: string) => headerValue(rawHeaders, name),
    release() {
      outcome.body = [];
      giveBack(outcome.decoded);
      outcome.decoded = EMPTY;
    },
  };
  return outcome;
}

function partReason(status: number, rawHeaders: readonly string[]): FetchReason | null {
  return status === 206 && !isWholeRange(headerValue(rawHeaders, 'content-range')) ? 'partial-content' : null;
}

/** Whether a request for both URLs is the same request. */
function isSameUrl(target: string, url: string): boolean {
  const withoutFragment = (text: string): string => URL.parse(text)?.href.split('#', 1)[0] ?? text;
  return withoutFragment(target) === withoutFragment(url);
}

/** The outcome of a request that was never sent. */
export function refusedOutcome(url: string, atMs: number, reason: FetchReason): FetchOutcome {
  const response = { ...NO_RESPONSE, startedAtMs: atMs, reason };
  return outcomeOf(url, response, [], { decoded: EMPTY, fault: null }, atMs);
}
