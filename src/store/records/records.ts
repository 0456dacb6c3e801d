/** What the store is given and what it tells: plain data, the same for every engine. */

import type { Reason } from '../core/reasons.ts';
import type { NewRank } from './graph-records.ts';
import type { EarlierVisit, Revisit, VisitUpdate } from './visit-records.ts';
import type { MarkUpdate } from './watcher-records.ts';

export const URL_STATES = ['waiting', 'fetched', 'duplicate', 'redirect', 'failed', 'skipped', 'gone'] as const;
export type UrlState = (typeof URL_STATES)[number];

/** A URL found on a page, named by the user, or pointed to by a redirect. */
export interface FoundUrl {
  readonly url: string;
  /** The URL's key in 32 hexadecimal digits. */
  readonly key: string;
  /** Scheme and authority. */
  readonly host: string;
  /** As it was written, where that is not how the normal form ends (C3). */
  readonly original: string | null;
  readonly depth: number;
  /**
   * Redirects, and sitemaps or feeds, that led here in a row: two counts in one number (url/traps/sitemap-chain.ts).
   */
  readonly hops: number;
  /** Its place in the host's queue, lowest first: given by the order. */
  readonly rank: number;
  /** From 0 to 1, how much it promises for the topic of the crawl; null without one. */
  readonly relevance: number | null;
  /** The way it was found on, as the focus on the topic sees it; null without one. */
  readonly trail: TopicTrail | null;
  /** Why it is not to be fetched; null lets it wait. */
  readonly skip: Reason | null;
  /** The path pattern that is held by a budget, null for none. */
  readonly pattern: string | null;
  /** Of a sitemap: how many its host may have. Its pattern is that of all sitemaps then. */
  readonly maxSitemaps?: number;
}

/** How relevant the pages on the way to a URL were, and how many in a row were not. */
export interface TopicTrail {
  readonly inherited: number;
  readonly stepsOff: number;
}

/**
 * What is held of a query parameter: nothing yet; enough to see whether its pages exist without it too; that it never
 * changes the content; that it does, for good.
 */
export const PARAMETER_VERDICTS = ['open', 'probed', 'ignored', 'matters'] as const;
export type ParameterVerdict = (typeof PARAMETER_VERDICTS)[number];

/** What was learned of a query parameter at the pages of one shape of a host. */
export interface ParameterLesson {
  readonly host: string;
  /** The shape of their paths (url/query-parameters.ts). */
  readonly space: string;
  readonly name: string;
  readonly verdict: ParameterVerdict;
  /** Equal pages whose URLs differ in it alone, at the time it was found to be ignored. */
  readonly pairs: number;
  /** Different pages among them. */
  readonly pages: number;
  /** Pages fetched since to see whether it still holds, and it did. */
  readonly audits: number;
  /** The URL that showed, after it had been ignored, that it matters. */
  readonly contradictedBy: string | null;
}

export interface ClaimedUrl {
  readonly id: number;
  readonly url: string;
  readonly depth: number;
  readonly hops: number;
  readonly failures: number;
  readonly relevance: number | null;
  readonly inherited: number | null;
  readonly stepsOff: number | null;
  /** Given where the URL that stood for it failed: it is fetched to see whether it fails, too. */
  readonly standIn?: number | null;
  /** Given where it is looked at again. */
  readonly earlier?: EarlierVisit;
}

/** robots.txt as last read; status 0 is "no answer". */
export interface RobotsCopy {
  readonly status: number;
  readonly body: string;
  readonly fetchedAtMs: number;
}

/** What the politeness gate must know to go on where an earlier lease, or an earlier process, left off. */
export interface HostManners {
  readonly askedAtMs: number;
  /** Null while no answer has set it. */
  readonly delayMs: number | null;
  readonly blockedUntilMs: number;
}

/**
 * Of a large host that several workers crawl at once (M5): its URLs whose id, divided by `of`, leaves `index`, and as large a part
 * of the requests that it may be sent at a time.
 */
export interface HostShare {
  readonly index: number;
  readonly of: number;
}

export interface HostLease {
  readonly hostId: number;
  readonly host: string;
  readonly manners: HostManners;
  readonly robots: RobotsCopy | null;
  readonly urls: readonly ClaimedUrl[];
  /** Absent where the whole host is leased. */
  readonly share?: HostShare;
}

