/**
 * A page that is looked at again. In: its URL with what the copy knows of it. Out: what was found — the same page, most of
 * the time without its body having been sent — and where it has changed, all that a new page brings, and what changed.
 *
 *   robots → fetch, if it has changed → (moved? gone? failing?) → same bytes? → what changed → as a new page
 *
 * Always: the copy's page stays until something has taken its place, the server has said for good or twice that it is gone or
 * elsewhere, or robots.txt forbids it (lost-page.ts).
 */

import type { ClaimedUrl, EarlierVisit, Finding, PageRecord, UrlResult } from '../store/contract.ts';
import { elsewhere, forbidden, lost } from './lost-page.ts';
import { digestOf, type Fetch, hasPage, kept, NO_SITEMAPS, type Stages, validatorsOf } from './pipeline.ts';
import { rereadLinks } from './reread-links.ts';
import type { RobotsRuling } from './robots-keeper.ts';
import { unfinished } from './unfinished.ts';

export async function revisitUrl(
  claimed: ClaimedUrl,
  earlier: EarlierVisit,
  hostId: number,
  robots: RobotsRuling | null,
  fetch: Fetch,
  stages: Stages,
): Promise<UrlResult> {
  const task = stages.links.asNamed(claimed, robots?.sitemaps ?? NO_SITEMAPS);
  const result = unfinished(task.id, task.url, hostId);
  const { checkedAtMs: sinceMs } = earlier;
  const refusal = robots?.refuses(task.url) ?? null;
  if (refusal !== null) {
    const { finding, ...refused } = forbidden(refusal, robots!.closedUntilMs, earlier, stages);
    return { ...result, ...refused, revisit: { sinceMs, checkedAtMs: stages.nowMs(), finding, change: null } };
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
    const isElsewhere = outcome.redirectTo !== null;
    if (isElsewhere || !hasPage(outcome)) {
      const { finding, ...ended } = (isElsewhere ? elsewhere : lost)(outcome, task, earlier, stages);
      return { ...result, ...ended, ...found(finding) };
    }

    const digest = digestOf(outcome);
    if (digest === earlier.digest) {
      const links = await rereadLinks(task, earlier, outcome, stages);
      return { ...result, ...found('same'), ...links, validators: validatorsOf(outcome) };
    }
    const { verdict, change, isCut } = await (await stages.changes()).judge(outcome, task.url, earlier, () =>
      stages.marking(task.id),
    );
    const changed = kept(outcome, digest, task, stages);
    const reason = changed.reason ?? (isCut ? 'cpu-budget' : null);
    return { ...result, ...changed, reason, page: believing(changed.page!, earlier), ...found(verdict, change) };
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
