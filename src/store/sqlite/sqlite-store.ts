/**
 * The embedded engine: one SQLite file in the data folder, written by one process, read by any number of processes.
 *
 * The partner for PostgreSQL is store/postgres/postgres-store.ts; the shared contract test is test/store/contract.ts.
 */
import type { Share } from '../../core/file-modes.ts';
import { doublings } from '../../graph/backlink-counts.ts';
import type {
  ArchiveMove,
  ArchivePlace,
  CaptureFacts,
  CaptureKey,
  CapturePlace,
  CaptureRecord,
  ChangeEntry,
  ClaimedUrl,
  CommitBatch,
  CommitReceipt,
  Counts,
  DamageMark,
  DroppedCaptures,
  FileCaptures,
  FileUse,
  FoundUrl,
  GraphSegment,
  GrownUrl,
  HostLease,
  HostRecord,
  KeptContents,
  KnownPage,
  LinkRecord,
  MarkedDamage,
  MarkedUrl,
  MirrorRecord,
  MoreUrls,
  NewRank,
  ParameterLesson,
  ParameterVerdict,
  SourceRecord,
  Store,
  SuperfluousCaptures,
  TableProblem,
  UrlRecord,
  VisitRecord,
  WaitingRecord,
  WatcherNews,
  WatcherRecord,
} from '../contract.ts';
import type { OlderCapture, RecoverableStore } from '../recoverable.ts';
import { Tally } from '../rules/tally.ts';
import { ArchiveMoves } from './captures/archive-moves.ts';
import { DamageBook } from './captures/damage.ts';
import { Retention } from './captures/retention.ts';
import { ChangeLog } from './changes/change-log.ts';
import { ChangeSources } from './changes/change-sources.ts';
import { WatcherTable } from './changes/watchers.ts';
import { Committer } from './commit/commit.ts';
import { forgetCaptures } from './commit/forget.ts';
import { NearDuplicates } from './commit/near-duplicates.ts';
import { TallyWriter } from './commit/tally-writer.ts';
import { currentReader } from './current-reader.ts';
import { ANY_DEPTH, Discovery, forgetTopic, letWait } from './discovery/discovery.ts';
import { LinkGraph } from './graph/link-graph.ts';
import { HighestRanked, PageRanks } from './graph/page-ranks.ts';
import { ParameterLearner } from './learning/parameters.ts';
import { Claims } from './leases/claim.ts';
import { QueueReader } from './leases/read-queue.ts';
import { asStoreError, inTransaction, type OpenDatabase, openForWriting } from './open.ts';
import { openForReading } from './open-reading.ts';
import { Reader } from './read.ts';
import { VisitReader } from './read-visits.ts';
import { Recovery } from './recovery.ts';

/** Opens the data folder for a crawl: locked against a second crawl, migrated, and without leases left by a crash. */
export function openSqliteStore(dir: string, nowMs: number, share: Share | null = null): RecoverableStore {
  return storeOver(openForWriting(dir, share), dir, (store) => store.dropStaleLeases(nowMs));
}

/** Opens the data folder for reading, which needs no write access. */
export function readSqliteStore(dir: string): Store {
  return currentReader(() => {
    const { db, isCurrent } = openForReading(dir);
    const store = storeOver({ db, sync: async () => {}, close: () => db.close() }, dir, () => {});
    return { store, isCurrent };
  });
}

/** Damage of a database may appear only at its first use. Everything is then closed, above all the lock. */
function storeOver(open: OpenDatabase, dir: string, prepare: (store: SqliteStore) => void): RecoverableStore {
  try {
    const store = new SqliteStore(open, dir);
    prepare(store);
    return store;
  } catch (error) {
    open.close();
    throw asStoreError(error, dir);
  }
}

