import type { DecodedBody } from './body/decode-body.ts';
import { type FetchReason, redirectTarget, statusReason } from './fetch-reasons.ts';
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
  /** The first value of a header, by lower-case name. '' if the header is absent. */
  header(name: string): string;
  /**
   * Drops `body` and `decoded`, which are empty afterwards. Call it when they are no longer needed. After a
   * slow response, the promise of an outcome is an old object for the garbage collector. Everything that an
   * old object references stays in memory until the next full collection. Without this call, every page
   * would bring the next full collection closer by its size.
   */
  release(): void;
}

/** The first value of a header in `name, value, …`, by lower-case name. '' if the header is absent. */
export function headerValue(rawHeaders: readonly string[], lowerName: string): string {
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    // Names of different lengths need not be compared.
    if (name.length === lowerName.length && name.toLowerCase() === lowerName) return rawHeaders[i + 1]!;
  }
  return '';
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
    reason = hasPage ? (reason ?? fault) : statusReason(status, retryAfterMs !== null, redirectTo);
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
    header: (name: string) => headerValue(rawHeaders, name),
    release() {
      outcome.body = [];
      outcome.decoded = EMPTY;
    },
  };
  return outcome;
}

/** The outcome of a request that was never sent. */
export function refusedOutcome(url: string, atMs: number, reason: FetchReason): FetchOutcome {
  const response = { ...NO_RESPONSE, startedAtMs: atMs, reason };
  return outcomeOf(url, response, [], { decoded: EMPTY, fault: null }, atMs);
}
