/**
 * The store holds everything that a crawl knows except the bodies. It is a set of facets, one for each kind of
 * consumer; a consumer asks only for the facets it needs (`Pick<…>` of one, or `GraphStore & RankingStore`). All calls
 * take batches, so that an engine across a network needs no more round trips than one in the process. src/store/sqlite
 * is the embedded engine, src/store/postgres the engine of a cluster, and test/store/contract.ts is the suite that both
 * pass.
 *
 * What always holds:
 * - A URL is known once (M1, E7): its host and the 16-byte key of its normal form are unique.
 * - A host is leased to one owner at a time (M2, W13). Another owner can take an expired lease; a commit of the former
 *   owner for that host is then refused.
 * - A commit is one transaction and idempotent: a result counts only while its URL is waiting, so committing a batch
 *   again changes nothing (E8, C2). The result of a visit to a known page counts only while the last visit is the one
 *   that the claim named.
 * - A change of a page is noted in the same transaction as the page, under a number that only grows.
 * - A capture that a revisit record may refer to stays as long as the revisit record.
 * - Pages that a watcher reported are marked in the transaction that moves the cursor of the report, and stay marked
 *   until a visit to them is committed.
 * - A URL is skipped for an ignored parameter only while the lesson is in force and its stand-in is known.
 */
import type { Reason } from '../core/reasons.ts';
import type { HostSharing } from './cluster.ts';
import type { FollowerHold, FollowerMove, FollowerRecord, Touch } from './records/follower-records.ts';
import type {
  GraphSegment,
  GrownUrl,
  LinkRecord,
  ListShares,
  NewRank,
  WaitingRecord,
} from './records/graph-records.ts';
import type { UrlGlance } from './records/overview-records.ts';
import type {
  ArchivePlace,
  CaptureRecord,
  ClaimedUrl,
  CommitBatch,
  CommitReceipt,
  Counts,
  FoundUrl,
  HostLease,
  HostRecord,
  HostShare,
  MirrorRecord,
  ParameterLesson,
  ParameterVerdict,
  PatternUse,
  UrlRecord,
} from './records/records.ts';
import type {
  ArchiveMove,
  CaptureFacts,
  CaptureKey,
  CapturePlace,
  DamageMark,
  DroppedCaptures,
  FileCaptures,
  FileUse,
  KeptContents,
  MarkedDamage,
  SuperfluousCaptures,
  TableProblem,
} from './records/retention-records.ts';
import type {
  ChangeDescription,
  ChangeEntry,
  EditRange,
  SharedEdit,
  SourceRecord,
  VisitRecord,
} from './records/visit-records.ts';
import type { KnownPage, MarkedUrl, WatcherNews, WatcherRecord } from './records/watcher-records.ts';

export * from './records/canonical-verdicts.ts';
export * from './records/follower-records.ts';
export * from './records/graph-records.ts';
export * from './records/overview-records.ts';
export * from './records/records.ts';
export * from './records/retention-records.ts';
export * from './records/visit-records.ts';
export * from './records/watcher-records.ts';

export interface ClaimRequest {
  readonly owner: string;
  readonly hosts: number;
  readonly urlsPerHost: number;
  readonly nowMs: number;
  readonly leaseMs: number;
  readonly lists?: ListShares;
  /**
   * In a cluster: the owner's slots on the ring, a bit each, the lowest of a byte first. Hosts of other slots are taken
   * only when they have been ready for `graceMs` and nobody came (W12).
   */
  readonly slots?: Uint8Array;
  readonly graceMs?: number;
}

/**
 * The queues of hosts and their leases. Example: a dispatcher claims ten hosts, hands out their URLs, asks for more of
 * a host, and releases the hosts in the end.
 *
 *     const leases = await store.claim({ owner, hosts: 10, urlsPerHost: 64, nowMs, leaseMs });
 *     const more = await store.claimMore(leases[0].hostId, { limit: 64, besides: out, nowMs });
 *     await store.release(owner, leases.map(({ hostId }) => hostId), nowMs);
 */
