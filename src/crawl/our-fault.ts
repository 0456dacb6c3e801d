import { SET_ASIDE_MS } from '../fetch/retry.ts';
import type { ClaimedUrl, UrlResult } from '../store/contract.ts';
import { unfinished } from './unfinished.ts';

/**
 * The result of a URL that we failed at, not its server. A page of the copy stays there and is looked at again another day: it may
 * be another by then, and so may we.
 */
export function ourFault(
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
