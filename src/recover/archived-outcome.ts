/**
 * Turns an archived response into a fetch outcome. In: a capture and the body sizes of the crawl. Out: the outcome
 * that the pipeline takes. What always holds: the outcome is the same as when the response came over the network, as
 * far as the archive has the facts.
 */
import type { Capture } from '../archive/warc-reader.ts';
import { type BodySizes, decodeArchived } from '../crawl/place/body-limits.ts';
import type { FetchReason } from '../fetch/fetch-reasons.ts';
import { type FetchOutcome, headerValue, outcomeOf, type Truncation } from '../fetch/outcome.ts';

/**
 * The reason for a truncated body. The archive does not say which of several timeouts it was, and the retry
 * table does not need to know.
 */
const CUT_REASONS: Readonly<Record<Truncation, FetchReason>> = {
  length: 'body-too-large',
  time: 'body-timeout',
  disconnect: 'connection-reset',
};

export async function archivedOutcome(capture: Capture, atMs: number, sizes: BodySizes): Promise<FetchOutcome> {
  const { url, status, rawHeaders, body } = capture;
  const truncated = truncationOf(capture.truncated);
  const encoding = headerValue(rawHeaders, 'content-encoding');
  const decoded = await decodeArchived(body, encoding, sizes, truncated === null);
  const response = {
    ...capture,
    startedAtMs: atMs,
    firstByteAtMs: 0,
    isH2: capture.protocol === 'h2',
    requestHead: '',
    changesCookies: false,
    body: { bytes: body.length },
    truncated,
    reason: status > 0 ? truncated && CUT_REASONS[truncated] : 'bad-response',
  } as const;
  return outcomeOf(url, response, [body], decoded, atMs);
}

/** Other tools also write other reasons. All of them mean that only the start of the body is there. */
function truncationOf(text: string | null): Truncation | null {
  if (text === null) return null;
  return text === 'time' || text === 'disconnect' ? text : 'length';
}
