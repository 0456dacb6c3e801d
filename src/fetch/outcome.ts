import type { FetchReason } from './fetch-reasons.ts';

/** How a body came to be cut short: our limit, our patience, or the other side. */
export type Truncation = 'length' | 'time' | 'disconnect';

/** One request and all that came of it. Whatever the web did is in here; nothing of it was thrown. */
export interface FetchOutcome {
  readonly url: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** From the start to the first byte of the response; 0 when there was none. */
  readonly firstByteMs: number;
  /** The address that was connected to; null when there was no connection, or a proxy made it. */
  readonly ip: string | null;
  readonly protocol: 'http/1.1' | 'h2';
  /** Request line and headers, each with its CR LF, without the blank line and credentials; '' when none was sent. */
  readonly requestHead: string;
  /** 0 when there was no response. */
  readonly status: number;
  readonly statusText: string;
  /** name, value, name, value … as received, one character a byte. */
  readonly rawHeaders: readonly string[];
  /** As it arrived: transfer-coding removed, content-coding kept. */
  readonly body: readonly Buffer[];
  readonly bodyBytes: number;
  /** Content-coding removed; never longer than `maxBodyBytes`. */
  readonly decoded: Buffer;
  readonly truncated: Truncation | null;
  /** null for a complete 2xx, a redirect with a usable Location, and 304. */
  readonly reason: FetchReason | null;
  readonly redirectTo: string | null;
  readonly retryAfterMs: number | null;
  /** First value of a header, by lower-case name; '' when it is absent. */
  header(name: string): string;
  /**
   * Lets go of `body` and `decoded`, which are empty from then on. To be called when they have been used: the promise that
   * an outcome came through is old by the time of a slow answer, and what hangs on an old object stays in memory until
   * the next full collection, dead or not. Without this every page brings that on by its size.
   */
  release(): void;
}

/** First value of a header in `name, value, …`, by lower-case name; '' when it is absent. */
export function headerValue(rawHeaders: readonly string[], lowerName: string): string {
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    // Names that differ in length need not be compared.
    if (name.length === lowerName.length && name.toLowerCase() === lowerName) return rawHeaders[i + 1]!;
  }
  return '';
}

/** All values of it, in order. */
export function headerValues(rawHeaders: readonly string[], lowerName: string): string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]!.toLowerCase() === lowerName);
}

const EMPTY = Buffer.alloc(0);

/** The outcome of a request that was never made. */
export function refusedOutcome(url: string, atMs: number, reason: FetchReason): FetchOutcome {
  return {
    url,
    startedAtMs: atMs,
    endedAtMs: atMs,
    firstByteMs: 0,
    ip: null,
    protocol: 'http/1.1',
    requestHead: '',
    status: 0,
    statusText: '',
    rawHeaders: [],
    body: [],
    bodyBytes: 0,
    decoded: EMPTY,
    truncated: null,
    reason,
    redirectTo: null,
    retryAfterMs: null,
    header: () => '',
    release: () => {},
  };
}