export interface FrontierStore {
  /** Makes seeds known. Known seeds stay as they are. Returns the ids in the same order. */
  seed(found: readonly FoundUrl[], nowMs: number): Promise<readonly number[]>;
  /** Leases up to `hosts` hosts that are ready and not yet leased, each with its first `urlsPerHost` URLs. */
  claim(request: ClaimRequest): Promise<readonly HostLease[]>;
  /** More URLs of a host that is already leased. */
  claimMore(hostId: number, request: MoreUrls): Promise<readonly ClaimedUrl[]>;
  /** Leases these hosts without URLs. Hosts of other owners are left out; own leases become longer. */
  lease(request: {
    readonly owner: string;
    readonly hostIds: readonly number[];
    readonly nowMs: number;
    readonly leaseMs: number;
  }): Promise<readonly HostLease[]>;
  /** Extends all leases of the owner. */
  renew(owner: string, untilMs: number): Promise<void>;
  /**
   * Gives hosts back. Each is ready again when its next URL is. `askedUntilMs` says that requests of unknown outcome
   * may have been sent to them until then.
   */
  release(owner: string, hostIds: readonly number[], nowMs: number, askedUntilMs?: number): Promise<void>;
  /**
   * Ends the block of these hosts, by name, if their last request failed for one of the reasons and nobody holds them.
   * Their URLs that failed for one of the reasons are due at once.
   */
  unblock(hosts: readonly string[], reasons: readonly Reason[], nowMs: number): Promise<void>;
  /** The time when the next host becomes ready; null when no URL waits. */
  nextReadyAtMs(): Promise<number | null>;
  /** Absent where only one process can use the store. */
  readonly sharing?: HostSharing;
}

export interface MoreUrls {
  readonly limit: number;
  /** URLs that are handed out already. */
  readonly besides: ReadonlySet<number>;
  readonly nowMs: number;
  readonly lists?: ListShares;
  /** Only URLs of this share of the host. */
  readonly share?: HostShare;
}

/**
 * Writes results. Example: `const { linkIds } = await store.commit(batch); await store.sync();` After `sync` the batch
 * survives a loss of power.
 */
export interface CommitStore {
  commit(batch: CommitBatch): Promise<CommitReceipt>;
  /**
   * Judges some of the pages that commits left (CommitReceipt.canonicalsLeft), also those of an earlier run. Returns
   * whether more are left.
   */
  settleCanonicals(nowMs: number): Promise<boolean>;
  /** Brings all commits so far to the disk. */
  sync(): Promise<void>;
}

/**
 * Rules that changed, and the URLs that were skipped because of the old ones. Each call returns the number of URLs that
 * wait again. Example: `await store.allowDepth(20, nowMs)` after the user raised `--depth`.
 */
export interface RuleStore {
  /** Releases URLs that were skipped only because they are deeper than the old limit. */
  allowDepth(depth: number, nowMs: number): Promise<number>;
  /** Releases URLs that were skipped for a reason that may no longer hold. */
  letWait(
    reason: 'private-address' | 'excluded' | 'out-of-scope' | 'action-link' | 'guess-unwanted',
    nowMs: number,
  ): Promise<number>;
  /** The crawl has another topic, or none: releases URLs that were off topic and forgets all relevance. */
  forgetTopic(nowMs: number): Promise<number>;
  /** Releases URLs that were left out for the budget of their pattern, as far as the pattern has room now. */
  fillBudgets(patternBudget: number, nowMs: number): Promise<number>;
  /** Lessons about query parameters, of all hosts or of one. */
  lessons(verdicts: readonly ParameterVerdict[], host?: string): Promise<readonly ParameterLesson[]>;
  /** Forgets all lessons. */
  dropLessons(nowMs: number): Promise<number>;
}

/**
 * Known pages and their visits. Example: a refresh reads `visits` page by page, plans, and asks `revisits` for the
 * validators and digests of the pages that it visits next.
 */
export interface VisitStore {
  /** Pages that may be visited again, with ids above `after`, ascending. */
  visits(after: number, limit: number): Promise<readonly VisitRecord[]>;
  /** The same for given ids, ascending. Pages that cannot be visited are left out. */
  visitsOf(ids: readonly number[]): Promise<readonly VisitRecord[]>;
  /** The pages with `earlier`, in the given order. Pages that cannot be visited are left out. */
  revisits(ids: readonly number[]): Promise<readonly ClaimedUrl[]>;
  /** How often the change sources of each host were right. */
  sources(): Promise<readonly SourceRecord[]>;
  /** The time of the last visit to a known page; null when there was none. */
  lastLookMs(): Promise<number | null>;
}

