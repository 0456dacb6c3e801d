/**
 * The store: everything a crawl knows but the bodies. A handful of *batch* calls, so that an engine across a network costs
 * no more round trips than one in the process; src/store/sqlite is the embedded engine, and test/store/contract.ts is the
 * suite that every engine has to pass.
 *
 * What always holds:
 * - A URL is known once (M1, E7): its host and the 16-byte key of its normal form are unique.
 * - A host is leased to one owner at a time (M2, W13); a lease that ran out can be taken by another, and a commit of the
 *   former owner for it is refused.
 * - A commit is one transaction and idempotent: a result counts only while its URL is waiting, so a batch that is
 *   committed again changes nothing (E8, C2). That of a page which is looked at again counts only while its last look is the
 *   one its claim told of.
 * - What happened to a page is noted in the same transaction as the page itself, under a number that only grows.
 * - A capture that a revisit may refer to stays as long as the revisit does.
 * - What a watcher's report told of is marked in the same transaction that moves the cursor behind it, and stays marked until a
 *   look at it is committed.
 * - A URL is skipped for an ignored parameter only while the lesson is in force and a URL that stands for it is known.
 */
import type { HostSharing } from './cluster.ts';
import type { GraphSegment, GrownUrl, LinkRecord, ListShares, NewRank, WaitingRecord } from './graph-records.ts';
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
  UrlRecord,
} from './records.ts';
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
} from './retention-records.ts';
import type { ChangeEntry, SourceRecord, VisitRecord } from './visit-records.ts';
import type { KnownPage, MarkedUrl, WatcherNews, WatcherRecord } from './watcher-records.ts';

export * from './graph-records.ts';
export * from './records.ts';
export * from './retention-records.ts';
export * from './visit-records.ts';
export * from './watcher-records.ts';

export interface ClaimRequest {
  readonly owner: string;
  readonly hosts: number;
  readonly urlsPerHost: number;
  readonly nowMs: number;
  readonly leaseMs: number;
  readonly lists?: ListShares;
  /**
   * In a cluster: the owner's slots on the ring, a bit each, the lowest of a byte first. Hosts of other slots are taken only
   * when they have been ready for `graceMs` and nobody came (W12).
   */
  readonly slots?: Uint8Array;
  readonly graceMs?: number;
}

