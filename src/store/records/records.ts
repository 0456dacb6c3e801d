/** Input and output of the store: plain data, the same for every engine. */

import type { Reason } from '../../core/reasons.ts';
import type { CanonicalVerdict } from './canonical-verdicts.ts';
import type { NewRank } from './graph-records.ts';
import type { ChangeKind, EarlierVisit, Revisit, VisitUpdate } from './visit-records.ts';
import type { MarkUpdate } from './watcher-records.ts';

export const URL_STATES = ['waiting', 'fetched', 'duplicate', 'redirect', 'failed', 'skipped', 'gone'] as const;
export type UrlState = (typeof URL_STATES)[number];

/** A URL that was found on a page, named by the user, or given as the target of a redirect. */
export interface FoundUrl {
  readonly url: string;
  /** The key of the URL in 32 hexadecimal digits. */
  readonly key: string;
  /** Scheme and authority. */
  readonly host: string;
  /** The URL as it was written; null if the normal form ends with that text (C3). */
  readonly original: string | null;
  readonly depth: number;
  /**
   * Redirects, and sitemaps or feeds, in a row that led to this URL, and whether it is
   * only a guess: all in one number (url/traps/sitemap-chain.ts).
   */
  readonly hops: number;
  /** The place in the queue of the host, lowest first. The order assigns it. */
  readonly rank: number;
  /** Estimated relevance to the topic of the crawl, from 0 to 1; null without a topic. */
  readonly relevance: number | null;
  /** The relevance of the pages on the way to this URL; null without a topic. */
  readonly trail: TopicTrail | null;
  /** The reason for not fetching it; null lets it wait. */
  readonly skip: Reason | null;
  /** The path pattern whose budget counts this URL; null for none. */
  readonly pattern: string | null;
  /**
   * Only for a sitemap: the number of sitemaps that its host may have. Its pattern is then the pattern of all sitemaps.
   */
  readonly maxSitemaps?: number;
}

/** The relevance that a URL inherits from the pages on the way to it, and the number of irrelevant pages in a row. */
export interface TopicTrail {
  readonly inherited: number;
  readonly stepsOff: number;
}

/**
 * The verdict on a query parameter. `open`: nothing is known yet. `probed`: there is enough evidence to
 * test whether its pages also exist without it. `ignored`: it never changes the content. `matters`: it
 * changes the content; this is final.
 */
export const PARAMETER_VERDICTS = ['open', 'probed', 'ignored', 'matters'] as const;
export type ParameterVerdict = (typeof PARAMETER_VERDICTS)[number];

/** A lesson about a query parameter, for all pages of one path shape of a host. */
export interface ParameterLesson {
  readonly host: string;
  /** The shape of the paths (url/query-parameters.ts). */
  readonly space: string;
  readonly name: string;
  readonly verdict: ParameterVerdict;
  /** Number of equal pages whose URLs differ only in this parameter, at the time when it became ignored. */
  readonly pairs: number;
  /** Number of different pages among these pairs. */
  readonly pages: number;
  /** Number of spot checks since then that confirmed the lesson. */
  readonly audits: number;
  /** The URL that showed that an ignored parameter matters. */
  readonly contradictedBy: string | null;
}

/** The URLs of one host with one path pattern, and what they have brought (rules/pattern-budget-rule.ts). */
export interface PatternUse {
  /** Known URLs, and the number of them that are left out for the budget. */
  readonly known: number;
  readonly leftOut: number;
  /** URLs that were answered, or skipped at their turn. */
  readonly answered: number;
  /** Answers with something new: of the URLs themselves, and of other URLs that were found on their pages. */
  readonly productive: number;
  /** Used-up places: answers without anything new that no answer with something new has made up for. */
  readonly barren: number;
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
  /** Set if the stand-in of this URL failed: this URL is fetched to see whether it fails too. */
  readonly standIn?: number | null;
  /** Set if the URL was visited before. */
  readonly earlier?: EarlierVisit;
}

/** robots.txt as it was last read; status 0 means that there was no response. */
export interface RobotsCopy {
  readonly status: number;
  readonly body: string;
  readonly fetchedAtMs: number;
  /** Only if it could not be read: the time since which every reading has failed. */
  readonly failingSinceMs?: number;
}