/** Watchers and the pages that they reported. Example: `noteWatcher` stores a part of a report and moves its cursor. */
export interface WatcherStore {
  /** Hosts whose watchers are known or were searched for. */
  watchers(): Promise<readonly WatcherRecord[]>;
  /** Stores news of a watcher and the pages of its report in one transaction. Returns the ids of the found URLs. */
  noteWatcher(hostId: number, news: WatcherNews, nowMs: number): Promise<readonly number[]>;
  /** Marked URLs of a host with ids above `after`, ascending. */
  marks(hostId: number, after: number, limit: number): Promise<readonly MarkedUrl[]>;
  /** URLs of a host by their keys; null for each unknown URL. */
  knownPages(hostId: number, keys: readonly string[]): Promise<readonly (KnownPage | null)[]>;
  /** Answered URLs of a host with keys above `afterKey`. The order of keys is random. */
  hostPages(hostId: number, afterKey: string, limit: number): Promise<readonly KnownPage[]>;
}

/** The numbered log of changes. Example: a listener reads `changes(cursor, 100)` and moves its cursor. */
export interface ChangeStore {
  changes(after: number, limit: number): Promise<readonly ChangeEntry[]>;
  /** The changes of one page, newest first. */
  changesOf(host: string, key: string, limit: number): Promise<readonly ChangeEntry[]>;
  /**
   * The edits that several changes of the kind `changed` share, those of most pages first. With `among` this reads only
   * the changes with these edits, without it all changes of the range.
   */
  sharedEdits(range: EditRange): Promise<readonly SharedEdit[]>;
  /** The number of the newest change; 0 when there is none. */
  lastChange(): Promise<number>;
  /** Stores the descriptions of changes that have none. A change that is described already keeps its description. */
  describeChanges(descriptions: readonly ChangeDescription[]): Promise<void>;
}

/**
 * Followers: work that happens after commits, such as deliveries and descriptions (src/followers). Example: a follower
 * holds its lease, reads `touches` or `changes` after its position, does its work, and moves its position.
 */
export interface FollowerStore {
  /** All followers, by name. */
  followers(): Promise<readonly FollowerRecord[]>;
  /**
   * Takes or extends the lease of a follower, which becomes known with its first lease. Returns null while another
   * owner holds it. A follower that was stored with another version starts again.
   */
  holdFollower(hold: FollowerHold): Promise<FollowerRecord | null>;
  /**
   * Moves the position of a follower, and stores its descriptions, in one transaction. Returns false, and changes
   * nothing, if the lease belongs to another owner now.
   */
  moveFollower(move: FollowerMove): Promise<boolean>;
  /** Ends the lease, if it belongs to this owner. */
  releaseFollower(name: string, owner: string): Promise<void>;
  /**
   * The pages that commits touched after this mark, in the order of the commits, and of their ids within a commit. A
   * page that was touched several times has only its last mark. So the marks are bounded by the number of pages, and
   * a reader that continues from the last mark misses no page, also while other workers commit.
   */
  touches(after: Touch, limit: number): Promise<readonly Touch[]>;
}

/** Known URLs and hosts, for reading. Example: `explain(hostOf(url), urlKeyHex(url))` tells the state of one URL. */
export interface UrlStore {
  explain(host: string, key: string): Promise<UrlRecord | null>;
  /** The use of the budget of a path pattern; null for an unknown host. */
  patternUse(host: string, pattern: string): Promise<PatternUse | null>;
  counts(): Promise<Counts>;
  /** The known URLs among these ids, in the order of discovery. */
  records(ids: readonly number[]): Promise<readonly UrlRecord[]>;
  /** Known URLs with ids above `after`, in the order of discovery. */
  urls(after: number, limit: number): Promise<readonly UrlRecord[]>;
  hosts(after: number, limit: number): Promise<readonly HostRecord[]>;
  host(name: string): Promise<HostRecord | null>;

