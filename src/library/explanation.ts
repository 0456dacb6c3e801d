/** All facts of a crawl about one URL, and why it has a page or not: the output of `orbweaver explain --json`. */

import type { PageNoise } from '../copy/page-noise.ts';
import type { PageTemplate } from '../copy/page-template.ts';
import type { RobotsState, UrlBudget, UrlFacts, UrlLooks } from '../copy/url-facts.ts';
import { REASONS, type Reason } from '../core/reasons.ts';
import { type SourceVerdict, verdictOn } from '../crawl/watchers/trust-rule.ts';
import type {
  CanonicalVerdict,
  CaptureRecord,
  MirrorRecord,
  ParameterLesson,
  SourceRecord,
  UrlState,
  WatcherOutcomes,
  WatchMark,
} from '../store/contract.ts';
import { type PageVisits, toPageVisits } from './page-history.ts';

export interface Explanation {
  readonly url: string;
  /** True if the crawl knows the URL. If not, `reason` is the rule that would exclude it. */
  readonly known: boolean;
  readonly state: UrlState | null;
  readonly reason: Reason | null;
  /** The reason as a sentence. */
  readonly why: string | null;
  /** Number of links away from the seeds. */
  readonly depth: number | null;
  /** The path from the seed to the page that has the link. */
  readonly via: readonly string[];
  /** The URL as it was written, if the normal form does not end with that text. */
  readonly original: string | null;
  /** The targets of its redirects, in order. */
  readonly redirects: readonly string[];
  readonly redirectsLoop: boolean;
  /** Number of consecutive failures. */
  readonly failures: number;
  readonly triedAgainAt: Date | null;
  readonly hostBlockedUntil: Date | null;
  /** The URL that is fetched instead: without a session id or an ignored parameter. */
  readonly instead: string | null;
  /** The lessons about its query parameters. */
  readonly parameters: readonly Omit<ParameterLesson, 'host'>[];
  readonly duplicateOf: string | null;
  readonly canonical: string | null;
  /** Whether its canonical link is believed, or why not. Null if it names no other URL. */
  readonly canonicalVerdict: CanonicalVerdict | null;
  readonly title: string | null;
  /** The relevance to the topic of the crawl, from 0 to 1. Null without a topic. */
  readonly relevance: number | null;
  readonly robots: { readonly state: RobotsState; readonly allowed: boolean | null };
  /** The place of its newest response in the archive. */
  readonly capture: (Omit<CaptureRecord, 'fetchedAtMs'> & { readonly fetchedAt: Date }) | null;
  /** A page with nearly the same text, and the similarity of the two pages, at most 1. */
  readonly nearDuplicateOf: string | null;
  readonly similarity: number | null;
  /** Hosts that mirror its host, or that its host mirrors. */
  readonly mirrors: readonly MirrorRecord[];
  /** The visits so far. Null for a URL that was never answered. */
  readonly visits: PageVisits | null;
  /**
   * The reason why the last visit failed; the copy keeps the page. `failures` and
   * `triedAgainAt` then refer to its visits.
   */
  readonly trouble: Reason | null;
  /** The time since which no page links to it. */
  readonly orphanedAt: Date | null;
  /** The time when the copy lost its page. Null if it has a page. */
  readonly goneAt: Date | null;
  /** For a URL without a page: the time of the last content in the archive. */
  readonly lastContentAt: Date | null;
  /**
   * The chance that a refresh would find it changed now. Null if it is not due, or if the copy
   * has more than 10,000 responses.
   */
  readonly chance: number | null;
  /**
   * The time of the last change according to a sitemap or feed, and whether the source is trusted.
   * Null if no source lists the URL.
   */
  readonly claim: UrlClaim | null;
  /** The watcher of its host, or null. */
  readonly watcher: ExplainedWatcher | null;
  /** Its responses that `orbweaver verify --repair` found damaged in the archive, newest first. */
  readonly damaged: readonly { readonly fetchedAt: Date; readonly foundAt: Date; readonly problem: string }[];
  /** Why the last request to its host, or to the robots.txt of its host, failed. Null if the host answered. */
  readonly hostTrouble: Reason | null;
  /** Which part of the page is the template of its host. Null if the copy has no text for the URL. */
  readonly template: PageTemplate | null;
  /**
   * The path pattern of the URL, its budget, and what its URLs have brought: known URLs, URLs that are left out for the
   * budget, answered URLs, answers with something new, and used-up places. Null if the URL has no pattern.
   */
  readonly budget: UrlBudget | null;
  /**
   * The page of which it was a copy at its last visit, and whether a refresh leaves it out for that. `retired`: it is
   * not visited at all, because no page links to it. Null if it was no copy.
   */
  readonly copy: ExplainedCopy | null;
  /** The regions of the host's pages that are ignored as noise. Null if nothing was learned about the host. */
  readonly noise: PageNoise | null;
}

