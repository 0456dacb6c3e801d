/** The messages between the controller and its crawler units. Page bodies stay in the unit; results are compact. */
import type { ErrorCode } from '../../core/errors.ts';
import type { CrawlOptions } from '../../core/options/options.ts';
import type { RefreshOptions } from '../../core/options/refresh-options.ts';
import type { PrivateRule } from '../../fetch/addresses/private-rule.ts';
import type { FetchOptions } from '../../fetch/fetch-options.ts';
import type { FetchOutcome } from '../../fetch/outcome.ts';
import type { Topic } from '../../frontier/topic/topic.ts';
import type {
  ArchivePlace,
  ClaimedUrl,
  FoundUrl,
  HostLease,
  HostUpdate,
  NotFoundAnswer,
  ParameterLesson,
  UrlResult,
} from '../../store/contract.ts';
import type { CrawlInfo } from '../mending/crawl-identity.ts';
import type { CrawlPlace } from '../place/crawl-place.ts';
import type { PlaceStore } from '../place/read-archived.ts';

export interface UnitSetup {
  readonly name: string;
  /** The place of the copy. The archive is written to the first of its folders. */
  readonly place: CrawlPlace;
  /** For a worker of a cluster: the owner and the place of its archive files. */
  readonly writer?: ArchivePlace;
  readonly options: CrawlOptions;
  /** The seeds of the user and their redirect targets. */
  readonly seeds: string[];
  readonly topic: Topic | null;
  /** Written into every archive file, so that the crawl can be rebuilt from its files (mending/crawl-identity.ts). */
  readonly crawlInfo: CrawlInfo;
  /** Null for a crawl. */
  readonly refresh: RefreshOptions | null;
  /** In a refresh, pages last visited before this time have their links read again (links/links-wanted.ts). */
  readonly rereadBeforeMs: number;
  /** The lessons about query parameters so far. */
  lessons: readonly ParameterLesson[];
  /** The private addresses that may be reached (private-seeds.ts). */
  readonly privateRule: PrivateRule;
  /** See `Stages`. */
  readonly rejudges?: boolean;
  /** Hosts with a watcher. If their pages link to another site, only its main page may be wanted. */
  readonly watchedHosts: readonly string[];
  /** The unit's share of the requests that are in progress or not yet committed. */
  readonly window: number;
  /** The payloads that all units have archived and committed (archive/shared-payloads.ts). */
  readonly payloads: SharedArrayBuffer;
  /**
   * Slot 0: the id of the URL that the unit is parsing, which tells the page that killed
   * a unit. Slot 1: the number of URLs in the pipeline.
   */
  readonly parsing: SharedArrayBuffer;
  /** For a worker of a cluster: its clock, and the end of its leases (core/lease-expiry.ts). */
  readonly shared?: { readonly time: SharedArrayBuffer; readonly leases: SharedArrayBuffer };
}

export type ToUnit =
  | { readonly type: 'start'; readonly setup: UnitSetup }
  | { readonly type: 'lease'; readonly lease: HostLease; readonly parallel: number }
  | { readonly type: 'more'; readonly hostId: number; readonly urls: readonly ClaimedUrl[] }
  | { readonly type: 'block'; readonly hostId: number; readonly untilMs: number }
  /** Another unit has asked the host for a path that does not exist. */
  | { readonly type: 'not-found'; readonly hostId: number; readonly answer: NotFoundAnswer }
  /** The waiting URLs of the host in the unit go back to the store. */
  | { readonly type: 'return'; readonly hostId: number }
  | { readonly type: 'drop'; readonly hostId: number }
  /** Other workers hold these hosts now: the unit aborts their requests and reports nothing more about them. */
  | { readonly type: 'lose'; readonly hostIds: readonly number[] }
  /** The leases are valid: a unit that saw them expire continues. */
  | { readonly type: 'renewed' }
  /** The number of requests that may be in progress from now on. */
  | { readonly type: 'window'; readonly window: number }
  /** Another unit found that a seed has moved. */
  | { readonly type: 'seed'; readonly url: string }
  | { readonly type: 'lessons'; readonly lessons: readonly ParameterLesson[] }
  | Receipt
  | PlaceAnswer
  /** A unit can send requests for the controller before it is started. */
  | { readonly type: 'controller'; readonly request: ControllerRequest }
  /** Sum the times of stages in this memory from now on (core/stage-times.ts). Null: nobody listens any more. */
  | { readonly type: 'measure'; readonly memory: SharedArrayBuffer | null }
  | { readonly type: 'sync' }
  /** Close the archive file and forget the records in other files: files are about to be rewritten. */
  | { readonly type: 'rest' }
  | { readonly type: 'drain' }
  /** End now, even with requests in progress. */
  | { readonly type: 'leave' };