export interface HostUpdate {
  readonly hostId: number;
  readonly manners: HostManners;
  readonly robots?: RobotsCopy;
  /** Where a page of it, or its robots.txt, says that the report of its watcher is. */
  readonly report?: string;
}

/** Where the archive keeps an exchange. */
export interface CaptureRecord {
  readonly fetchedAtMs: number;
  readonly status: number;
  readonly contentType: string;
  readonly payloadDigest: string;
  readonly file: string;
  readonly offset: number;
  readonly length: number;
  readonly revisit: boolean;
  /**
   * Set where `orbweaver verify --repair` found that the archive cannot give it back. Told of by `capturesOf`,
   * `captures` and `captureFacts`.
   */
  readonly damage?: CaptureDamage;
}

export interface CaptureDamage {
  readonly problem: string;
  readonly foundAtMs: number;
}

export interface PageRecord {
  /** Of the decoded body. */
  readonly bytes: number;
  readonly wireBytes: number;
  /** SHA-256 of the decoded body, in hexadecimal digits. */
  readonly digest: string;
  readonly title: string;
  readonly language: string;
  /** The canonical URL the page names, where it is another one (C7). */
  readonly canonical: FoundUrl | null;
  readonly noindex: boolean;
  /** How far it is on the topic of the crawl, from 0 to 1; null without one. */
  readonly relevance: number | null;
  /** The smallest fingerprints of its text (sketches.ts); absent where there are none or nobody asks. */
  readonly sketch?: Uint32Array;
  /** The sketch is of the beginning of a longer text: a page like it has to be about as large, too. */
  readonly isSketchCut?: boolean;
  /** Whether it tells of other pages: a sitemap or a feed. */
  readonly isSource?: boolean;
  /** As the server gave them, to ask with the next time; absent for none. */
  readonly etag?: string;
  readonly lastModified?: string;
}

/** What became of one claimed URL. */
export interface UrlResult {
  readonly id: number;
  readonly url: string;
  readonly hostId: number;
  readonly state: UrlState;
  readonly reason: Reason | null;
  /** In a row, including this one. */
  readonly failures: number;
  /** For a URL that waits again: not before this time. */
  readonly dueAtMs: number | null;
  readonly capture: CaptureRecord | null;
  readonly page: PageRecord | null;
  readonly redirectTo: FoundUrl | null;
  /** The same URL without parameters that are ignored, which is made known: fetched instead of this one, or besides. */
  readonly standIn: FoundUrl | null;
  /** Links to URLs whose id the sender has from an earlier receipt, as link values (graph/link-list.ts). */
  readonly knownLinks: readonly number[];
  /** The rest; one object may serve several results. */
  readonly foundLinks: readonly FoundUrl[];
  /** With a topic: what each of `knownLinks` promises for it here. Empty without one. */
  readonly knownPromises: readonly number[];
  /** The attributes of each of `foundLinks`, as a code (graph/link-attributes.ts). */
  readonly foundAttributes: readonly number[];
  /** Of a sitemap or feed: when each of `knownLinks`, and of `foundLinks`, changed last, as it says; 0 where it does not. */
  readonly knownTimesMs?: readonly number[];
  readonly foundTimesMs?: readonly number[];
  /** Absent of a URL that is fetched for the first time. */
  readonly revisit?: Revisit;
  /** Where its content was the same but the server's validators may not be. */
  readonly validators?: Pick<PageRecord, 'etag' | 'lastModified'>;
  /** Its content was the same, and its links were read anew all the same: they take the place of those that the store has. */
  readonly isReread?: true;
  /** Of the body, whatever became of it; absent for none. */
  readonly receivedBytes?: number;
}

/** Who wrote an archive file, and where it lies. */
export interface ArchivePlace {
  /** The worker, as it stood on its leases then. */
  readonly owner: string;
  readonly machine: string;
  /** As that machine names it, from its root. */
  readonly folder: string;
}

