/**
 * A look that found no page. In: what the server said instead, or that it may not be asked, and what the copy knows. Out: whether
 * the page is gone, has moved or is kept for now, why, and when it may be looked at again.
 *
 * Always: what may be an accident costs no page. Once it is kept; the same at the next look in a row, and it goes.
 */
import type { Reason } from '../core/reasons.ts';
import type { FetchOutcome } from '../fetch/outcome.ts';
import { nextTry, SET_ASIDE_MS } from '../fetch/retry.ts';
import type { ClaimedUrl, EarlierVisit, Finding, UrlResult } from '../store/contract.ts';
import { failed, movedTo, type Stages } from './pipeline.ts';

export type Loss = Partial<UrlResult> & { readonly finding: Finding };

/** What is watched is not asked twice within it, so that an accident of seconds is over. */
const SECOND_LOOK_MS = 60_000;
/** RFC 9110, 15.4: the others are for the time being. */
const PERMANENT: readonly number[] = [301, 308];

/** We may not ask. Where robots.txt itself says so the page leaves the copy; what only keeps us from knowing is tried again. */
export function forbidden(reason: Reason, closedUntilMs: number, earlier: EarlierVisit, stages: Stages): Loss {
  if (reason !== 'robots-disallowed') {
    const loss = failing(reason, null, earlier, stages);
    return closedUntilMs > stages.nowMs() ? { ...loss, dueAtMs: closedUntilMs } : loss;
  }
  return isWithoutPage(earlier) ? { reason, finding: 'same' } : { state: 'skipped', reason, finding: 'refused' };
}

/** It redirects. */
export function elsewhere(outcome: FetchOutcome, task: ClaimedUrl, earlier: EarlierVisit, stages: Stages): Loss {
  const target = stages.links.redirectOf(outcome.redirectTo!, task);
  if (target === null) return failing('bad-redirect', null, earlier, stages);
  if (target.url === task.url) return failing('redirect-loop', null, earlier, stages);
  if (target.url === earlier.redirectTo) return { finding: 'same' };
  const mayBeOver = !PERMANENT.includes(outcome.status) && earlier.trouble !== 'temporary-redirect';
  if (mayBeOver && earlier.digest !== '') return missing('temporary-redirect', earlier, stages);
  return { ...movedTo(target, outcome, task, stages), finding: 'moved' };
}

/** Missing once may be an accident; twice, or 410, it is gone. Whatever else fails is tried again, and the copy kept. */
export function lost(outcome: FetchOutcome, task: ClaimedUrl, earlier: EarlierVisit, stages: Stages): Loss {
  const reason = outcome.reason ?? 'bad-response';
  if (reason !== 'not-found' && reason !== 'gone') return failing(reason, outcome.retryAfterMs, earlier, stages);
  if (isWithoutPage(earlier)) return { reason, finding: 'same' };
  if (reason === 'not-found' && earlier.trouble !== 'not-found') return missing(reason, earlier, stages);
  const { capture = null } = failed(outcome, task, stages);
  return { state: 'gone', reason, capture, finding: 'gone' };
}

function missing(reason: Reason, { failures }: EarlierVisit, { refresh, nowMs }: Stages): Loss {
  const waitMs = Math.max(refresh?.minInterval ?? 0, refresh?.watch ? SECOND_LOOK_MS : 0);
  return { reason, failures: failures + 1, dueAtMs: waitMs === 0 ? null : nowMs() + waitMs, finding: 'missing' };
}

/** By the retry table; what it would give up is tried again in a day, and where there is no page to lose after the longest interval. */
function failing(reason: Reason, retryAfterMs: number | null, earlier: EarlierVisit, stages: Stages): Loss {
  const failures = earlier.failures + 1;
  const nowMs = stages.nowMs();
  const next = nextTry(reason, failures, retryAfterMs, nowMs);
  const dueAtMs = next.kind === 'retry' ? next.atMs : next.kind === 'set-aside' ? next.untilMs : nowMs + SET_ASIDE_MS;
  const longestMs = isWithoutPage(earlier) ? (stages.refresh?.maxInterval ?? 0) : 0;
  return { reason, failures, dueAtMs: Math.max(dueAtMs, nowMs + longestMs), finding: 'failing' };
}

/** It never had one, or has lost it. */
function isWithoutPage({ digest, redirectTo }: EarlierVisit): boolean {
  return digest === '' && redirectTo === null;
}