class SqliteStore implements RecoverableStore {
  readonly #open: OpenDatabase;
  readonly #dir: string;
  readonly #discovery: Discovery;
  readonly #tallies: TallyWriter;
  readonly #graph: LinkGraph;
  readonly #near: NearDuplicates;
  readonly #pageRanks: PageRanks;
  readonly #parameters: ParameterLearner;
  readonly #committer: Committer;
  readonly #claims: Claims;
  readonly #reader: Reader;
  readonly #queue: QueueReader;
  readonly #visits: VisitReader;
  readonly #sources: ChangeSources;
  readonly #changes: ChangeLog;
  readonly #watchers: WatcherTable;
  readonly #retention: Retention;
  readonly #moves: ArchiveMoves;
  readonly #damage: DamageBook;
  readonly #recovery: Recovery;

  constructor(open: OpenDatabase, dir: string) {
    this.#open = open;
    this.#dir = dir;
    this.#parameters = new ParameterLearner(open.db);
    this.#discovery = new Discovery(open.db, this.#parameters);
    this.#tallies = new TallyWriter(open.db);
    this.#graph = new LinkGraph(open.db);
    this.#near = new NearDuplicates(open.db);
    this.#pageRanks = new PageRanks(open.db);
    this.#sources = new ChangeSources(open.db);
    this.#changes = new ChangeLog(open.db);
    this.#watchers = new WatcherTable(open.db);
    this.#committer = new Committer(open.db, {
      discovery: this.#discovery,
      tallies: this.#tallies,
      graph: this.#graph,
      parameters: this.#parameters,
      near: this.#near,
      sources: this.#sources,
      changes: this.#changes,
      watchers: this.#watchers,
    });
    this.#claims = new Claims(open.db);
    this.#reader = new Reader(open.db);
    this.#queue = new QueueReader(open.db);
    this.#visits = new VisitReader(open.db);
    this.#retention = new Retention(open.db);
    this.#moves = new ArchiveMoves(open.db);
    this.#damage = new DamageBook(open.db, this.#graph);
    this.#recovery = new Recovery(open.db);
  }

  dropStaleLeases(nowMs: number): void {
    this.#do(() => this.#claims.dropAll(nowMs));
  }

  async seed(found: readonly FoundUrl[], nowMs: number): Promise<readonly number[]> {
    return this.#write((tally) => {
      const ids = found.map((seed) => this.#discovery.idOf(seed, null, Infinity, tally));
      for (const id of ids) this.#discovery.fetchAsNamed(id, tally);
      return ids;
    }, nowMs);
  }

  async claim(request: Parameters<Store['claim']>[0]): Promise<readonly HostLease[]> {
    return this.#do(() => this.#claims.claim(request));
  }

  async claimMore(hostId: number, request: MoreUrls): Promise<readonly ClaimedUrl[]> {
    return this.#do(() => this.#claims.claimMore(hostId, request));
  }

  async commit(batch: CommitBatch): Promise<CommitReceipt> {
    return this.#do(() => this.#committer.commit(batch));
  }

  async visits(after: number, limit: number): Promise<readonly VisitRecord[]> {
    return this.#do(() => this.#visits.visitsAfter(after, limit));
  }

  async lease(request: Parameters<Store['lease']>[0]): Promise<readonly HostLease[]> {
    return this.#do(() => this.#claims.lease(request));
  }

  async revisits(ids: readonly number[]): Promise<readonly ClaimedUrl[]> {
    return this.#do(() => this.#visits.revisits(ids));
  }

  async sources(): Promise<readonly SourceRecord[]> {
    return this.#do(() => this.#sources.all());
  }

  async visitsOf(ids: readonly number[]): Promise<readonly VisitRecord[]> {
    return this.#do(() => this.#visits.visitsOf(ids));
  }

  async watchers(): Promise<readonly WatcherRecord[]> {
    return this.#do(() => this.#watchers.all());
  }

  async noteWatcher(hostId: number, news: WatcherNews, nowMs: number): Promise<readonly number[]> {
    return this.#write((tally) => this.#watchers.write(hostId, news, this.#discovery, tally), nowMs);
  }

  async marks(hostId: number, after: number, limit: number): Promise<readonly MarkedUrl[]> {
    return this.#do(() => this.#watchers.marks(hostId, after, limit));
  }

  async knownPages(hostId: number, keys: readonly string[]): Promise<readonly (KnownPage | null)[]> {
    return this.#do(() => this.#watchers.known(hostId, keys));
  }

  async hostPages(hostId: number, afterKey: string, limit: number): Promise<readonly KnownPage[]> {
    return this.#do(() => this.#watchers.pagesOf(hostId, afterKey, limit));
  }

  async changes(after: number, limit: number): Promise<readonly ChangeEntry[]> {
    return this.#do(() => this.#changes.after(after, limit));
  }

  async changesOf(host: string, key: string, limit: number): Promise<readonly ChangeEntry[]> {
    return this.#do(() => this.#changes.of(host, key, limit));
  }

  async lastChange(): Promise<number> {
    return this.#do(() => this.#changes.last());
  }

  async lastLookMs(): Promise<number | null> {
    return this.#do(() => this.#visits.lastLookMs());
  }

  async renew(owner: string, untilMs: number): Promise<void> {
    this.#do(() => this.#claims.renew(owner, untilMs));
  }

  async release(owner: string, hostIds: readonly number[], nowMs: number, askedUntilMs = 0): Promise<void> {
    this.#do(() => this.#claims.release(owner, hostIds, nowMs, askedUntilMs));
  }

  async nextReadyAtMs(): Promise<number | null> {
    return this.#do(() => this.#claims.nextReadyAtMs());
  }

  async explain(host: string, key: string): Promise<UrlRecord | null> {
    return this.#do(() => this.#reader.explain(host, key));
  }

  async counts(): Promise<Counts> {
    return this.#do(() => this.#reader.counts());
  }

  async urls(after: number, limit: number): Promise<readonly UrlRecord[]> {
    return this.#do(() => this.#reader.urlsAfter(after, limit));
  }

  async backlinks(ids: readonly number[]): Promise<readonly number[]> {
    return this.#atOnce(() => this.#graph.backlinks(ids));
  }

  readonly mostUncountedLinks = 2 ** 17;

  async countLinks(tellGrown = true): Promise<readonly GrownUrl[]> {
    return this.#write(() => {
      const grown: GrownUrl[] = [];
      this.#graph.count((id, before, after) => {
        if (!tellGrown || doublings(after) <= doublings(before)) return;
        const waiting = this.#queue.waiting(id);
        if (waiting !== null) grown.push({ ...waiting, backlinks: after });
      });
      return grown;
    }, 0);
  }

  async lastSegment(): Promise<number> {
    return this.#do(() => this.#graph.lastClosed());
  }

  async segments(after: number, limit: number): Promise<readonly GraphSegment[]> {
    return this.#do(() => this.#graph.closed(after, limit));
  }

  async linksTo(id: number, limit: number): Promise<readonly LinkRecord[]> {
    return this.#atOnce(() => {
      const best = new HighestRanked(this.#pageRanks, limit);
      for (const ends of this.#graph.linksTo(id)) best.add(ends);
      return best.ends.map((end) => this.#queue.link(end));
    });
  }

  async linksToEach(ids: readonly number[], limit: number): Promise<readonly (readonly LinkRecord[])[]> {
    return this.#atOnce(() => {
      const best = new Map(ids.map((id) => [id, new HighestRanked(this.#pageRanks, limit)]));
      for (const found of this.#graph.linksToAny(new Set(ids))) {
        for (const [id, ends] of found) best.get(id)!.add(ends);
      }
      return ids.map((id) => best.get(id)!.ends.map((end) => this.#queue.link(end)));
    });
  }

  async linksFrom(id: number): Promise<readonly LinkRecord[]> {
    return this.#atOnce(() => {
      const seq = this.#queue.graphSeqOf(id);
      return seq === null ? [] : this.#graph.linksFrom(id, seq).map((end) => this.#queue.link(end));
    });
  }

  async redirectsTo(id: number, limit: number): Promise<readonly string[]> {
    return this.#do(() => this.#queue.redirectsTo(id, limit));
  }

  async waiting(ids: readonly number[]): Promise<readonly WaitingRecord[]> {
    return this.#do(() => ids.map((id) => this.#queue.waiting(id)).filter((record) => record !== null));
  }

  async waitingAfter(after: number, limit: number): Promise<readonly WaitingRecord[]> {
    return this.#do(() => this.#queue.waitingAfter(after, limit));
  }

  async rerank(ranks: readonly NewRank[]): Promise<void> {
    this.#write(() => this.#committer.rerank(ranks), 0);
  }

  async setPageRanks(ranks: Float32Array): Promise<void> {
    this.#write(() => this.#pageRanks.write(ranks), 0);
  }

  async pageRanks(ids: readonly number[]): Promise<readonly number[]> {
    return this.#do(() => this.#pageRanks.of(ids));
  }

  async records(ids: readonly number[]): Promise<readonly UrlRecord[]> {
    return this.#do(() => this.#reader.records(ids));
  }

  async lessons(verdicts: readonly ParameterVerdict[], host?: string): Promise<readonly ParameterLesson[]> {
    return this.#do(() => this.#parameters.lessons(verdicts, host ?? null));
  }

  async dropLessons(nowMs: number): Promise<number> {
    return this.#write((tally) => this.#parameters.dropAll(tally), nowMs);
  }

  async hosts(after: number, limit: number): Promise<readonly HostRecord[]> {
    return this.#do(() => this.#reader.hostsAfter(after, limit));
  }

  async host(name: string): Promise<HostRecord | null> {
    return this.#do(() => this.#reader.host(name));
  }

  async mirrors(): Promise<readonly MirrorRecord[]> {
    return this.#do(() => this.#reader.mirrors());
  }

  async capturesOf(host: string, key: string, upToMs: number, limit: number): Promise<readonly CaptureRecord[]> {
    return this.#do(() => this.#reader.capturesOf(host, key, upToMs, limit));
  }

  async *captures(sortKey: (url: string) => string): AsyncIterable<CaptureRecord & { readonly url: string }> {
    try {
      yield* this.#reader.capturesBy(sortKey);
    } catch (error) {
      throw asStoreError(error, this.#dir);
    }
  }

  async payloads(limit: number): Promise<readonly (CaptureRecord & { readonly url: string })[]> {
    return this.#do(() => this.#reader.payloads(limit));
  }

  /** Empty: all files are in the archive of the data folder. */
  async archivePlaces(): Promise<ReadonlyMap<string, ArchivePlace>> {
    return new Map();
  }

  async archiveFiles(): Promise<ReadonlyMap<string, number>> {
    return this.#do(() => this.#reader.archiveFiles());
  }

  async forgetCaptures(file: string, from: number, nowMs: number): Promise<number> {
    this.#near.forget();
    return this.#write((tally) => forgetCaptures(this.#open.db, this.#graph, file, from, tally), nowMs);
  }

  async superfluousCaptures(keep: KeptContents, after: number, limit: number): Promise<SuperfluousCaptures> {
    return this.#atOnce(() => this.#retention.superfluous(keep, after, limit));
  }

  async dropCaptures(keep: KeptContents, after: number, limit: number): Promise<DroppedCaptures> {
    return this.#write(() => this.#retention.drop(keep, after, limit), 0);
  }

  async wastefulFiles(neededShare: number): Promise<readonly FileUse[]> {
    return this.#write(() => this.#moves.wasteful(neededShare), 0);
  }

  async revisitsAlone(limit: number): Promise<readonly CapturePlace[]> {
    return this.#do(() => this.#moves.revisitsAlone(limit));
  }

  async capturesIn(files: readonly string[]): Promise<readonly FileCaptures[]> {
    return this.#do(() => this.#moves.capturesIn(files));
  }

  async moveCaptures(move: ArchiveMove): Promise<void> {
    this.#write(() => this.#moves.move(move), 0);
  }

  async payloadPlace(payloadDigest: string): Promise<CapturePlace | null> {
    return this.#do(() => this.#moves.payloadPlace(payloadDigest));
  }

  async captureFacts(keys: readonly CaptureKey[]): Promise<readonly (CaptureFacts | null)[]> {
    return this.#do(() => this.#damage.facts(keys));
  }

  async capturesWith(payloadDigests: readonly string[]): Promise<readonly CaptureFacts[]> {
    return this.#do(() => this.#damage.capturesWith(payloadDigests));
  }

  async sampleCaptures(points: readonly number[]): Promise<readonly CaptureKey[]> {
    return this.#do(() => this.#damage.sample(points));
  }

  async tableProblems(limit: number): Promise<readonly TableProblem[]> {
    return this.#do(() => this.#damage.tableProblems(limit));
  }

  async markDamaged(marks: readonly DamageMark[], nowMs: number): Promise<MarkedDamage> {
    this.#near.forget();
    return this.#write((tally) => this.#damage.mark(marks, nowMs, tally), nowMs);
  }

  async damagedCaptures(): Promise<number> {
    return this.#do(() => this.#damage.count());
  }

  async note(name: string): Promise<string | null> {
    return this.#do(() => this.#reader.note(name));
  }

  async setNote(name: string, value: string): Promise<void> {
    const sql = 'INSERT INTO notes (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value';
    this.#do(() => this.#open.db.prepare(sql).run(name, value));
  }

  async allowDepth(depth: number, nowMs: number): Promise<number> {
    return this.#write((tally) => letWait(this.#open.db, 'too-deep', depth, tally), nowMs);
  }

  async allowPrivate(nowMs: number): Promise<number> {
    return this.#write((tally) => letWait(this.#open.db, 'private-address', ANY_DEPTH, tally), nowMs);
  }

  async forgetTopic(nowMs: number): Promise<number> {
    return this.#write((tally) => forgetTopic(this.#open.db, this.#reader.counts(), tally), nowMs);
  }

  async waitingUrls(ids: readonly number[]): Promise<readonly ClaimedUrl[]> {
    return this.#do(() => ids.map((id) => this.#recovery.waiting(id)).filter((url) => url !== null));
  }

  async admit(ids: readonly number[], nowMs: number): Promise<number> {
    return this.#write((tally) => ids.filter((id) => this.#recovery.admit(id, tally)).length, nowMs);
  }

  async addHistory(older: readonly OlderCapture[], files: ReadonlyMap<string, number>): Promise<void> {
    this.#write(() => this.#recovery.addHistory(older, files), 0);
  }

  async setArchiveFiles(files: ReadonlyMap<string, number>): Promise<void> {
    this.#write(() => this.#recovery.setFiles(files), 0);
  }

  async sync(): Promise<void> {
    try {
      await this.#open.sync();
    } catch (error) {
      throw asStoreError(error, this.#dir);
    }
  }

  async close(): Promise<void> {
    this.#open.close();
  }

  #write<T>(work: (tally: Tally) => T, nowMs: number): T {
    return this.#do(() => {
      try {
        return inTransaction(this.#open.db, () => {
          const tally = new Tally();
          const result = work(tally);
          this.#discovery.write();
          this.#tallies.write(tally, nowMs);
          return result;
        });
      } catch (error) {
        this.#discovery.forget();
        throw error;
      }
    });
  }

  /** Reads one consistent state: between two statements, a crawl in another process may count or move the data. */
  #atOnce<T>(work: () => T): T {
    return this.#do(() => {
      this.#open.db.exec('BEGIN');
      try {
        return work();
      } finally {
        this.#open.db.exec('COMMIT');
      }
    });
  }

  #do<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw asStoreError(error, this.#dir);
    }
  }
}
