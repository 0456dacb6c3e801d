/**
 * The engine of a cluster: the tables of one crawl in a PostgreSQL
 * database, which any number of processes read and write.
 *
 * The partner for SQLite is store/sqlite/sqlite-store.ts; the shared contract test is test/store/contract.ts.
 */
import { OrbweaverError } from '../../core/errors.ts';
import type { Cluster, HostSharing } from '../cluster.ts';
import type { Store } from '../contract.ts';
import { CaptureCalls } from './captures/captures.ts';
import { FollowerCalls } from './changes/followers.ts';
import { WatcherCalls } from './changes/watchers.ts';
import { settleCanonicals } from './commit/canonicals.ts';
import { Committer } from './commit/commit.ts';
import { parseAddress, type StoreAddress } from './connection/address.ts';
import { Database } from './connection/database.ts';
import { keepEndingFrozen } from './connection/frozen-clients.ts';
import { SCHEMA_PREFIX } from './connection/open.ts';
import { Known } from './discovery/frontier-calls.ts';
import { Engine } from './engine.ts';
import { joinNowAndThen, MOST_UNCOUNTED_LINKS } from './graph/count-links.ts';
import { GraphCalls } from './graph/graph-calls.ts';
import { Claims } from './leases/claim.ts';
import { QueueCalls } from './leases/read-queue.ts';
import { PostgresCluster } from './leases/worker-registry.ts';
import { layoutVersion, migrate, refuseNewer } from './migrate.ts';
import { OverviewCalls } from './overview.ts';
import { Reader } from './read.ts';
import { VisitCalls } from './read-visits.ts';
import { LAYOUT_VERSION } from './schema.ts';

export interface PostgresRequest {
  readonly address: StoreAddress | string;
  /** The name of the crawl. */
  readonly name: string;
  /** The name of this process, as other workers see it. */
  readonly process: string;
  /** The key that decides the place of a host on the ring of workers; by default its name. */
  readonly ringKeyOf?: (host: string) => Promise<string>;
  /** Called when the server cannot be reached and is waited for, and, with null, when it can be reached again. */
  readonly onTrouble?: (error: Error | null) => void;
}

/** Opens a crawl to work on it. A missing crawl is created. */
export function openPostgresStore(request: PostgresRequest): Promise<PostgresStore> {
  return openAfter(request, migrate);
}

/** Opens an existing crawl only to read it. */
export function readPostgresStore(request: PostgresRequest): Promise<PostgresStore> {
  return openAfter(request, async (db) => {
    const version = await layoutVersion(db);
    refuseNewer(version, db);
    refuseOlder(version, request);
  });
}

