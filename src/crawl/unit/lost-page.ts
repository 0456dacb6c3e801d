/**
 * Handles a visit that found no page. In: the answer of the server, or the refusal of robots.txt, and the earlier
 * visit. Out: whether the page is gone, has moved or is kept for now, the reason, and the time of the next visit.
 *
 * What always holds: a possible accident costs no page. A page is kept the first time
 * and leaves the copy if the next visit finds the same.
 */
import type { Reason } from '../../core/reasons.ts';
import type { FetchOutcome } from '../../fetch/outcome.ts';
import { nextTry, SET_ASIDE_MS } from '../../fetch/retry.ts';
import type { ClaimedUrl, EarlierVisit, Finding, UrlResult } from '../../store/contract.ts';
import { failed, movedTo, type Stages } from './pipeline.ts';

export type Loss = Partial<UrlResult> & { readonly finding: Finding };

/** A refresh with `watch` waits at least this long before the second visit, so that an accident of seconds is over. */
const SECOND_VISIT_MS = 60_000;
/** RFC 9110, 15.4: the other redirects are temporary. */
const PERMANENT: readonly number[] = [301, 308];

/**
 * The page may not be requested. If robots.txt itself forbids the page, it leaves the copy. Any other refusal, such as
 * an unreachable robots.txt or a private address, may end, so the page is kept and tried again.
 */
export function forbidden(reason: Reason, closedUntilMs: number, earlier: EarlierVisit, stages: Stages): Loss {
  if (reason !== 'robots-disallowed') {
    const loss = failing(reason, null, earlier, stages);
    return closedUntilMs > stages.nowMs() ? { ...loss, dueAtMs: closedUntilMs } : loss;
  }
  return isWithoutPage(earlier) ? { reason, finding: 'same' } : { state: 'skipped', reason, finding: 'refused' };
}

/** The page redirects. */
export function elsewhere(outcome: FetchOutcome, task: ClaimedUrl, earlier: EarlierVisit, stages: Stages): Loss {
  const target = stages.links.redirectOf(outcome.redirectTo!, task);
  if (target === null) return failing('bad-redirect', null, earlier, stages);
  if (target.url === task.url) return failing('redirect-loop', null, earlier, stages);
  if (target.url === earlier.redirectTo) return { finding: 'same' };
  const mayBeOver = !PERMANENT.includes(outcome.status) && earlier.trouble !== 'temporary-redirect';
  if (mayBeOver && earlier.digest !== '') return missing('temporary-redirect', earlier, stages);
  return { ...movedTo(target, outcome, task, stages), finding: 'moved' };
}

/**
 * A page that is missing once may be an accident. Missing twice, or a 410, means gone.
 * After any other failure the page is kept and tried again.
 */
export function lost(outcome: FetchOutcome, task: ClaimedUrl, earlier: EarlierVisit, stages: Stages): Loss {
  const reason = outcome.reason ?? 'bad-response';
  if (reason !== 'not-found' && reason !== 'gone') return failing(reason, outcome.retryAfterMs, earlier, stages);
  if (isWithoutPage(earlier)) return { reason, finding: 'same' };
  if (reason === 'not-found' && earlier.trouble !== 'not-found') return missing(reason, earlier, stages);
  const { capture = null } = failed(outcome, task, stages);
  return { state: 'gone', reason, capture, finding: 'gone' };
}

function missing(reason: Reason, { failures }: EarlierVisit, { refresh, nowMs }: Stages): Loss {
  const waitMs = Math.max(refresh?.minInterval ?? 0, refresh?.watch ? SECOND_VISIT_MS : 0);
  return { reason, failures: failures + 1, dueAtMs: waitMs === 0 ? null : nowMs() + waitMs, finding: 'missing' };
}

/**
 * Follows the retry table. A URL that the table gives up is tried again in a day. A URL without a
 * page is tried again after the longest interval at the earliest.
 */
function failing(reason: Reason, retryAfterMs: number | null, earlier: EarlierVisit, stages: Stages): Loss {
  const failures = earlier.failures + 1;
  const nowMs = stages.nowMs();
  const next = nextTry(reason, failures, retryAfterMs, nowMs);
  const dueAtMs = next.kind === 'retry' ? next.atMs : next.kind === 'set-aside' ? next.untilMs : nowMs + SET_ASIDE_MS;
  const longestMs = isWithoutPage(earlier) ? (stages.refresh?.maxInterval ?? 0) : 0;
  return { reason, failures, dueAtMs: Math.max(dueAtMs, nowMs + longestMs), finding: 'failing' };
}

/** The URL never had a page, or has lost it. */
function isWithoutPage({ digest, redirectTo }: EarlierVisit): boolean {
  return digest === '' && redirectTo === null;
}