/**
 * The answer of a host for a path that does not exist. `error`: an error, as it should be. `shell`: the same as for its
 * main page, so nothing follows from it. `page` and `redirect`: a URL with this answer is marked as `soft-404`.
 */
export interface NotFoundAnswer {
  readonly kind: 'error' | 'shell' | 'page' | 'redirect';
  readonly askedAtMs: number;
  /** The made-up URL that was asked for. */
  readonly probe: string;
  /** Only for a page: its SHA-256; and its title and its SHA-256 without its own URL and without digits. */
  readonly digest?: string;
  readonly title?: string;
  readonly reduced?: string;
  /** Only for a redirect: the target without the URL that was asked for and without digits. */
  readonly target?: string;
}

/** The state that the politeness gate needs to continue after an earlier lease or an earlier process. */
export interface HostManners {
  readonly askedAtMs: number;
  /** Null until a response has set the delay. */
  readonly delayMs: number | null;
  readonly blockedUntilMs: number;
}

/**
 * A share of a large host that several workers crawl at the same time (M5): the URLs with `id % of === index`, and an
 * equal part of the concurrent requests that the host allows.
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
  /** Absent while nobody has asked for a path that does not exist. */
  readonly notFound?: NotFoundAnswer;
  readonly urls: readonly ClaimedUrl[];
  /** What was learned about the template of its pages (content/template/template.ts); absent if nothing was. */
  readonly template?: Uint8Array;
  /** The evidence for noise of its pages (change/evidence/noise-evidence.ts); absent if there is none. */
  readonly noise?: Uint8Array;
  /** Absent if the whole host is leased. */
  readonly share?: HostShare;
}

export interface HostUpdate {
  readonly hostId: number;
  readonly manners: HostManners;
  readonly robots?: RobotsCopy;
  /** Pages of the host that have this answer and were committed before become soft 404s as well. */
  readonly notFound?: NotFoundAnswer;
  /**
   * Why the last request to the host put all its URLs off, or made robots.txt unreadable; null if the host answered.
   * Absent if no request has ended since the last update.
   */
  readonly trouble?: Reason | null;
  /** The address of the watcher's report, according to a page of the host or to its robots.txt. */
  readonly report?: string;
  /** What was learned about the template of its pages. Absent if there is no news. */
  readonly template?: Uint8Array;
  /** The evidence for noise of its pages. Absent if there is no news. */
  readonly noise?: Uint8Array;
}

/** The place of an exchange in the archive. */
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
   * Set if `orbweaver verify --repair` found that the archive cannot return this capture.
   * Returned by `capturesOf`, `captures` and `captureFacts`.
   */
  readonly damage?: CaptureDamage;
}

export interface CaptureDamage {
  readonly problem: string;
  readonly foundAtMs: number;
}

export interface PageRecord {
  /** Bytes of the decoded body. */
  readonly bytes: number;
  readonly wireBytes: number;
  /** SHA-256 of the decoded body, in hexadecimal digits. */
  readonly digest: string;
  readonly title: string;
  readonly language: string;
  /** The canonical URL that the page names, if it is another URL (C7). */
  readonly canonical: FoundUrl | null;
  readonly noindex: boolean;
  /** Relevance of the page to the topic of the crawl, from 0 to 1; null without a topic. */
  readonly relevance: number | null;
  /**
   * The sketch of its own text (rules/near-duplicate-rule.ts); absent if the text is too short or if it is not needed.
   */
  readonly sketch?: Uint32Array;
  /** The counts of all its words (rules/word-difference.ts); absent if the page has no words. */
  readonly wordCounts?: Uint8Array;
  /** Hashes of its regions, by which a visit decides whether it has changed; absent if the page has none. */
  readonly regions?: Uint8Array;
  /**
   * Words of the page in blocks of text that its host had not shown before, without numbers. Absent if the page has no
   * text, or if nobody looked.
   */
  readonly newWords?: number;
  /** Whether the page lists other pages: a sitemap or a feed. */
  readonly isSource?: boolean;
  /** Validators of the server for the next request; absent for none. */
  readonly etag?: string;
  readonly lastModified?: string;
}

