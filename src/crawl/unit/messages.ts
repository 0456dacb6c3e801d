/** What the controller and its crawler units tell each other. Page bodies never cross; results are compact. */
import type { ErrorCode } from '../core/errors.ts';
import type { CrawlOptions } from '../core/options.ts';
import type { RefreshOptions } from '../core/refresh-options.ts';
import type { PrivateRule } from '../fetch/private-rule.ts';
import type { Topic } from '../frontier/topic/topic.ts';
import type {
  ArchivePlace,
  ClaimedUrl,
  FoundUrl,
  HostLease,
  HostUpdate,
  ParameterLesson,
  UrlResult,
} from '../store/contract.ts';
import type { CrawlInfo } from './crawl-identity.ts';
import type { CrawlPlace } from './crawl-place.ts';

/** What a unit is started with. */
export interface UnitSetup {
  readonly name: string;
  /** Where the copy is: the archive is written to the first of its folders. */
  readonly place: CrawlPlace;
  /** Of a worker of a cluster: who writes archive files, and where they lie. */
  readonly writer?: ArchivePlace;
  readonly options: CrawlOptions;
  /** Those the user named, and where they were found to redirect to. */
  readonly seeds: string[];
  readonly topic: Topic | null;
  /** Written into every archive file, so that the crawl can be rebuilt from its files (crawl-identity.ts). */
  readonly crawlInfo: CrawlInfo;
  /** Of a refresh. */
  readonly refresh: RefreshOptions | null;
  /** Of a refresh: pages last looked at before this time have their links read anew (links-wanted.ts). */
  readonly rereadBeforeMs: number;
  /** What was learned of query parameters until now. */
  lessons: readonly ParameterLesson[];
  /** Which private addresses may be reached (private-seeds.ts). */
  readonly privateRule: PrivateRule;
  /** Hosts with a watcher: of links on their pages to other sites only the main page may be wanted. */
  readonly watchedHosts: readonly string[];
  /** The unit's share of the requests under way or not yet committed. */
  readonly window: number;
  /** What all units have archived and committed (archive/shared-payloads.ts). */
  readonly payloads: SharedArrayBuffer;
  /** Slot 0: the id of the URL the unit is parsing; tells which page brought a unit down. Slot 1: how many are under way. */
  readonly parsing: SharedArrayBuffer;
  /** Of a worker of a cluster: its time, and until when its leases are good (core/lease-guard.ts). */
  readonly shared?: { readonly time: SharedArrayBuffer; readonly leases: SharedArrayBuffer };
}

export type ToUnit =
  | { readonly type: 'start'; readonly setup: UnitSetup }
  | { readonly type: 'lease'; readonly lease: HostLease; readonly parallel: number }
  | { readonly type: 'more'; readonly hostId: number; readonly urls: readonly ClaimedUrl[] }
  | { readonly type: 'block'; readonly hostId: number; readonly untilMs: number }
  /** What waits for the host in the unit goes back to the store. */
  | { readonly type: 'return'; readonly hostId: number }
  | { readonly type: 'drop'; readonly hostId: number }
  /** Others have taken these over: what is under way there is ended, and nothing of it is told. */
  | { readonly type: 'lose'; readonly hostIds: readonly number[] }
  /** The leases are good: a unit that has seen them lapse goes on. */
  | { readonly type: 'renewed' }
  /** As many requests may be under way from now on. */
  | { readonly type: 'window'; readonly window: number }
  /** Another unit found that a seed has moved. */
  | { readonly type: 'seed'; readonly url: string }
  | { readonly type: 'lessons'; readonly lessons: readonly ParameterLesson[] }
  | Receipt
  | { readonly type: 'sync' }
  /** Close the archive file and forget what is in others: files are about to be rewritten. */
  | { readonly type: 'rest' }
  | { readonly type: 'drain' }
  /** End now, whatever is under way. */
  | { readonly type: 'leave' };

/** The oldest report with results was committed: for each of them, the ids of its `foundLinks`. */
export interface Receipt {
  readonly type: 'receipt';
  readonly linkIds: readonly (readonly number[])[];
}

/**
 * Looks that found the same, a column for each of their facts: a message of ten thousand objects with the names of their fields
 * would cost more than what it tells.
 */
export interface SameLooks {
  readonly ids: number[];
  readonly hostIds: number[];
  readonly sinceMs: number[];
  readonly checkedAtMs: number[];
  readonly receivedBytes: number[];
}

export interface UnitReport {
  readonly type: 'report';
  readonly results: readonly UrlResult[];
  /** Looks that found the same, and there is nothing else to say of them: behind `results`. */
  readonly same: SameLooks;
  readonly hosts: readonly HostUpdate[];
  readonly archive: ReadonlyMap<string, number>;
  readonly found: readonly FoundUrl[];
  /** Where seeds redirect to: the scope takes these in as if they were seeds. */
  readonly movedSeeds: readonly string[];
  /** URLs given back unfetched: the host is blocked for longer than it is worth waiting. */
  readonly returned: readonly { readonly hostId: number; readonly ids: readonly number[] }[];
  /** Hosts with room for more URLs. */
  readonly hungry: readonly number[];
  /** Requests that have ended since the last report, and those among them that the server did not answer. */
  readonly answers: { readonly count: number; readonly failures: number };
}

export type FromUnit =
  | UnitReport
  /** What the unit had archived when it was asked is on the disk. */
  | { readonly type: 'synced' }
  | { readonly type: 'rested' }
  /** It has heard which hosts are lost. */
  | { readonly type: 'lost' }
  | { readonly type: 'drained' }
  /** A fault of ours with one URL; the crawl goes on. */
  | { readonly type: 'fault'; readonly url: string; readonly detail: string }
  /** The unit cannot go on: the disk is full, the archive is not writable. */
  | { readonly type: 'fatal'; readonly code: ErrorCode; readonly message: string };