  /** What was learned about the template of the host's pages (content/template/template.ts). */
  template(host: string): Promise<Uint8Array | null>;
  /** The evidence for noise on the host's pages (change/evidence/noise-evidence.ts). */
  noiseEvidence(host: string): Promise<Uint8Array | null>;
  /** The hosts whose last request failed (HostRecord.trouble), most waiting URLs first. */
  hostsInTrouble(limit: number): Promise<readonly HostRecord[]>;
  /** Pairs of hosts with at least ten equal pages under the same path, and nine in ten of all compared pages equal. */
  mirrors(): Promise<readonly MirrorRecord[]>;
}

/**
 * Lists of very many rows, for people who look at a copy. Example: `changesBefore(Number.MAX_SAFE_INTEGER, 50)` reads
 * the newest changes.
 */
export interface OverviewStore {
  /** Known URLs with ids above `after`, in the order of discovery. */
  glances(after: number, limit: number): Promise<readonly UrlGlance[]>;
  /** The known URLs among these ids, in the order of discovery. */
  glancesOf(ids: readonly number[]): Promise<readonly UrlGlance[]>;
  /** Hosts with ids above `after`, without the text of their robots.txt and without their answers for missing paths. */
  glanceHosts(after: number, limit: number): Promise<readonly HostRecord[]>;
  /** Changes with numbers below `seq`, newest first. */
  changesBefore(seq: number, limit: number): Promise<readonly ChangeEntry[]>;
  /** The pages that the last commits touched, newest first. */
  lastTouches(limit: number): Promise<readonly Touch[]>;
}

/** The link graph. Example: `linksTo(id, 20)` lists the twenty pages with the highest PageRank that link to a URL. */
export interface GraphStore {
  /** The number of pages that link to each of these URLs, exact as of the last commit. */
  backlinks(ids: readonly number[]): Promise<readonly number[]>;
  /**
   * Adds the links that were committed since the last call to the backlink counts and closes their segments. Returns
   * the waiting URLs whose count has passed a power of two. Counting many links at once costs less per link and more
   * memory. `tellGrown = false` saves the look-up of these URLs.
   */
  countLinks(tellGrown?: boolean): Promise<readonly GrownUrl[]>;
  /** The number of links that may gather before they are counted. It is higher where a count costs more. */
  readonly mostUncountedLinks: number;
  /** The number of the last closed segment; 0 when there is none. */
  lastSegment(): Promise<number>;
  /** Closed segments with numbers above `after`, in order. */
  segments(after: number, limit: number): Promise<readonly GraphSegment[]>;
  /** Pages that link to a URL (P6): the `limit` pages with the highest PageRank; equal ranks in the order of commit. */
  linksTo(id: number, limit: number): Promise<readonly LinkRecord[]>;
  /** The same for several URLs at nearly the cost of one. */
  linksToEach(ids: readonly number[], limit: number): Promise<readonly (readonly LinkRecord[])[]>;
  linksFrom(id: number): Promise<readonly LinkRecord[]>;
  /** The first `limit` URLs that redirect to this URL, in the order of discovery. */
  redirectsTo(id: number, limit: number): Promise<readonly string[]>;
  /** Stores PageRank by id; index 0 is unused. */
  setPageRanks(ranks: Float32Array): Promise<void>;
  /** PageRank as last stored; 0 for a URL that was unknown then. */
  pageRanks(ids: readonly number[]): Promise<readonly number[]>;
}

/** The ranks of waiting URLs. Example: `rerank([{ id, rank }])` moves a URL within the queue of its host. */
export interface RankingStore {
  /** The waiting URLs among these ids. */
  waiting(ids: readonly number[]): Promise<readonly WaitingRecord[]>;
  /** Waiting URLs with ids above `after`, in the order of discovery. */
  waitingAfter(after: number, limit: number): Promise<readonly WaitingRecord[]>;
  rerank(ranks: readonly NewRank[]): Promise<void>;
}