/** The result of one claimed URL. */
export interface UrlResult {
  readonly id: number;
  readonly url: string;
  readonly hostId: number;
  readonly state: UrlState;
  readonly reason: Reason | null;
  /** Failures in a row, including this one. */
  readonly failures: number;
  /** Only for a URL that waits again: the earliest time of the next attempt. */
  readonly dueAtMs: number | null;
  readonly capture: CaptureRecord | null;
  readonly page: PageRecord | null;
  readonly redirectTo: FoundUrl | null;
  /**
   * The same URL without its ignored parameters. It becomes known, and is fetched in place of this URL or in addition.
   */
  readonly standIn: FoundUrl | null;
  /** Requests for this URL besides the first one. */
  readonly moreRequests?: number;
  /** Links to URLs whose id the sender knows from an earlier receipt, as link values (graph/link-list.ts). */
  readonly knownLinks: readonly number[];
  /** The other links. One object may be part of several results. */
  readonly foundLinks: readonly FoundUrl[];
  /**
   * Only with a topic: the estimated relevance of each link in `knownLinks`, judged by
   * this page. Empty without a topic.
   */
  readonly knownPromises: readonly number[];
  /** The encoded attributes of each link in `foundLinks` (graph/link-attributes.ts). */
  readonly foundAttributes: readonly number[];
  /**
   * Only for a sitemap or feed: the time of the last change of each link in `knownLinks` and `foundLinks`, according to
   * the page; 0 if it gives none.
   */
  readonly knownTimesMs?: readonly number[];
  readonly foundTimesMs?: readonly number[];
  /** Absent for a URL that is fetched for the first time. */
  readonly revisit?: Revisit;
  /** Set if the content is the same, but the validators of the server may have changed. */
  readonly validators?: Pick<PageRecord, 'etag' | 'lastModified'>;
  /** The content is the same, but its links were read again: they replace the links in the store. */
  readonly isReread?: true;
  /** Received bytes of the body, whatever the result; absent for none. */
  readonly receivedBytes?: number;
}

/** The worker that wrote an archive file, and the place of the file. */
export interface ArchivePlace {
  /** The worker, by the owner name of its leases at that time. */
  readonly owner: string;
  readonly machine: string;
  /** Absolute path on that machine. */
  readonly folder: string;
  /** Where a live worker serves the folder, as `host:port`. */
  readonly serves?: string | null;
}

export interface CommitBatch {
  readonly owner: string;
  readonly nowMs: number;
  readonly results: readonly UrlResult[];
  readonly hosts: readonly HostUpdate[];
  /** URLs that were not found on a page: the sitemaps that robots.txt names. */
  readonly found: readonly FoundUrl[];
  /** Archive files, and the number of their bytes that this commit makes valid. */
  readonly archive: ReadonlyMap<string, number>;
  /** The place of the new files, for workers on other machines. */
  readonly archivePlace?: Omit<ArchivePlace, 'owner'>;
  /** Number of URLs per host that a path pattern may have without anything new (rules/pattern-budget-rule.ts). */
  readonly patternBudget: number;
  readonly ranks: readonly NewRank[];
  /** New schedule states of visited pages among `results`. Each applies only if its result counts. */
  readonly visits?: readonly VisitUpdate[];
  /** Only for hosts with a watcher: the new marks of their pages. */
  readonly marks?: readonly MarkUpdate[];
  /** Whether new pages are recorded as changes, because the copy was complete before. */
  readonly tellNew?: boolean;
  /** Whether to learn from these pages which query parameters never change the content. */
  readonly learnParameters?: boolean;
  /** Similarity, from 0 to 1, from which a page is a near duplicate of an earlier one (E5); 0 or absent finds none. */
  readonly nearDuplicate?: number;
}