export interface Store {
  /** Makes seeds known; those known already are left as they are. Returns their ids in order. */
  seed(found: readonly FoundUrl[], nowMs: number): Promise<readonly number[]>;
  /** Leases up to `hosts` hosts that are ready and not the owner's already, each with its first `urlsPerHost` URLs. */
  claim(request: ClaimRequest): Promise<readonly HostLease[]>;
  /** More URLs of a host that is leased already, but for those in `besides`; of a share, only its own. */
  claimMore(
    hostId: number,
    limit: number,
    besides: ReadonlySet<number>,
    nowMs: number,
    lists?: ListShares,
    share?: HostShare,
  ): Promise<readonly ClaimedUrl[]>;
  commit(batch: CommitBatch): Promise<CommitReceipt>;
  /** Pages that may be looked at again, after an id, ascending. */
  visits(after: number, limit: number): Promise<readonly VisitRecord[]>;
  /** Leases these hosts, but for those that another owner holds; they come without URLs. One's own are leased for longer. */
  lease(request: {
    readonly owner: string;
    readonly hostIds: readonly number[];
    readonly nowMs: number;
    readonly leaseMs: number;
  }): Promise<readonly HostLease[]>;
  /**
   * What a look at these pages needs, each with `earlier`, in this order; those that cannot be looked at are left out. An engine that
   * is spread finds them sooner by the host they are all of.
   */
  revisits(ids: readonly number[], hostId?: number): Promise<readonly ClaimedUrl[]>;
  /** How well change sources told the truth, by host. */
  sources(): Promise<readonly SourceRecord[]>;
  /** The same of pages by their ids, ascending; those that cannot be looked at are left out. */
  visitsOf(ids: readonly number[]): Promise<readonly VisitRecord[]>;
  /** The watchers of hosts, as far as they are known or were looked for. */
  watchers(): Promise<readonly WatcherRecord[]>;
  /** What is new of one, and what its report told, in one transaction. Returns the ids of the URLs found, in order. */
  noteWatcher(hostId: number, news: WatcherNews, nowMs: number): Promise<readonly number[]>;
  /** URLs of a host that are marked, after an id, ascending. */
  marks(hostId: number, after: number, limit: number): Promise<readonly MarkedUrl[]>;
  /** What is known of URLs of a host, by their keys; null for those that are not known. */
  knownPages(hostId: number, keys: readonly string[]): Promise<readonly (KnownPage | null)[]>;
  /** URLs of a host that were answered once, after a key, in the order of the keys: which is by chance. */
  hostPages(hostId: number, afterKey: string, limit: number): Promise<readonly KnownPage[]>;
  /** What happened to pages, after a number, in order. */
  changes(after: number, limit: number): Promise<readonly ChangeEntry[]>;
  /** What happened to one page, newest first. */
  changesOf(host: string, key: string, limit: number): Promise<readonly ChangeEntry[]>;
  /** The number of the newest of them; 0 where there is none. */
  lastChange(): Promise<number>;
  /** When a page was last looked at again; null where none was. */
  lastLookMs(): Promise<number | null>;
  /** Keeps the owner's leases alive. */
  renew(owner: string, untilMs: number): Promise<void>;
  /** Gives hosts back; each is ready again when its next URL is. `askedUntilMs`: they may have been asked until then, of which nothing is known. */
  release(owner: string, hostIds: readonly number[], nowMs: number, askedUntilMs?: number): Promise<void>;
  /** When the next host becomes ready; null when nothing waits anywhere. */
  nextReadyAtMs(): Promise<number | null>;
  explain(host: string, key: string): Promise<UrlRecord | null>;
  counts(): Promise<Counts>;
  /** The known URLs among these ids, in the order of discovery. */
  records(ids: readonly number[]): Promise<readonly UrlRecord[]>;
  /** Known URLs after an id, in the order of discovery. */
  urls(after: number, limit: number): Promise<readonly UrlRecord[]>;
  /** Pages that link to each of these URLs: exact, as of the last commit. */
  backlinks(ids: readonly number[]): Promise<readonly number[]>;
  /**
   * Adds the links committed since the last call to the counts of back-links, and closes the segments they are in. Returns
   * the waiting URLs whose count has passed a power of two. The more links there are to count, the less each costs, and the
   * more memory it takes. Not to tell of the URLs saves looking them up.
   */
  countLinks(tellGrown?: boolean): Promise<readonly GrownUrl[]>;
  /** Links that may gather before they are counted, where nobody asks sooner: the dearer a count is, the more. */
  readonly mostUncountedLinks: number;
  /** The number of the last closed segment; 0 where there is none. */
  lastSegment(): Promise<number>;
  /** Closed segments after `after`, in order. */
  segments(after: number, limit: number): Promise<readonly GraphSegment[]>;
  /** The pages that link to a URL (P6): the `limit` of the highest PageRank, equal ones in the order of their commit. */
  linksTo(id: number, limit: number): Promise<readonly LinkRecord[]>;
  /** The same of several URLs in one go, which costs little more than of one. */
  linksToEach(ids: readonly number[], limit: number): Promise<readonly (readonly LinkRecord[])[]>;
  /** What a page links to. */
  linksFrom(id: number): Promise<readonly LinkRecord[]>;
  /** URLs that redirect to this one: the first `limit` in the order of discovery. */
  redirectsTo(id: number, limit: number): Promise<readonly string[]>;
  /** Those of these URLs that still wait. */
  waiting(ids: readonly number[]): Promise<readonly WaitingRecord[]>;
  /** Waiting URLs after an id, in the order of discovery. */
  waitingAfter(after: number, limit: number): Promise<readonly WaitingRecord[]>;
  rerank(ranks: readonly NewRank[]): Promise<void>;
  /** Keeps PageRank, by id; index 0 is unused. */
  setPageRanks(ranks: Float32Array): Promise<void>;
  /** PageRank as last kept; 0 for a URL that was not known then. */
  pageRanks(ids: readonly number[]): Promise<readonly number[]>;
  /** What was learned of query parameters, at all hosts or one. */
  lessons(verdicts: readonly ParameterVerdict[], host?: string): Promise<readonly ParameterLesson[]>;
  /** Forgets all that: what was skipped for it waits again. Returns how many URLs. */
  dropLessons(nowMs: number): Promise<number>;
  hosts(after: number, limit: number): Promise<readonly HostRecord[]>;
  host(name: string): Promise<HostRecord | null>;
  /** From ten paths with the same page on, and nine in ten of all that were compared. */
  mirrors(): Promise<readonly MirrorRecord[]>;
  /** The newest `limit` captures of a URL that were fetched no later than `upToMs`, newest first. */
  capturesOf(host: string, key: string, upToMs: number, limit: number): Promise<readonly CaptureRecord[]>;
  /** Captures in the order of their CDXJ lines. */
  captures(sortKey: (url: string) => string): AsyncIterable<CaptureRecord & { readonly url: string }>;
  /** Captures of pages with a whole payload of their own, those of the URLs that were discovered last first. */
  payloads(limit: number): Promise<readonly (CaptureRecord & { readonly url: string })[]>;
  archiveFiles(): Promise<ReadonlyMap<string, number>>;
  /** Where archive files lie, of these or of all; those of a crawl that never left its machine are not in it. */
  archivePlaces(files?: readonly string[]): Promise<ReadonlyMap<string, ArchivePlace>>;
  /**
   * The archive lost what lies behind `from` in a file: the pages whose content of now was there wait again, and older versions
   * are dropped. Returns how many wait that did not before.
   */
  forgetCaptures(file: string, from: number, nowMs: number): Promise<number>;
  /** What a rule leaves over of pages after an id, ascending, `limit` pages a call. */
  superfluousCaptures(keep: KeptContents, after: number, limit: number): Promise<SuperfluousCaptures>;
  /**
   * Drops it, in one transaction of at most `limit` pages, from `after` 0 on in a round; pages are left out that can have nothing new
   * to drop. What a revisit refers to stays, so a round that dropped revisits is to be followed by another if it found
   * something needed.
   */
  dropCaptures(keep: KeptContents, after: number, limit: number): Promise<DroppedCaptures>;
  /** Archive files with dropped captures of which less than a share of bytes, from 0 to 1, is needed, or nothing at all. */
  wastefulFiles(neededShare: number): Promise<readonly FileUse[]>;
  /**
   * The first `limit` revisits of payloads that no capture has: the answer that brought those was refused when it was committed,
   * and only the archive knows where they are.
   */
  revisitsAlone(limit: number): Promise<readonly CapturePlace[]>;
  /** The captures in these files. */
  capturesIn(files: readonly string[]): Promise<readonly FileCaptures[]>;
  /** They were copied: the captures are in the new file from now on, and the old ones are no files of the archive any more. */
  moveCaptures(move: ArchiveMove): Promise<void>;
  /** Where a capture has a payload that is no longer where a revisit says; null where none has it. */
  payloadPlace(payloadDigest: string): Promise<CapturePlace | null>;
  /** What is known of these captures, in this order; null for one that is no longer there. */
  captureFacts(keys: readonly CaptureKey[]): Promise<readonly (CaptureFacts | null)[]>;
  /** All captures with one of these payloads, with the payload itself or only referring to it. */
  capturesWith(payloadDigests: readonly string[]): Promise<readonly CaptureFacts[]>;
  /** A capture near each of these points from 0 to 1 along all known URLs, whichever version of its page it is. */
  sampleCaptures(points: readonly number[]): Promise<readonly CaptureKey[]>;
  /** What the tables themselves show to be wrong: at most about `limit` problems. */
  tableProblems(limit: number): Promise<readonly TableProblem[]>;
  /**
   * Marks captures that the archive cannot give back. They stay, but nothing refers to their payloads any more, and
   * URLs wait again
   * whose content of now is among them.
   */
  markDamaged(marks: readonly DamageMark[], nowMs: number): Promise<MarkedDamage>;
  /** How many captures are marked. */
  damagedCaptures(): Promise<number>;
  /** A note of the crawl's own, such as its seeds and rules. */
  note(name: string): Promise<string | null>;
  setNote(name: string, value: string): Promise<void>;
  /** Lets URLs wait that were only skipped for being deeper than `depth`. */
  allowDepth(depth: number, nowMs: number): Promise<number>;
  /** Lets URLs wait that were skipped because their host has a private address. Returns how many. */
  allowPrivate(nowMs: number): Promise<number>;
  /** The crawl has another topic, or none any more: what was left out as off topic waits, and no relevance counts. */
  forgetTopic(nowMs: number): Promise<number>;
  /** Brings all commits so far to the disk: they survive a loss of power from then on. */
  sync(): Promise<void>;
  close(): Promise<void>;
  /** Absent where one process alone has the crawl. */
  readonly sharing?: HostSharing;
}
