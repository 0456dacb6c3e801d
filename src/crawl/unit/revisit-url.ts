/**
 * Visits a known page again. In: its URL and the data of the earlier visit. Out: the finding.
 * Most pages are the same, and the server does not send their bodies. A changed page has all
 * the results of a new page, and a description of the change.
 *
 *   robots → conditional fetch → (moved? gone? failing?) → same bytes? → what changed → as a new page
 *
 * What always holds: the page stays in the copy until new content replaces it, until the server says permanently or
 * twice that it is gone or has moved, or until robots.txt forbids it (lost-page.ts).
 */

import { inStage } from '../../core/stage-events.ts';
import { type FetchOutcome, headerValue } from '../../fetch/outcome.ts';
import { essenceOf } from '../../page/content-kind.ts';
import { parsePage } from '../../page/page.ts';
import type { ClaimedUrl, EarlierVisit, Finding, PageRecord, Revisit, UrlResult } from '../../store/contract.ts';
import { linksParsed } from '../links/links-wanted.ts';
import type { JudgedChange } from './change/change-judge.ts';
import { isWorthReading, judgeKnowingNoise } from './change/double-look.ts';
import { isDocument } from './documents.ts';
import { elsewhere, forbidden, lost } from './lost-page.ts';
import {
  type AskedHost,
  archiveUnchanged,
  digestOf,
  documentIn,
  type Fetch,
  followedLinks,
  hasPage,
  kept,
  mediaType,
  NO_SITEMAPS,
  refusalOf,
  type Stages,
  validatorsOf,
  withSoft404,
} from './pipeline.ts';
import { readDirectives } from './read-directives.ts';
import { unfinished } from './unfinished.ts';

/** Findings of a visit that found a page. */
const FOUND: ReadonlySet<Finding> = new Set(['same', 'noise', 'changed']);

/** A URL that was visited before. */
export interface KnownUrl extends ClaimedUrl {
  readonly earlier: EarlierVisit;
}

export async function revisitUrl(claimed: KnownUrl, host: AskedHost, fetch: Fetch, stages: Stages): Promise<UrlResult> {
  const { hostId, robots } = host;
  const { earlier } = claimed;
  const task = stages.links.asNamed(claimed, robots?.sitemaps ?? NO_SITEMAPS);
  const result = unfinished(task.id, task.url, hostId);
  const { checkedAtMs: sinceMs } = earlier;
  const refusal = inStage('robots', task.url, () => refusalOf(task.url, robots, stages));
  if (refusal !== null) {
    const { finding, ...refused } = forbidden(refusal, robots?.closedUntilMs ?? 0, earlier, stages);
    return { ...result, ...refused, revisit: { sinceMs, checkedAtMs: stages.nowMs(), finding, change: null } };
  }

  const outcome = await inStage('fetch', task.url, () => fetch(task.url, conditionsOf(task, earlier, stages.nowMs())));
  stages.marking(task.id);
  try {
    const found = (
      finding: Finding,
      change: Omit<Revisit, 'sinceMs' | 'checkedAtMs' | 'finding'> = { change: null },
    ): Pick<UrlResult, 'revisit' | 'receivedBytes'> => ({
      revisit: {
        ...{ sinceMs, checkedAtMs: outcome.startedAtMs, finding },
        ...(earlier.trouble === 'not-found' && FOUND.has(finding) && earlier.digest !== '' ? { isBack: true } : {}),
        ...change,
      },
      receivedBytes: outcome.bodyBytes,
    });
    if (outcome.status === 304 && earlier.digest !== '') {
      const links = await rereadLinks(task, earlier, null, stages);
      return { ...result, ...found('same'), ...links, ...(await archiveUnchanged(outcome, stages)) };
    }
    const isElsewhere = outcome.redirectTo !== null;
    if (isElsewhere || !hasPage(outcome)) {
      const { finding, ...ended } = (isElsewhere ? elsewhere : lost)(outcome, task, earlier, stages);
      return { ...result, ...ended, ...found(finding) };
    }

    const digest = digestOf(outcome);
    if (digest === earlier.digest) {
      const links = await rereadLinks(task, earlier, outcome, stages);
      const archived = await archiveUnchanged(outcome, stages);
      return { ...result, ...found('same'), ...links, ...archived, validators: validatorsOf(outcome) };
    }
    const document = isDocument(outcome.decoded, mediaType(outcome)) ? await documentIn(outcome, task, stages) : null;
    const changed = kept({ outcome, digest, document }, task, host.template, stages);
    const judging = inStage('change', task.url, () =>
      judgeKnowingNoise(outcome, host, stages, (known) =>
        judge(outcome, { ...task, earlier }, changed.page!, known, stages),
      ),
    );
    const { finding, isCut, counted, ...change } = await judging;
    const reason = changed.reason ?? (isCut ? 'cpu-budget' : null);
    const page = withValidators(changed.page!, earlier);
    const visited = { ...result, ...changed, reason, page, ...found(finding, change), ...counted };
    return await withSoft404(visited, outcome, task, stages);
  } finally {
    outcome.release();
    stages.marking(0);
  }
}