/** Captures and archive files. Example: `capturesOf(host, key, Date.now(), 1)` finds the newest capture of a URL. */
export interface CaptureStore {
  /** The newest `limit` captures of a URL that were fetched at `upToMs` or earlier, newest first. */
  capturesOf(host: string, key: string, upToMs: number, limit: number): Promise<readonly CaptureRecord[]>;
  /** All captures in the order of their CDXJ lines. */
  captures(sortKey: (url: string) => string): AsyncIterable<CaptureRecord & { readonly url: string }>;
  /** Captures of pages that have a complete payload of their own; the URLs that were discovered last come first. */
  payloads(limit: number): Promise<readonly (CaptureRecord & { readonly url: string })[]>;
  /** The place of a payload that is no longer where a revisit record says; null when no capture has it. */
  payloadPlace(payloadDigest: string): Promise<CapturePlace | null>;
  /** The committed length of each archive file. */
  archiveFiles(): Promise<ReadonlyMap<string, number>>;
  /** The machines and folders of these archive files, or of all. A crawl that never left its machine has none. */
  archivePlaces(files?: readonly string[]): Promise<ReadonlyMap<string, ArchivePlace>>;
  /**
   * The archive lost the bytes of a file from `from` on: pages whose current content was there wait again, and older
   * versions are dropped. Returns the number of URLs that did not wait before.
   */
  forgetCaptures(file: string, from: number, nowMs: number): Promise<number>;
}

/** Dropping old versions and rewriting archive files. Example: crawl/retention/retain.ts calls these in order. */
export interface RetentionStore {
  /** The captures that a rule does not keep, of pages with ids above `after`, `limit` pages per call. */
  superfluousCaptures(keep: KeptContents, after: number, limit: number): Promise<SuperfluousCaptures>;
  /**
   * Drops these captures in one transaction of at most `limit` pages. A round starts with `after` 0 and leaves out
   * pages that cannot have anything new to drop. A capture to which a revisit record refers stays; so a round that
   * dropped revisit records is followed by another round if it found such captures.
   */
  dropCaptures(keep: KeptContents, after: number, limit: number): Promise<DroppedCaptures>;
  /** Archive files with dropped captures that need less than this share (0 to 1) of their bytes, or none. */
  wastefulFiles(neededShare: number): Promise<readonly FileUse[]>;
  /**
   * The first `limit` revisit records whose payload no capture has: the response with the payload was refused at
   * commit, and only the archive knows its place.
   */
  revisitsAlone(limit: number): Promise<readonly CapturePlace[]>;
  capturesIn(files: readonly string[]): Promise<readonly FileCaptures[]>;
  /** The captures were copied: they are in the new file now, and the old files no longer belong to the archive. */
  moveCaptures(move: ArchiveMove): Promise<void>;
}

/** Checks of archive and tables, for `verify`. Example: `captureFacts(await sampleCaptures([0.1, 0.7]))`. */
export interface DamageStore {
  /** Facts of these captures in this order; null for a capture that no longer exists. */
  captureFacts(keys: readonly CaptureKey[]): Promise<readonly (CaptureFacts | null)[]>;
  /** All captures with one of these payloads, with the payload itself or only a reference to it. */
  capturesWith(payloadDigests: readonly string[]): Promise<readonly CaptureFacts[]>;
  /** A capture near each of these points (0 to 1) along all known URLs, in any version of its page. */
  sampleCaptures(points: readonly number[]): Promise<readonly CaptureKey[]>;
  /** Contradictions within the tables: at most about `limit` problems. */
  tableProblems(limit: number): Promise<readonly TableProblem[]>;
  /**
   * Marks captures that the archive cannot give back. They stay, but nothing refers to their payloads any more, and
   * URLs whose current content is among them wait again.
   */
  markDamaged(marks: readonly DamageMark[], nowMs: number): Promise<MarkedDamage>;
  /** The number of marked captures. */
  damagedCaptures(): Promise<number>;
}

/** Named texts of the crawl, such as its seeds and rules. Example: `await store.setNote('order', 'breadth-first')`. */
export interface NoteStore {
  note(name: string): Promise<string | null>;
  setNote(name: string, value: string): Promise<void>;
}

/** All facets, and the end. Only code that opens a store, or passes it on, needs all of it. */
export interface Store
  extends FrontierStore,
    CommitStore,
    RuleStore,
    VisitStore,
    WatcherStore,
    ChangeStore,
    FollowerStore,
    UrlStore,
    OverviewStore,
    GraphStore,
    RankingStore,
    CaptureStore,
    RetentionStore,
    DamageStore,
    NoteStore {
  close(): Promise<void>;
}
