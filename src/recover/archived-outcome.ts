/**
 * An archived answer as if it had just been fetched. In: a capture and the limit of the crawl. Out: the outcome that
 * the pipeline takes.
 * Always: the same answer gives the same outcome as when it came over the network, as far as the archive tells.
 */
import type { Capture } from '../archive/warc-reader.ts';
import { decodeBody } from '../fetch/decode-body.ts';
import type { FetchReason } from '../fetch/fetch-reasons.ts';
import { type FetchOutcome, headerValue, type Truncation } from '../fetch/outcome.ts';
import { parseRetryAfter } from '../fetch/retry-after.ts';
import { redirectTarget, statusReason } from '../fetch/status-reason.ts';

/**
 * Why a body was cut short. The archive does not tell which of several timeouts it was, and the retry table does not
 * ask.
 */
const CUT_REASONS: Readonly<Record<Truncation, FetchReason>> = {
  length: 'body-too-large',
  time: 'body-timeout',
  disconnect: 'connection-reset',
};

const NOTHING = Buffer.alloc(0);

export async function archivedOutcome(capture: Capture, atMs: number, maxBody: number): Promise<FetchOutcome> {
  const { url, status, rawHeaders, body } = capture;
  const truncated = truncationOf(capture.truncated);
  const encoding = headerValue(rawHeaders, 'content-encoding');
  // What was stored under a larger --max-body is not cut to less than it is.
  const { decoded, fault } = await decodeBody([body], encoding, Math.max(maxBody, body.length), truncated === null);
  const redirectTo = redirectTarget(status, headerValue(rawHeaders, 'location'), url);
  const retryAfterMs = parseRetryAfter(headerValue(rawHeaders, 'retry-after'), atMs);
  const hasPage = status >= 200 && status < 300;
  const cut = truncated === null ? null : CUT_REASONS[truncated];
  const outcome = {
    url,
    startedAtMs: atMs,
    endedAtMs: atMs,
    firstByteMs: 0,
    ip: capture.ip,
    protocol: capture.protocol,
    requestHead: '',
    status,
    statusText: capture.statusText,
    rawHeaders,
    body: [body],
    bodyBytes: body.length,
    decoded,
    truncated: truncated ?? (fault === 'body-too-large' ? ('length' as const) : null),
    reason: hasPage ? (cut ?? fault) : statusReason(status, retryAfterMs !== null, redirectTo),
    redirectTo,
    retryAfterMs,
    header: (name: string) => headerValue(rawHeaders, name),
    release() {
      outcome.body = [];
      outcome.decoded = NOTHING;
    },
  };
  return outcome;
}

/** Tools give other reasons, too; all of them mean that what is there is the beginning. */
function truncationOf(text: string | null): Truncation | null {
  if (text === null) return null;
  return text === 'time' || text === 'disconnect' ? text : 'length';
}