/** Most changes are decided by hashes that were kept of the earlier version. Only for the others, it is read. */
async function judge(
  outcome: FetchOutcome,
  { id, url, earlier }: KnownUrl,
  { regions }: PageRecord,
  host: AskedHost,
  stages: Stages,
): Promise<JudgedChange> {
  const decided = stages.regions?.judge(url, earlier, regions, outcome.decoded);
  // A text that differs at every visit may be noise, too.
  const mayBeNoise = decided?.mayBeNoise || earlier.streak > 0;
  if (decided && !(decided.level === 'content' && isWorthReading(url, host, mayBeNoise, stages)))
    return { ...decided, mayBeNoise: false };
  stages.marking(id);
  const changes = await stages.changes();
  const judging = { isDecided: decided?.level === 'content', mark: () => stages.marking(id) };
  return changes.judge(outcome, url, earlier, host, judging);
}

/** One visit in this many requests the page without validators, because a server may be wrong about them. */
const UNCONDITIONAL_EVERY = 256;
/** A visit that follows the last one sooner always sends validators, so two refreshes in a row cost no body. */
const MIN_SPOT_CHECK_MS = 60_000;

/** The request headers that let a server answer "not modified" (RFC 9110, 13.1). */
function conditionsOf({ id }: ClaimedUrl, earlier: EarlierVisit, nowMs: number): Conditions {
  const { etag, lastModified, checkedAtMs, digest } = earlier;
  const isTurn = (id + Math.floor(checkedAtMs / 1_000)) % UNCONDITIONAL_EVERY === 0;
  const isSpotCheck = isTurn && nowMs - checkedAtMs >= MIN_SPOT_CHECK_MS;
  if (digest === '' || isSpotCheck) return undefined;
  if (etag !== '')
    return { 'if-none-match': etag, ...(lastModified === '' ? {} : { 'if-modified-since': lastModified }) };
  return lastModified === '' ? undefined : { 'if-modified-since': lastModified };
}

/** Removes validators that did not change with the page: they are useless, so later visits do not send them. */
function withValidators(page: PageRecord, { etag, lastModified }: EarlierVisit): PageRecord {
  const isStuck = page.etag === undefined ? page.lastModified === lastModified : page.etag === etag;
  if (!isStuck) return page;
  const { etag: _etag, lastModified: _lastModified, ...unvalidated } = page;
  return unvalidated;
}

type Conditions = Readonly<Record<string, string>> | undefined;

/*
 * Reads the links of an unchanged page again, because more kinds of links are wanted than
 * at the last reading (links/links-wanted.ts). In: a visited page. Out: its links for the
 * store, or nothing if they need not or cannot be read.
 *
 * In most cases the server has not sent the page again, so it is read from the archive.
 */

/** `sent`: the unchanged page, if the server has just sent it; otherwise null. */
async function rereadLinks(
  task: ClaimedUrl,
  { checkedAtMs }: EarlierVisit,
  sent: FetchOutcome | null,
  stages: Stages,
): Promise<Partial<UrlResult>> {
  if (checkedAtMs >= stages.rereadBeforeMs) return {};
  const content = sent
    ? { body: sent.decoded, rawHeaders: sent.rawHeaders }
    : await (await stages.changes()).archived(task.url);
  if (content === null) return {};
  const { body, rawHeaders } = content;
  // A document has all its links: they have one kind, which is always wanted.
  if (isDocument(body, essenceOf(headerValue(rawHeaders, 'content-type')))) return {};
  const wanted = { ...linksParsed(stages.options), wantText: false, wantAnchors: stages.links.readsLabels };
  const page = parsePage(body, headerValue(rawHeaders, 'content-type'), task.url, wanted, rawHeaders);
  // Style sheets and scripts have links too, images have none.
  if (page.kind !== 'html' && (page.kind !== 'other' || page.links.length === 0)) return {};
  const directives = readDirectives(rawHeaders, page.metaRobots, stages.productToken, stages.nowMs());
  return { ...followedLinks(page, directives, task, stages, null), isReread: true };
}
