/** All that a crawl knows of one URL, and why it has a page or none: what `orbweaver explain --json` prints. */
import { REASONS, type Reason } from '../core/reasons.ts';
import type { RobotsState } from '../crawl/robots-state.ts';
import type { UrlStory } from '../crawl/url-story.ts';
import type { CaptureRecord, MirrorRecord, ParameterLesson, UrlState } from '../store/contract.ts';

export interface Explanation {
  readonly url: string;
  /** Whether the crawl has met it. If not, `reason` is the rule that would keep it out. */
  readonly known: boolean;
  readonly state: UrlState | null;
  readonly reason: Reason | null;
  /** The reason in words. */
  readonly why: string | null;
  /** Links away from the seeds. */
  readonly depth: number | null;
  /** From the seed to the page that has the link. */
  readonly via: readonly string[];
  /** As it was written, where that is not how its normal form ends. */
  readonly original: string | null;
  /** Where its redirects lead, in order. */
  readonly redirects: readonly string[];
  readonly redirectsLoop: boolean;
  /** In a row. */
  readonly failures: number;
  readonly triedAgainAt: Date | null;
  readonly hostBlockedUntil: Date | null;
  /** The URL that is fetched instead: without a session id, without an ignored parameter. */
  readonly instead: string | null;
  /** What was learned of its query parameters. */
  readonly parameters: readonly Omit<ParameterLesson, 'host'>[];
  readonly duplicateOf: string | null;
  readonly canonical: string | null;
  readonly title: string | null;
  /** To the topic of the crawl, from 0 to 1; null without one. */
  readonly relevance: number | null;
  readonly robots: { readonly state: RobotsState; readonly allowed: boolean | null };
  /** Where its newest answer is in the archive. */
  readonly capture: (Omit<CaptureRecord, 'fetchedAtMs'> & { readonly fetchedAt: Date }) | null;
  /** A page that says nearly the same, and how similar it is, up to 1. */
  readonly nearDuplicateOf: string | null;
  readonly similarity: number | null;
  /** Hosts that mirror its host, or that it mirrors. */
  readonly mirrors: readonly MirrorRecord[];
}

/** The fields and their order are a contract. */
export function toExplanation(story: UrlStory): Explanation {
  const { record, via, redirects, redirectsLoop, robots, host, instead, lessons } = story;
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
    failures: record?.failures ?? 0,
    triedAgainAt: record?.state === 'waiting' ? dateOrNull(record.dueAtMs) : null,
    hostBlockedUntil: dateOrNull(host?.manners.blockedUntilMs || null),
    instead,
    parameters: lessons.map(({ host: _host, ...lesson }) => lesson),
    duplicateOf: record?.duplicateOf ?? null,
    canonical: record?.canonical ?? null,
    title: record?.digest ? record.title : null,
    relevance: record?.relevance ?? null,
    robots: { state: robots.state, allowed: robots.state === 'not-asked' ? null : robots.refusal === null },
    capture: record?.capture ? placeOf(record.capture) : null,
    nearDuplicateOf: record?.nearDuplicateOf ?? null,
    similarity: record?.similarity ?? null,
    mirrors: story.mirrors,
  };
}

function placeOf({ fetchedAtMs, ...place }: CaptureRecord): Explanation['capture'] {
  return { ...place, fetchedAt: new Date(fetchedAtMs) };
}

function dateOrNull(epochMs: number | null): Date | null {
  return epochMs === null ? null : new Date(epochMs);
}
