/**
 * The embedded engine: one SQLite file in the data folder, written by one process, read by any number of processes.
 *
 * The partner for PostgreSQL is store/postgres/postgres-store.ts; the shared contract test is test/store/contract.ts.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Share } from '../../core/file-modes.ts';
import { doublings } from '../../graph/backlink-counts.ts';
import type { GrownUrl, Store } from '../contract.ts';
import type { RecoverableStore } from '../recoverable.ts';
import { Tally } from '../rules/tally.ts';
import { ArchiveMoves } from './captures/archive-moves.ts';
import { DamageBook } from './captures/damage.ts';
import { Retention } from './captures/retention.ts';
import { ChangeLog } from './changes/change-log.ts';
import { ChangeSources } from './changes/change-sources.ts';
import { dropFollowerLeases, FollowerTable } from './changes/followers.ts';
import { Visits } from './changes/visits.ts';
import { WatcherTable } from './changes/watchers.ts';
import { Canonicals } from './commit/canonicals.ts';
import { Committer } from './commit/commit.ts';
import { forgetCaptures } from './commit/forget.ts';
import { PageJudge } from './commit/judge-page.ts';
import { NearDuplicates } from './commit/near-duplicates.ts';
import { TallyWriter } from './commit/tally-writer.ts';
import { PageWriter } from './commit/write-page.ts';
import { currentReader } from './current-reader.ts';
import { ANY_DEPTH, Discovery, forgetTopic, letWait } from './discovery/discovery.ts';
import { LinkGraph } from './graph/link-graph.ts';
import { HighestRanked, PageRanks } from './graph/page-ranks.ts';
import { ParameterLearner } from './learning/parameters.ts';
import { Claims, dropAllLeases } from './leases/claim.ts';
import { QueueReader } from './leases/read-queue.ts';
import { asStoreError, inTransaction, type OpenDatabase, openForWriting } from './open.ts';
import { openForReading } from './open-reading.ts';
import { Overview } from './overview.ts';
import { Reader } from './read.ts';
import { VisitReader } from './read-visits.ts';
import { Recovery } from './recovery.ts';

/** Opens the data folder for a crawl: locked against a second crawl, migrated, and without leases left by a crash. */
export function openSqliteStore(dir: string, nowMs: number, share: Share | null = null): RecoverableStore {
  return storeOrClose(openForWriting(dir, share), dir, (db) => {
    dropAllLeases(db, nowMs);
    dropFollowerLeases(db);
  });
}

/** Opens the data folder for reading, which needs no write access. */
export function readSqliteStore(dir: string): Store {
  return currentReader(() => {
    const { db, isCurrent } = openForReading(dir);
    const store = storeOrClose({ db, sync: async () => {}, close: () => db.close() }, dir, () => {});
    return { store, isCurrent };
  });
}

/** Damage of a database may appear only at its first use. Everything is then closed, above all the lock. */
function storeOrClose(open: OpenDatabase, dir: string, prepare: (db: DatabaseSync) => void): RecoverableStore {
  try {
    const store = storeOver(open, dir);
    prepare(open.db);
    return store;
  } catch (error) {
    open.close();
    throw asStoreError(error, dir);
  }
}