export interface ExplainedCopy {
  readonly of: string;
  readonly checkedAt: Date;
  readonly leftOut: boolean;
  readonly retired: boolean;
}

export interface ExplainedWatcher {
  /** The URL of the watcher's report. */
  readonly url: string;
  readonly verdict: SourceVerdict;
  readonly readAt: Date;
  readonly evidence: WatcherOutcomes;
  /**
   * The watcher does not cover this URL, or it reported a change or a deletion that no visit has
   * checked yet. Null if neither holds.
   */
  readonly mark: WatchMark | null;
}

export interface UrlClaim {
  readonly changedAt: Date;
  /** True if this time is later than the one known at the last visit. */
  readonly isNews: boolean;
  readonly verdict: SourceVerdict;
  /**
   * Visits to pages of this host that change sources list, by the claim of the source and the result of the
   * visit. Null if there were none.
   */
  readonly evidence: Omit<SourceRecord, 'hostId' | 'host'> | null;
}

/** The fields and their order are a stable interface. */
export function toExplanation(story: UrlFacts, template: PageTemplate | null, noise: PageNoise | null): Explanation {
  const { record, via, redirects, redirectsLoop, robots, host, instead, lessons, looks } = story;
  const { habits } = looks;
  const reason = record === null ? story.keptOutBy : record.reason;
  return {
    url: story.url,
    known: record !== null,
    state: record?.state ?? null,
    reason,
    why: reason === null ? null : (REASONS[reason] ?? null),
    depth: record?.depth ?? null,
    via,
    original: record?.original ?? null,
    redirects: redirects.map(({ url }) => url),
    redirectsLoop,
    failures: habits?.failures || (record?.failures ?? 0),
    triedAgainAt: dateOrNull(record?.state === 'waiting' ? record.dueAtMs : habits?.notBeforeMs || null),
    hostBlockedUntil: dateOrNull(host?.manners.blockedUntilMs || null),
    instead,
    parameters: lessons.map(({ host: _host, ...lesson }) => lesson),
    duplicateOf: record?.duplicateOf ?? null,
    canonical: record?.canonical ?? null,
    canonicalVerdict: record?.canonicalVerdict ?? null,
    title: record?.digest ? record.title : null,
    relevance: record?.relevance ?? null,
    robots: { state: robots.state, allowed: robots.state === 'not-asked' ? null : robots.refusal === null },
    capture: record?.capture ? placeOf(record.capture) : null,
    nearDuplicateOf: record?.nearDuplicateOf ?? null,
    similarity: record?.similarity ?? null,
    mirrors: story.mirrors,
    visits: habits === null ? null : toPageVisits(habits),
    trouble: record?.trouble ?? null,
    orphanedAt: dateOrNull(record?.orphanedAtMs ?? null),
    goneAt: dateOrNull(looks.goneAtMs),
    lastContentAt: dateOrNull(looks.lastContent?.fetchedAtMs ?? null),
    chance: looks.chance === null ? null : Number(looks.chance.toFixed(4)),
    claim: claimOf(looks),
    watcher: watcherOf(story),
    damaged: story.damaged.map(({ fetchedAtMs, damage }) => ({
      fetchedAt: new Date(fetchedAtMs),
      foundAt: new Date(damage!.foundAtMs),
      problem: damage!.problem,
    })),
    hostTrouble: host?.trouble ?? null,
    template,
    budget: story.budget,
    copy: copyOf(looks),
    noise,
  };
}

function watcherOf({ watcher }: UrlFacts): ExplainedWatcher | null {
  if (watcher === null) return null;
  const { record, mark } = watcher;
  const readAt = new Date(record.readAtMs);
  return { url: record.url, verdict: verdictOn(record), readAt, evidence: evidenceOf(record), mark };
}

function copyOf({ copy }: UrlLooks): ExplainedCopy | null {
  if (copy === null) return null;
  const { of, checkedAtMs, isLeftOut, isRetired } = copy;
  return { of, checkedAt: new Date(checkedAtMs), leftOut: isLeftOut, retired: isRetired };
}

function claimOf({ habits, source }: UrlLooks): UrlClaim | null {
  if (habits === null || habits.claimedMs === 0) return null;
  return {
    changedAt: new Date(habits.claimedMs),
    isNews: habits.isClaimed,
    verdict: source === null ? 'unproven' : verdictOn(source),
    evidence: source === null ? null : evidenceOf(source),
  };
}

function evidenceOf({ confirmed, falseAlarms, missed, quiet }: WatcherOutcomes): WatcherOutcomes {
  return { confirmed, falseAlarms, missed, quiet };
}

function placeOf({ fetchedAtMs, ...place }: CaptureRecord): Explanation['capture'] {
  return { ...place, fetchedAt: new Date(fetchedAtMs) };
}

function dateOrNull(epochMs: number | null): Date | null {
  return epochMs === null ? null : new Date(epochMs);
}