export interface CommitReceipt {
  /** The ids of the `foundLinks` of each result, in order. */
  readonly linkIds: readonly (readonly number[])[];
  /** The new state of each result, since a page may turn out to be a duplicate; null if the result was refused. */
  readonly states: readonly (UrlState | null)[];
  /** For results that are redirects: the id of the target, by the id of the result. */
  readonly redirectIds: ReadonlyMap<number, number>;
  /** Number of URLs that were not known before. */
  readonly discovered: number;
  /** By how much the number of waiting URLs that failed before has changed. */
  readonly retrying: number;
  /** Visited pages whose change is logged under another kind than the finding says: new, returned or changed. */
  readonly loggedAs: ReadonlyMap<number, ChangeKind>;
  /** Number of links since the last call of `countLinks`. */
  readonly uncountedLinks: number;
  /** Changed verdicts on query parameters, in order. */
  readonly lessons: readonly ParameterLesson[];
  /** Number of URLs by host that wait again: a lesson was refuted or is in doubt, or their pattern has room again. */
  readonly released: ReadonlyMap<string, number>;
  /** Set if pages are left that must be judged again, because the URL that they name as canonical has changed. */
  readonly canonicalsLeft?: true;
  /**
   * By id of the host: the number of waiting URLs that were left out, because most guesses about the host were wrong,
   * less the answers to URLs that were left out before.
   */
  readonly abandoned: ReadonlyMap<number, number>;
  /** For hosts that the sender shares with other workers: the manners that any of them learned. */
  readonly sharedManners?: ReadonlyMap<number, HostManners>;
}

export interface Counts {
  readonly states: Readonly<Record<UrlState, number>>;
  /** URLs by reason, without the waiting ones: URLs without a page, and pages with a flaw. */
  readonly reasons: Readonly<Partial<Record<Reason, number>>>;
  /** Waiting URLs that failed before, whether their retry is due or not. */
  readonly retrying: number;
  /** The same URLs by the reason of their last failure. */
  readonly retryReasons: Readonly<Partial<Record<Reason, number>>>;
  readonly hosts: number;
  /** Bytes of the decoded bodies of all pages in the copy. */
  readonly bytes: number;
  /** Pages whose relevance to the topic was judged, and the number of relevant pages among them. */
  readonly judged: number;
  readonly onTopic: number;
  /** Guesses (`--guess`) that were requested, and the number of them without a page. */
  readonly guesses: number;
  readonly wrongGuesses: number;
  /** Bytes received for pages since the crawl began, including pages that the archive has lost. */
  readonly wireBytes: number;
  /** Number of pages that were received in that time. */
  readonly fetches: number;
}

/** All that is known about one URL. */
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
  /** The page on which the URL was found first. */
  readonly via: string | null;
  readonly redirectTo: string | null;
  readonly title: string;
  readonly language: string;
  readonly bytes: number;
  readonly digest: string;
  /** The canonical URL that the page names, and whether the link is believed; null if it names no other URL. */
  readonly canonical: string | null;
  readonly canonicalVerdict: CanonicalVerdict | null;
  /** The page that it duplicates, by its canonical link or by its content. This page is no duplicate itself. */
  readonly duplicateOf: string | null;
  /** The URL that is fetched in place of this one, because of an ignored parameter. */
  readonly standIn: string | null;
  /** A page with nearly the same text, and the similarity, up to 1. */
  readonly nearDuplicateOf: string | null;
  readonly similarity: number | null;
  readonly outlinks: number;
  /** Relevance to the topic of the crawl: of the page, or else the estimate for the URL; null without a topic. */
  readonly relevance: number | null;
  /** Time of the last visit; null for a URL that never answered. */
  readonly checkedAtMs: number | null;
  /** Number of visits after the first fetch, and number of changes in the change log (rules/visit-rules.ts). */
  readonly checks: number;
  readonly changes: number;
  /** Why the last visit failed; null if it succeeded. */
  readonly trouble: Reason | null;
  /** Time since which no link leads to the page. */
  readonly orphanedAtMs: number | null;
  /** For a URL with a page: the newest capture with a 2xx status. For any other URL: the newest capture. */
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
  /** Why the last request to the host put all its URLs off, or made robots.txt unreadable; null if it answered. */
  readonly trouble: Reason | null;
  readonly notFound: NotFoundAnswer | null;
}

/** A host that has the same pages as an earlier known host on nearly all compared paths. */
export interface MirrorRecord {
  readonly host: string;
  readonly of: string;
  /** Number of paths with the same or nearly the same page on both hosts, and number of paths with different pages. */
  readonly same: number;
  readonly different: number;
}