export interface CommitBatch {
  readonly owner: string;
  readonly nowMs: number;
  readonly results: readonly UrlResult[];
  readonly hosts: readonly HostUpdate[];
  /** URLs found elsewhere than on a page: the sitemaps that robots.txt names. */
  readonly found: readonly FoundUrl[];
  /** Archive files and how many of their bytes this commit makes valid. */
  readonly archive: ReadonlyMap<string, number>;
  /** Where those that are new lie, for the workers of other machines. */
  readonly archivePlace?: Omit<ArchivePlace, 'owner'>;
  /** URLs a path pattern may have per host. */
  readonly patternBudget: number;
  readonly ranks: readonly NewRank[];
  /** The schedule's new state of pages among `results` that were looked at again; applied where the result counts. */
  readonly visits?: readonly VisitUpdate[];
  /** Of hosts that a watcher leads: which of their pages are marked from now on, and which no more. */
  readonly marks?: readonly MarkUpdate[];
  /** New pages are told of as changes: the copy was whole before. */
  readonly tellNew?: boolean;
  /** Whether its pages tell which query parameters never change the content. */
  readonly learnParameters?: boolean;
  /** From how similar on, from 0 to 1, a page is a near duplicate of an earlier one (E5); 0 or absent finds none. */
  readonly nearDuplicate?: number;
}

export interface CommitReceipt {
  /** For each result, the ids of its `foundLinks`, in order. */
  readonly linkIds: readonly (readonly number[])[];
  /** For each result, the state it got: a page may turn out to be a duplicate; null where it was refused. */
  readonly states: readonly (UrlState | null)[];
  /** For the results that are redirects, by their id: the id of the URL they lead to. */
  readonly redirectIds: ReadonlyMap<number, number>;
  /** URLs that were not known before. */
  readonly discovered: number;
  /** Links since `countLinks` was last called. */
  readonly uncountedLinks: number;
  /** Verdicts about query parameters that changed, in order. */
  readonly lessons: readonly ParameterLesson[];
  /** URLs that wait again because a lesson was undone or is in doubt, by host. */
  readonly released: ReadonlyMap<string, number>;
  /** Of hosts that the sender shares with others: what any of them was told there. */
  readonly sharedManners?: ReadonlyMap<number, HostManners>;
}

export interface Counts {
  readonly states: Readonly<Record<UrlState, number>>;
  /** By reason, of URLs that no longer wait: those that are no page, and pages with a blemish. */
  readonly reasons: Readonly<Partial<Record<Reason, number>>>;
  /** Waiting again after a failure, set aside or not. */
  readonly retrying: number;
  readonly hosts: number;
  /** Of the decoded bodies of the pages the copy holds. */
  readonly bytes: number;
  /** Pages whose relevance to the topic was judged, and those that turned out to be on it. */
  readonly judged: number;
  readonly onTopic: number;
  /** Received for pages since the crawl began; those the archive lost were received too. */
  readonly wireBytes: number;
  /** How many those were. */
  readonly fetches: number;
}

/** All that is known of one URL. */
export interface UrlRecord {
  readonly id: number;
  readonly url: string;
  readonly original: string | null;
  readonly host: string;
  readonly state: UrlState;
  readonly reason: Reason | null;
  readonly depth: number;
  readonly failures: number;
  readonly dueAtMs: number | null;
  /** The page it was first found on. */
  readonly via: string | null;
  readonly redirectTo: string | null;
  readonly title: string;
  readonly language: string;
  readonly bytes: number;
  readonly digest: string;
  readonly canonical: string | null;
  readonly duplicateOf: string | null;
  /** The URL that is fetched instead, for an ignored parameter. */
  readonly standIn: string | null;
  /** A page that says nearly the same, and how similar it is, up to 1. */
  readonly nearDuplicateOf: string | null;
  readonly similarity: number | null;
  readonly outlinks: number;
  /** To the topic of the crawl: of its page, or else what it promises; null without one. */
  readonly relevance: number | null;
  /** When it was last looked at; null for a URL that was never answered. */
  readonly checkedAtMs: number | null;
  /** Looks after the first, and changes they saw, as the schedule counts them. */
  readonly checks: number;
  readonly changes: number;
  /** Why the last look at it failed; null where it did not. */
  readonly trouble: Reason | null;
  /** Since when nothing leads to it any more. */
  readonly orphanedAtMs: number | null;
  /** Of its page, the newest with an answer; of a URL without one, the newest. */
  readonly capture: CaptureRecord | null;
}

export interface HostRecord {
  readonly id: number;
  readonly host: string;
  readonly waiting: number;
  readonly fetched: number;
  readonly failed: number;
  readonly leasedBy: string | null;
  readonly readyAtMs: number | null;
  readonly manners: HostManners;
  readonly robots: RobotsCopy | null;
}

/** A host that has, on nearly all paths that were compared, the same pages as another that was known before. */
export interface MirrorRecord {
  readonly host: string;
  readonly of: string;
  /** Paths with the same page on both, or nearly the same; and paths with another. */
  readonly same: number;
  readonly different: number;
}
