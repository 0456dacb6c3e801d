/**
 * A page that is looked at again. In: its URL with what the copy knows of it. Out: what was found — the same page, most of
 * the time without its body having been sent — and where it has changed, all that a new page brings, and what changed.
 *
 *   robots → fetch, if it has changed → (gone? failing? moved?) → same bytes? → what changed → as a new page
 *
 * Always: the copy's page stays until something has taken its place or the server has said, twice, that it is gone.
 */

import type { FetchOutcome } from '../fetch/outcome.ts';
import { nextTry, SET_ASIDE_MS } from '../fetch/retry.ts';
import type { ClaimedUrl, EarlierVisit, Finding, PageRecord, UrlResult } from '../store/contract.ts';
import { digestOf, type Fetch, failed, hasPage, kept, redirected, type Stages, validatorsOf } from './pipeline.ts';
import { rereadLinks } from './reread-links.ts';
import type { RobotsRuling } from './robots-keeper.ts';
import { unfinished } from './unfinished.ts';

export async function revisitUrl(
  task: ClaimedUrl,
  earlier: EarlierVisit,
  hostId: number,
  robots: RobotsRuling | null,
  fetch: Fetch,
  stages: Stages,
): Promise<UrlResult> {
  const result = unfinished(task.id, task.url, hostId);
  const { checkedAtMs: sinceMs } = earlier;
  const refusal = robots?.refuses(task.url) ?? null;
  if (refusal !== null) {
    const revisit = { sinceMs, checkedAtMs: stages.nowMs(), finding: 'refused', change: null } as const;
    return { ...result, state: 'skipped', reason: refusal, revisit };
  }

  const outcome = await fetch(task.url, conditionsOf(task, earlier));
  stages.marking(task.id);
  try {
    const found = (finding: Finding, change: string | null = null): Pick<UrlResult, 'revisit' | 'receivedBytes'> => ({
      revisit: { sinceMs, checkedAtMs: outcome.startedAtMs, finding, change },
      receivedBytes: outcome.bodyBytes,
    });
    if (outcome.status === 304 && earlier.digest !== '') {
      return { ...result, ...found('same'), ...(await rereadLinks(task, earlier, null, stages)) };
    }
    if (outcome.redirectTo !== null) {
      const moved = redirected(outcome, task, stages);
      const isSame = moved.redirectTo != null && moved.redirectTo.url === earlier.redirectTo;
      return isSame ? { ...result, ...found('same') } : { ...result, ...moved, ...found('moved') };
    }
    if (!hasPage(outcome)) return { ...result, ...lost(outcome, task, earlier, stages, found) };

    const digest = digestOf(outcome);
    if (digest === earlier.digest) {
      const links = await rereadLinks(task, earlier, outcome, stages);
      return { ...result, ...found('same'), ...links, validators: validatorsOf(outcome) };
    }
    const { verdict, change } = await (await stages.changes()).judge(outcome, task.url, earlier);
    const changed = kept(outcome, digest, task, stages);
    return { ...result, ...changed, page: believing(changed.page!, earlier), ...found(verdict, change) };
  } finally {
    outcome.release();
    stages.marking(0);
  }
}

/** One look in so many asks for the page whatever the validators say: a server may be wrong about them. */
const UNCONDITIONAL_EVERY = 256;

/** What a server needs to answer "not modified" (RFC 9110, 13.1). */
function conditionsOf({ id }: ClaimedUrl, { etag, lastModified, checkedAtMs, digest }: EarlierVisit): Conditions {
  const isAudit = (id + Math.floor(checkedAtMs / 1_000)) % UNCONDITIONAL_EVERY === 0;
  if (digest === '' || isAudit) return undefined;
  if (etag !== '')
    return { 'if-none-match': etag, ...(lastModified === '' ? {} : { 'if-modified-since': lastModified }) };
  return lastModified === '' ? undefined : { 'if-modified-since': lastModified };
}

/** Validators that did not change with the page are of no use: from now on it is asked for without. */
function believing(page: PageRecord, { etag, lastModified }: EarlierVisit): PageRecord {
  const isStuck = page.etag === undefined ? page.lastModified === lastModified : page.etag === etag;
  if (!isStuck) return page;
  const { etag: _etag, lastModified: _lastModified, ...unvalidated } = page;
  return unvalidated;
}

type Conditions = Readonly<Record<string, string>> | undefined;

/** Missing once may be an accident; twice, or 410, it is gone. Whatever else fails is tried again, and the copy kept. */
function lost(
  outcome: FetchOutcome,
  task: ClaimedUrl,
  earlier: EarlierVisit,
  stages: Stages,
  found: (finding: Finding) => Pick<UrlResult, 'revisit' | 'receivedBytes'>,
): Partial<UrlResult> {
  const reason = outcome.reason ?? 'bad-response';
  const isAbsent = reason === 'not-found' || reason === 'gone';
  const failures = earlier.failures + 1;
  if (isAbsent && earlier.digest === '' && earlier.redirectTo === null) return { reason, ...found('same') };
  if (reason === 'gone' || (reason === 'not-found' && earlier.trouble === 'not-found')) {
    const { capture = null } = failed(outcome, task, stages);
    return { state: 'gone', reason, capture, ...found('gone') };
  }
  if (isAbsent) return { reason, failures, ...found('missing') };
  const next = nextTry(reason, failures, outcome.retryAfterMs, stages.nowMs());
  const dueAtMs =
    next.kind === 'retry' ? next.atMs : next.kind === 'set-aside' ? next.untilMs : stages.nowMs() + SET_ASIDE_MS;
  return { reason, failures, dueAtMs, ...found('failing') };
}