function storeOver({ db, sync, close }: OpenDatabase, dir: string): RecoverableStore {
  const parameters = new ParameterLearner(db);
  const discovery = new Discovery(db, parameters);
  const tallies = new TallyWriter(db);
  const graph = new LinkGraph(db);
  const near = new NearDuplicates(db);
  const pageRanks = new PageRanks(db);
  const sources = new ChangeSources(db);
  const changes = new ChangeLog(db);
  const watchers = new WatcherTable(db);
  const followers = new FollowerTable(db, changes);
  const canonicals = new Canonicals(db, near);
  const [judge, pages] = [new PageJudge(db, discovery, near, canonicals), new PageWriter(db, graph)];
  const visits = new Visits(db);
  const parts = { discovery, tallies, graph, parameters, judge, canonicals, pages, visits, sources, changes, watchers };
  const committer = new Committer(db, parts);
  const claims = new Claims(db);
  const reader = new Reader(db);
  const overview = new Overview(db);
  const queue = new QueueReader(db);
  const visitReader = new VisitReader(db);
  const retention = new Retention(db);
  const moves = new ArchiveMoves(db);
  const damage = new DamageBook(db, parts);
  const recovery = new Recovery(db);

  /** Makes a call of the store from work on the database: it is asynchronous, and it rejects with store errors only. */
  function call<Given extends unknown[], T>(work: (...given: Given) => T): (...given: Given) => Promise<T> {
    return async (...given) => {
      try {
        return work(...given);
      } catch (error) {
        throw asStoreError(error, dir);
      }
    };
  }

  function write<T>(work: (tally: Tally) => T, nowMs: number): T {
    try {
      return inTransaction(db, () => {
        const tally = new Tally();
        const result = work(tally);
        discovery.write();
        tallies.write(tally, nowMs);
        return result;
      });
    } catch (error) {
      discovery.forget();
      canonicals.forget();
      throw error;
    }
  }

  /** Reads one consistent state: between two statements, a crawl in another process may count or move the data. */
  function atOnce<T>(work: () => T): T {
    db.exec('BEGIN');
    try {
      return work();
    } finally {
      db.exec('COMMIT');
    }
  }

  return {
    seed: call((found, nowMs) =>
      write((tally) => {
        const ids = found.map((seed) => discovery.idOf(seed, null, Infinity, tally));
        for (const id of ids) discovery.fetchAsNamed(id, tally);
        return ids;
      }, nowMs),
    ),
    claim: call((request) => claims.claim(request)),
    claimMore: call((hostId, request) => claims.claimMore(hostId, request)),
    commit: call((batch) => committer.commit(batch)),
    settleCanonicals: call((nowMs) => write((tally) => canonicals.settleLeft(tally), nowMs)),
    visits: call((after, limit) => visitReader.visitsAfter(after, limit)),
    lease: call((request) => claims.lease(request)),
    revisits: call((ids) => visitReader.revisits(ids)),
    sources: call(() => sources.all()),
    visitsOf: call((ids) => visitReader.visitsOf(ids)),
    watchers: call(() => watchers.all()),
    noteWatcher: call((hostId, news, nowMs) => write((tally) => watchers.write(hostId, news, discovery, tally), nowMs)),
    marks: call((hostId, after, limit) => watchers.marks(hostId, after, limit)),
    knownPages: call((hostId, keys) => watchers.known(hostId, keys)),
    hostPages: call((hostId, afterKey, limit) => watchers.pagesOf(hostId, afterKey, limit)),
    changes: call((after, limit) => changes.after(after, limit)),
    changesOf: call((host, key, limit) => changes.of(host, key, limit)),
    lastChange: call(() => changes.last()),
    sharedEdits: call((range) => changes.sharedEdits(range)),
    describeChanges: call((descriptions) => write(() => changes.describe(descriptions), 0)),
    followers: call(() => followers.all()),
    holdFollower: call((hold) => followers.hold(hold)),
    moveFollower: call((move) => write(() => followers.move(move), 0)),
    releaseFollower: call((name, owner) => followers.release(name, owner)),
    touches: call((after, limit) => followers.touches(after, limit)),
    lastLookMs: call(() => visitReader.lastLookMs()),
    renew: call((owner, untilMs) => claims.renew(owner, untilMs)),
    unblock: call((hosts, reasons, nowMs) => claims.unblock(hosts, reasons, nowMs)),
    release: call((owner, hostIds, nowMs, askedUntilMs = 0) => claims.release(owner, hostIds, nowMs, askedUntilMs)),
    nextReadyAtMs: call(() => claims.nextReadyAtMs()),
    explain: call((host, key) => reader.explain(host, key)),
    patternUse: call((host, pattern) => discovery.patternUse(host, pattern)),
    counts: call(() => reader.counts()),
    urls: call((after, limit) => reader.urlsAfter(after, limit)),
    backlinks: call((ids) => atOnce(() => graph.backlinks(ids))),
    mostUncountedLinks: 2 ** 17,
    countLinks: call((tellGrown = true) =>
      write(() => {
        const grown: GrownUrl[] = [];
        graph.count((id, before, after) => {
          if (!tellGrown || doublings(after) <= doublings(before)) return;
          const waiting = queue.waiting(id);
          if (waiting !== null) grown.push({ ...waiting, backlinks: after });
        });
        return grown;
      }, 0),
    ),
    lastSegment: call(() => graph.lastClosed()),
    segments: call((after, limit) => graph.closed(after, limit)),
    linksTo: call((id, limit) =>
      atOnce(() => {
        const best = new HighestRanked(pageRanks, limit);
        for (const ends of graph.linksTo(id)) best.add(ends);
        return best.ends.map((end) => queue.link(end));
      }),
    ),
    linksToEach: call((ids, limit) =>
      atOnce(() => {
        const best = new Map(ids.map((id) => [id, new HighestRanked(pageRanks, limit)]));
        for (const found of graph.linksToAny(new Set(ids))) {
          for (const [id, ends] of found) best.get(id)!.add(ends);
        }
        return ids.map((id) => best.get(id)!.ends.map((end) => queue.link(end)));
      }),
    ),
    linksFrom: call((id) =>
      atOnce(() => {
        const seq = queue.graphSeqOf(id);
        return seq === null ? [] : graph.linksFrom(id, seq).map((end) => queue.link(end));
      }),
    ),
    redirectsTo: call((id, limit) => queue.redirectsTo(id, limit)),
    waiting: call((ids) => ids.map((id) => queue.waiting(id)).filter((record) => record !== null)),
    waitingAfter: call((after, limit) => queue.waitingAfter(after, limit)),
    rerank: call((ranks) => write(() => committer.rerank(ranks), 0)),
    setPageRanks: call((ranks) => write(() => pageRanks.write(ranks), 0)),
    pageRanks: call((ids) => pageRanks.of(ids)),
    records: call((ids) => reader.records(ids)),
    lessons: call((verdicts, host) => parameters.lessons(verdicts, host ?? null)),
    dropLessons: call((nowMs) => write((tally) => parameters.dropAll(tally), nowMs)),
    hosts: call((after, limit) => reader.hostsAfter(after, limit)),
    glances: call((after, limit) => overview.glances(after, limit)),
    glancesOf: call((ids) => overview.glancesOf(ids)),
    glanceHosts: call((after, limit) => overview.hosts(after, limit)),
    changesBefore: call((seq, limit) => overview.changesBefore(seq, limit)),
    lastTouches: call((limit) => overview.lastTouches(limit)),
    host: call((name) => reader.host(name)),
    template: call((host) => reader.template(host)),
    noiseEvidence: call((host) => reader.noiseEvidence(host)),
    hostsInTrouble: call((limit) => reader.hostsInTrouble(limit)),
    mirrors: call(() => reader.mirrors()),
    capturesOf: call((host, key, upToMs, limit) => reader.capturesOf(host, key, upToMs, limit)),
    async *captures(sortKey) {
      try {
        yield* reader.capturesBy(sortKey);
      } catch (error) {
        throw asStoreError(error, dir);
      }
    },
    payloads: call((limit) => reader.payloads(limit)),
    /** Empty: all files are in the archive of the data folder. */
    archivePlaces: async () => new Map(),
    archiveFiles: call(() => reader.archiveFiles()),
    forgetCaptures: call((file, from, nowMs) => {
      near.forget();
      return write((tally) => forgetCaptures(db, parts, file, from, tally), nowMs);
    }),
    superfluousCaptures: call((keep, after, limit) => atOnce(() => retention.superfluous(keep, after, limit))),
    dropCaptures: call((keep, after, limit) => write(() => retention.drop(keep, after, limit), 0)),
    wastefulFiles: call((neededShare) => write(() => moves.wasteful(neededShare), 0)),
    revisitsAlone: call((limit) => moves.revisitsAlone(limit)),
    capturesIn: call((files) => moves.capturesIn(files)),
    moveCaptures: call((move) => write(() => moves.move(move), 0)),
    payloadPlace: call((payloadDigest) => moves.payloadPlace(payloadDigest)),
    captureFacts: call((keys) => damage.facts(keys)),
    capturesWith: call((payloadDigests) => damage.capturesWith(payloadDigests)),
    sampleCaptures: call((points) => damage.sample(points)),
    tableProblems: call((limit) => damage.tableProblems(limit)),
    markDamaged: call((marks, nowMs) => {
      near.forget();
      return write((tally) => damage.mark(marks, nowMs, tally), nowMs);
    }),
    damagedCaptures: call(() => damage.count()),
    note: call((name) => reader.note(name)),
    setNote: call((name, value) => {
      const sql = 'INSERT INTO notes (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value';
      db.prepare(sql).run(name, value);
    }),
    allowDepth: call((depth, nowMs) => write((tally) => letWait(db, 'too-deep', depth, tally), nowMs)),
    letWait: call((reason, nowMs) => write((tally) => letWait(db, reason, ANY_DEPTH, tally), nowMs)),
    fillBudgets: call((patternBudget, nowMs) => write((tally) => discovery.fillBudgets(patternBudget, tally), nowMs)),
    forgetTopic: call((nowMs) => write((tally) => forgetTopic(db, reader.counts(), tally), nowMs)),
    waitingUrls: call((ids) => ids.map((id) => recovery.waiting(id)).filter((url) => url !== null)),
    admit: call((ids, nowMs) => write((tally) => ids.filter((id) => recovery.admit(id, tally)).length, nowMs)),
    addHistory: call((older, files) => write(() => recovery.addHistory(older, files), 0)),
    setArchiveFiles: call((files) => write(() => recovery.setFiles(files), 0)),
    async sync() {
      try {
        await sync();
      } catch (error) {
        throw asStoreError(error, dir);
      }
    },
    close: async () => close(),
  };
}
