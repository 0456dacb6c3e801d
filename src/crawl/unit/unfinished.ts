import { SET_ASIDE_MS } from '../../fetch/retry.ts';
import type { ClaimedUrl, UrlResult } from '../../store/contract.ts';

/** The result of a URL of which nothing is known yet. The URL keeps waiting. */
export function unfinished(id: number, url: string, hostId: number): UrlResult {
  return {
    id,
    url,
    hostId,
    state: 'waiting',
    reason: null,
    failures: 0,
    dueAtMs: null,
    capture: null,
    page: null,
    redirectTo: null,
    standIn: null,
    knownLinks: [],
    foundLinks: [],
    foundAttributes: [],
    knownPromises: [],
  };
}

/**
 * The result of a URL if the failure is ours and not the server's. A page in the copy stays there and is visited again
 * another day: by then the page may be different, and so may our code.
 */
export function internalErrorResult(
  { id, url, failures, earlier }: Pick<ClaimedUrl, 'id' | 'url' | 'failures' | 'earlier'>,
  hostId: number,
  nowMs: number,
): UrlResult {
  const result = { ...unfinished(id, url, hostId), reason: 'internal-error' } as const;
  if (!earlier) return { ...result, state: 'failed', failures: failures + 1 };
  return {
    ...result,
    failures: earlier.failures + 1,
    dueAtMs: nowMs + SET_ASIDE_MS,
    revisit: { sinceMs: earlier.checkedAtMs, checkedAtMs: nowMs, finding: 'failing', change: null },
  };
}
