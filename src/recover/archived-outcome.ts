/**
 * Turns an archived response into a fetch outcome. In: a capture and the body limit of the crawl. Out: the outcome
 * that the pipeline takes. What always holds: the outcome is the same as when the response came over the network, as
 * far as the archive has the facts.
 */
import type { Capture } from '../archive/warc-reader.ts';
import { decodeBody } from '../fetch/body/decode-body.ts';
import { type FetchReason, redirectTarget, statusReason } from '../fetch/fetch-reasons.ts';
import { type FetchOutcome, headerValue, type Truncation } from '../fetch/outcome.ts';
import { parseRetryAfter } from '../fetch/retry.ts';

/**
 * The reason for a truncated body. The archive does not say which of several timeouts it was, and the retry
 * table does not need to know.
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
  // A body that was stored under a larger --max-body is not cut further.
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

/** Other tools also write other reasons. All of them mean that only the start of the body is there. */
function truncationOf(text: string | null): Truncation | null {
  if (text === null) return null;
  return text === 'time' || text === 'disconnect' ? text : 'length';
}