/** The oldest report with results was committed. `linkIds` has the ids of the `foundLinks` of each result. */
export interface Receipt {
  readonly type: 'receipt';
  readonly linkIds: readonly (readonly number[])[];
}

/** What the controller asks a unit to send (crew/unit-fetcher.ts). */
export type ControllerRequest =
  | { readonly type: 'rules'; readonly rules: RequestRules }
  | {
      readonly type: 'send';
      readonly number: number;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly type: 'abort'; readonly host: string }
  | { readonly type: 'close'; readonly host: string };

export interface RequestRules extends Pick<UnitSetup, 'shared'> {
  readonly fetch: Partial<FetchOptions>;
}

/** The outcome of a request as it crosses the threads. `decoded` arrives as a plain array of bytes. */
export interface PlainOutcome extends Omit<FetchOutcome, 'body' | 'decoded' | 'header' | 'release'> {
  readonly decoded: Uint8Array;
}

export interface UnitResponse {
  readonly type: 'response';
  readonly number: number;
  readonly outcome: PlainOutcome;
}

/** A unit has no store. It asks the controller to call these methods. */
export type PlaceQuestion = {
  readonly [Call in keyof PlaceStore]: {
    readonly type: 'question';
    readonly number: number;
    readonly call: Call;
    readonly words: Parameters<PlaceStore[Call]>;
  };
}[keyof PlaceStore];

export interface PlaceAnswer {
  readonly type: 'answer';
  readonly number: number;
  readonly value: unknown;
  readonly error: { readonly code: ErrorCode; readonly message: string } | null;
}

/**
 * Visits that found the same page, with one array per field. A message with ten thousand
 * objects and their field names would cost more than its content.
 */
export interface SameVisits {
  readonly ids: number[];
  readonly hostIds: number[];
  readonly sinceMs: number[];
  readonly checkedAtMs: number[];
  readonly receivedBytes: number[];
}

export interface UnitReport {
  readonly type: 'report';
  readonly results: readonly UrlResult[];
  /** Visits that found the same page and nothing else. They come after `results`. */
  readonly same: SameVisits;
  readonly hosts: readonly HostUpdate[];
  readonly archive: ReadonlyMap<string, number>;
  readonly found: readonly FoundUrl[];
  /** The redirect targets of seeds. The scope treats them as seeds. */
  readonly movedSeeds: readonly string[];
  /**
   * URLs that are given back without a fetch, because their host is blocked for
   * too long, is wanted elsewhere, or its lease ended.
   */
  readonly returned: readonly { readonly hostId: number; readonly ids: readonly number[] }[];
  /** Hosts with room for more URLs. */
  readonly wantsMore: readonly number[];
  /** Requests that have ended since the last report; `failures` are the requests that the server did not answer. */
  readonly answers: { readonly count: number; readonly failures: number };
}

export type FromUnit =
  | UnitReport
  | PlaceQuestion
  | UnitResponse
  /** The bytes that the unit had archived when it was asked are on the disk. */
  | { readonly type: 'synced' }
  | { readonly type: 'rested' }
  /** The unit has dropped the lost hosts. */
  | { readonly type: 'lost' }
  | { readonly type: 'drained' }
  /** We failed at one URL; the crawl continues. */
  | { readonly type: 'fault'; readonly url: string; readonly detail: string }
  /** The unit cannot continue, for example because the disk is full or the archive is not writable. */
  | { readonly type: 'fatal'; readonly code: ErrorCode; readonly message: string };