async function openAfter(request: PostgresRequest, check: (db: Database) => Promise<void>): Promise<PostgresStore> {
  const db = databaseOf(request);
  try {
    await check(db);
    return new PostgresStore(new Engine(db, request.process, request.ringKeyOf));
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** Opens the shared state of the workers, over separate connections. The crawl must exist. */
export function openPostgresCluster(request: PostgresRequest): {
  readonly cluster: Cluster;
  readonly close: () => Promise<void>;
} {
  // The store already reports trouble with the server.
  const { onTrouble: _, ...quiet } = request;
  const db = databaseOf(quiet);
  const cluster = new PostgresCluster(db);
  const endWatch = keepEndingFrozen(db);
  const close = (): Promise<void> => {
    endWatch();
    return db.close();
  };
  return { cluster, close };
}

function databaseOf({ address, name, onTrouble = () => {} }: PostgresRequest): Database {
  const db = new Database(typeof address === 'string' ? parseAddress(address) : address, schemaOf(name));
  db.onTrouble = onTrouble;
  return db;
}

/** The schema name in quotes, since the name of a crawl may contain a dash. */
export function schemaOf(name: string): string {
  return `"${SCHEMA_PREFIX}${name}"`;
}

/** A reader changes nothing, and certainly not the schema. */
function refuseOlder(version: number, { name }: PostgresRequest): void {
  if (version >= LAYOUT_VERSION) return;
  const line = `the crawl ${name} has an older layout; run "orbweaver crawl --name ${name}" with its --store once to bring it up to date`;
  throw new OrbweaverError('ERR_STORE', line);
}

export class PostgresStore implements Store {
  readonly sharing: HostSharing;
  /** The shared state of the workers. */
  readonly cluster: Cluster;
  readonly #engine: Engine;
  readonly #known: Known;
  readonly #watchers: WatcherCalls;
  readonly #followers: FollowerCalls;
  readonly #queue: QueueCalls;
  readonly #visits: VisitCalls;
  readonly #graph: GraphCalls;
  readonly #reader: Reader;
  readonly #overview: OverviewCalls;
  readonly #captures: CaptureCalls;
  readonly #claims: Claims;
  readonly #committer: Committer;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.cluster = new PostgresCluster(engine.db);
    const { db, discovery, memory, slot } = engine;
    this.#claims = new Claims(db);
    this.sharing = this.#claims.shares;
    this.#committer = new Committer(db, discovery, memory, slot);
    this.#known = new Known(engine);
    this.#watchers = new WatcherCalls(engine);
    this.#followers = new FollowerCalls(db);
    this.#queue = new QueueCalls(engine);
    this.#visits = new VisitCalls(engine);
    this.#graph = new GraphCalls(engine);
    this.#reader = new Reader(engine);
    this.#overview = new OverviewCalls(db);
    this.#captures = new CaptureCalls(engine);
  }

  readonly seed: Store['seed'] = (...given) => this.#known.seed(...given);
  readonly claim: Store['claim'] = (...given) => this.#claims.claim(...given);
  readonly claimMore: Store['claimMore'] = (...given) => this.#claims.claimMore(...given);
  readonly commit: Store['commit'] = async (batch) => {
    const receipt = await this.#committer.commit(batch);
    await joinNowAndThen(this.#engine);
    return receipt;
  };
  readonly settleCanonicals: Store['settleCanonicals'] = (nowMs) => settleCanonicals(this.#engine, nowMs);
  readonly visits: Store['visits'] = (...given) => this.#visits.visits(...given);
  readonly lease: Store['lease'] = (...given) => this.#claims.lease(...given);
  readonly revisits: Store['revisits'] = (...given) => this.#visits.revisits(...given);
  readonly sources: Store['sources'] = (...given) => this.#visits.sources(...given);
  readonly visitsOf: Store['visitsOf'] = (...given) => this.#visits.visitsOf(...given);
  readonly watchers: Store['watchers'] = (...given) => this.#watchers.watchers(...given);
  readonly noteWatcher: Store['noteWatcher'] = (...given) => this.#watchers.noteWatcher(...given);
  readonly marks: Store['marks'] = (...given) => this.#watchers.marks(...given);
  readonly knownPages: Store['knownPages'] = (...given) => this.#watchers.knownPages(...given);
  readonly hostPages: Store['hostPages'] = (...given) => this.#watchers.hostPages(...given);
  readonly changes: Store['changes'] = (...given) => this.#visits.changes(...given);
  readonly changesOf: Store['changesOf'] = (...given) => this.#visits.changesOf(...given);
  readonly sharedEdits: Store['sharedEdits'] = (...given) => this.#visits.sharedEdits(...given);
  readonly lastChange: Store['lastChange'] = (...given) => this.#visits.lastChange(...given);
  readonly describeChanges: Store['describeChanges'] = (...given) => this.#visits.describeChanges(...given);
  readonly followers: Store['followers'] = (...given) => this.#followers.followers(...given);
  readonly holdFollower: Store['holdFollower'] = (...given) => this.#followers.holdFollower(...given);
  readonly moveFollower: Store['moveFollower'] = (...given) => this.#followers.moveFollower(...given);
  readonly releaseFollower: Store['releaseFollower'] = (...given) => this.#followers.releaseFollower(...given);
  readonly touches: Store['touches'] = (...given) => this.#followers.touches(...given);
  readonly lastLookMs: Store['lastLookMs'] = (...given) => this.#visits.lastLookMs(...given);
  readonly renew: Store['renew'] = (...given) => this.#claims.renew(...given);
  readonly unblock: Store['unblock'] = (...given) => this.#claims.unblock(...given);
  readonly release: Store['release'] = (...given) => this.#claims.release(...given);
  readonly nextReadyAtMs: Store['nextReadyAtMs'] = (...given) => this.#claims.nextReadyAtMs(...given);
  readonly explain: Store['explain'] = (...given) => this.#reader.explain(...given);
  readonly counts: Store['counts'] = (...given) => this.#reader.counts(...given);
  readonly records: Store['records'] = (...given) => this.#reader.records(...given);
  readonly urls: Store['urls'] = (...given) => this.#reader.urls(...given);
  readonly backlinks: Store['backlinks'] = (...given) => this.#graph.backlinks(...given);
  readonly mostUncountedLinks = MOST_UNCOUNTED_LINKS;
  readonly countLinks: Store['countLinks'] = (...given) => this.#graph.countLinks(...given);
  readonly lastSegment: Store['lastSegment'] = (...given) => this.#graph.lastSegment(...given);
  readonly segments: Store['segments'] = (...given) => this.#graph.segments(...given);
  readonly linksTo: Store['linksTo'] = (...given) => this.#graph.linksTo(...given);
  readonly linksToEach: Store['linksToEach'] = (...given) => this.#graph.linksToEach(...given);
  readonly linksFrom: Store['linksFrom'] = (...given) => this.#graph.linksFrom(...given);
  readonly redirectsTo: Store['redirectsTo'] = (...given) => this.#graph.redirectsTo(...given);
  readonly waiting: Store['waiting'] = (...given) => this.#queue.waiting(...given);
  readonly waitingAfter: Store['waitingAfter'] = (...given) => this.#queue.waitingAfter(...given);
  readonly rerank: Store['rerank'] = (...given) => this.#queue.rerank(...given);
  readonly setPageRanks: Store['setPageRanks'] = (...given) => this.#graph.setPageRanks(...given);
  readonly pageRanks: Store['pageRanks'] = (...given) => this.#graph.pageRanks(...given);
  readonly lessons: Store['lessons'] = (...given) => this.#known.lessons(...given);
  readonly dropLessons: Store['dropLessons'] = (...given) => this.#known.dropLessons(...given);
  readonly glances: Store['glances'] = (...given) => this.#overview.glances(...given);
  readonly glancesOf: Store['glancesOf'] = (...given) => this.#overview.glancesOf(...given);
  readonly glanceHosts: Store['glanceHosts'] = (...given) => this.#overview.glanceHosts(...given);
  readonly changesBefore: Store['changesBefore'] = (...given) => this.#overview.changesBefore(...given);
  readonly lastTouches: Store['lastTouches'] = (...given) => this.#overview.lastTouches(...given);
  readonly hosts: Store['hosts'] = (...given) => this.#reader.hosts(...given);
  readonly hostsInTrouble: Store['hostsInTrouble'] = (...given) => this.#reader.hostsInTrouble(...given);
  readonly host: Store['host'] = (...given) => this.#reader.host(...given);
  readonly template: Store['template'] = (...given) => this.#reader.template(...given);
  readonly noiseEvidence: Store['noiseEvidence'] = (...given) => this.#reader.noiseEvidence(...given);
  readonly mirrors: Store['mirrors'] = (...given) => this.#reader.mirrors(...given);
  readonly capturesOf: Store['capturesOf'] = (...given) => this.#captures.capturesOf(...given);
  readonly captures: Store['captures'] = (...given) => this.#captures.captures(...given);
  readonly payloads: Store['payloads'] = (...given) => this.#captures.payloads(...given);
  readonly archivePlaces: Store['archivePlaces'] = (...given) => this.#captures.archivePlaces(...given);
  readonly archiveFiles: Store['archiveFiles'] = (...given) => this.#captures.archiveFiles(...given);
  readonly forgetCaptures: Store['forgetCaptures'] = (...given) => this.#captures.forgetCaptures(...given);
  readonly superfluousCaptures: Store['superfluousCaptures'] = (...given) =>
    this.#captures.superfluousCaptures(...given);
  readonly dropCaptures: Store['dropCaptures'] = (...given) => this.#captures.dropCaptures(...given);
  readonly wastefulFiles: Store['wastefulFiles'] = (...given) => this.#captures.wastefulFiles(...given);
  readonly revisitsAlone: Store['revisitsAlone'] = (...given) => this.#captures.revisitsAlone(...given);
  readonly capturesIn: Store['capturesIn'] = (...given) => this.#captures.capturesIn(...given);
  readonly moveCaptures: Store['moveCaptures'] = (...given) => this.#captures.moveCaptures(...given);
  readonly payloadPlace: Store['payloadPlace'] = (...given) => this.#captures.payloadPlace(...given);
  readonly captureFacts: Store['captureFacts'] = (...given) => this.#captures.captureFacts(...given);
  readonly capturesWith: Store['capturesWith'] = (...given) => this.#captures.capturesWith(...given);
  readonly sampleCaptures: Store['sampleCaptures'] = (...given) => this.#captures.sampleCaptures(...given);
  readonly tableProblems: Store['tableProblems'] = (...given) => this.#captures.tableProblems(...given);
  readonly markDamaged: Store['markDamaged'] = (...given) => this.#captures.markDamaged(...given);
  readonly damagedCaptures: Store['damagedCaptures'] = (...given) => this.#captures.damagedCaptures(...given);
  readonly note: Store['note'] = (...given) => this.#reader.note(...given);
  readonly setNote: Store['setNote'] = (...given) => this.#reader.setNote(...given);
  readonly allowDepth: Store['allowDepth'] = (...given) => this.#known.allowDepth(...given);
  readonly letWait: Store['letWait'] = (...given) => this.#known.letWait(...given);
  readonly fillBudgets: Store['fillBudgets'] = (...given) => this.#known.fillBudgets(...given);
  readonly patternUse: Store['patternUse'] = (...given) => this.#known.patternUse(...given);
  readonly forgetTopic: Store['forgetTopic'] = (...given) => this.#known.forgetTopic(...given);

  /** Nothing to do: a commit is on the server's disk before the server answers. */
  async sync(): Promise<void> {}

  async close(): Promise<void> {
    await this.#engine.db.close();
  }
}
