/** All that a crawl knows of one URL, and why it has a page or none: what `orbweaver explain --json` prints. */
import { REASONS, type Reason } from '../core/reasons.ts';
import type { RobotsState } from '../crawl/robots-state.ts';
import { type SourceVerdict, verdictOn } from '../crawl/source-trust.ts';
import type { UrlLooks, UrlStory } from '../crawl/url-story.ts';
import type {
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
  /** Looks at it so far; null for a URL that was never answered. */
  readonly visits: PageVisits | null;
  /** Why the last look at it failed; the copy keeps its page. Then `failures` and `triedAgainAt` are of its looks. */
  readonly trouble: Reason | null;
  /** Since when nothing leads to it any more. */
  readonly orphanedAt: Date | null;
  /** When the copy lost its page; null where it has one. */
  readonly goneAt: Date | null;
  /** Of a URL without a page: the time of the last content that the archive has. */
  readonly lastContentAt: Date | null;
  /** That a refresh would find it changed now; null where it is not its turn, or the copy has more than 10,000 answers. */
  readonly chance: number | null;
  /** When a sitemap or feed says that it changed last, and whether what they say is believed; null where none tells of it. */
  readonly claim: UrlClaim | null;
  /** The watcher of its host; null where there is none. */
  readonly watcher: ExplainedWatcher | null;
  /** Its answers that `orbweaver verify --repair` found damaged in the archive, newest first. */
  readonly damaged: readonly { readonly fetchedAt: Date; readonly foundAt: Date; readonly problem: string }[];
}

export interface ExplainedWatcher {
  /** Where its report is. */
  readonly url: string;
  readonly verdict: SourceVerdict;
  readonly readAt: Date;
  readonly evidence: WatcherOutcomes;
  /** Whether it does not tell of this URL, or has told of a change, or the end, of it that nobody has looked at yet; null for neither. */
  readonly mark: WatchMark | null;
}

export interface UrlClaim {
  readonly changedAt: Date;
  /** Later than what it said at the last look. */
  readonly isNews: boolean;
  readonly verdict: SourceVerdict;
  /** Looks at pages of its host that sources tell of, by what they said and what was found; null where there was none. */
  readonly evidence: Omit<SourceRecord, 'hostId' | 'host'> | null;
}

/** The fields and their order are a contract. */
export function toExplanation(story: UrlStory): Explanation {
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
  };
}

function watcherOf({ watcher }: UrlStory): ExplainedWatcher | null {
  if (watcher === null) return null;
  const { url, readAtMs, confirmed, falseAlarms, missed, quiet } = watcher.record;
  const evidence = { confirmed, falseAlarms, missed, quiet };
  return { url, verdict: verdictOn(watcher.record), readAt: new Date(readAtMs), evidence, mark: watcher.mark };
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

function evidenceOf({ confirmed, falseAlarms, missed, quiet }: SourceRecord): UrlClaim['evidence'] {
  return { confirmed, falseAlarms, missed, quiet };
}

function placeOf({ fetchedAtMs, ...place }: CaptureRecord): Explanation['capture'] {
  return { ...place, fetchedAt: new Date(fetchedAtMs) };
}

function dateOrNull(epochMs: number | null): Date | null {
  return epochMs === null ? null : new Date(epochMs);
}
