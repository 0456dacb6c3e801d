/**
 * Measures the cost of a page in PostgreSQL. In: a number of known URLs. Out: CPU time, bytes of the write-ahead log
 * and rows per page.
 *
 * The benchmark calls the store as the controller does: claims, commits of 64 pages, and counting links. Nothing
 * is fetched and no other client is connected, so all work of the server is for these pages. What always holds:
 * rounds alternate between the sizes. Before each round the tables are vacuumed and a checkpoint is made, so that
 * no round pays for another round. The cost of a page includes counting its links, also when the count is due
 * only after the round.
 */
import postgres from 'postgres';
import type { HostLease, Store, UrlResult } from '../../src/store/contract.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { PostgresServer } from '../../testbed/servers/postgres-server.ts';
import { CRAWL_NAME, fillTables, settleTables } from './cost-fill.ts';
import { type TableSize, tableSizes } from './cost-sizes.ts';
import { CostWeb } from './cost-web.ts';

const HOSTS = 1_000;
const OWNER = 'bench#1';
const LEASE_MS = 3_600_000;
const PAGES_A_COMMIT = 64;
/**
 * The hosts that a worker has at the same time. Each host gives the URLs of one claim, and then the same number again.
 */
const LIVE_HOSTS = 32;
const URLS_A_HOST = 20;
/** A worker claims one or two hosts whenever it has finished as many. */
const HOSTS_A_CLAIM = 2;
/**
 * Warm-up before the measurement: a new session makes query plans and reads catalogues, which a crawl does only once.
 */
const WARM_UP_PAGES = 5_120;
const NEAR_DUPLICATE = 0.8;

export interface CostRun {
  readonly known: number;
  readonly round: number;
  readonly pages: number;
  readonly serverCpuMsPerPage: number;
  readonly walBytesPerPage: number;
  /**
   * The part of the log that holds whole blocks of tables and indexes. PostgreSQL writes a whole block at its first
   * change after a checkpoint.
   */
  readonly wholeBlockBytesPerPage: number;
  readonly rowsWrittenPerPage: number;
  readonly rowsReadPerPage: number;
  readonly transactionsPerPage: number;
  /** Measured from the first claim to the last receipt. */
  readonly wallMsPerPage: number;
  /** Bytes of all tables and indexes. */
  readonly databaseBytes: number;
}

type WorkedHost = Pick<HostLease, 'hostId' | 'urls'>;

interface ServerUse {
  readonly cpuMs: number;
  readonly walBytes: number;
}

interface Committed {
  /** Pages that were committed. */
  readonly done: number;
  readonly uncountedLinks: number;
}

export class CostBench {
  readonly #server: PostgresServer;
  readonly #seed: number;
  readonly #known: number;

  private constructor(server: PostgresServer, known: number, seed: number) {
    this.#server = server;
    this.#known = known;
    this.#seed = seed;
  }

  static async prepare(server: PostgresServer, known: number, seed: number): Promise<CostBench> {
    const bench = new CostBench(server, known, seed);
    await server.dropDatabase(bench.#database);
    await server.createDatabase(bench.#database);
    await (await bench.#open()).close();
    await fillTables(server.url(bench.#database), HOSTS, Math.floor(known / HOSTS));
    return bench;
  }

  async run(round: number, pages: number): Promise<CostRun> {
    await settleTables(this.#server.adminUrl(this.#database));
    const web = new CostWeb(this.#known, HOSTS, this.#seed, round);
    const rowsBefore = await this.#rows();
    const store = await this.#open();
    try {
      const { done: warmedUp } = await commitPages(store, web, WARM_UP_PAGES);
      await store.countLinks(false);
      const before = await this.#use();
      const startedAt = performance.now();
      const { done, uncountedLinks } = await commitPages(store, web, pages);
      const wallMsPerPage = (performance.now() - startedAt) / done;
      const committed = await this.#use();
      await store.countLinks(false);
      const after = await this.#use();
      // One count writes each block once, however many links lead there. In a real crawl these links would be counted
      // together with others, so only a share of the cost is theirs.
      const share = Math.min(1, uncountedLinks / store.mostUncountedLinks);
      const aPage = (useOf: (use: ServerUse) => number) =>
        (useOf(committed) - useOf(before) + share * (useOf(after) - useOf(committed))) / done;
      // A session reports its row statistics when it ends, at the latest.
      await store.close();
      const rows = await this.#rows();
      const rowsAPage = (name: 'written' | 'read' | 'transactions') =>
        (rows[name] - rowsBefore[name]) / (warmedUp + done);
      return {
        known: this.#known,
        round,
        pages: done,
        serverCpuMsPerPage: aPage(({ cpuMs }) => cpuMs),
        walBytesPerPage: aPage(({ walBytes }) => walBytes),
        wholeBlockBytesPerPage: (await this.#wholeBlockBytes(before.walBytes, committed.walBytes)) / done,
        rowsWrittenPerPage: rowsAPage('written'),
        rowsReadPerPage: rowsAPage('read'),
        transactionsPerPage: rowsAPage('transactions'),
        wallMsPerPage,
        databaseBytes: rows.bytes,
      };
    } finally {
      await store.close();
    }
  }

  /** The sizes after the last round. */
  async sizes(): Promise<readonly TableSize[]> {
    await settleTables(this.#server.adminUrl(this.#database));
    return tableSizes(this.#server.adminUrl(this.#database));
  }

  async close(): Promise<void> {
    await this.#server.dropDatabase(this.#database);
  }

  get #database(): string {
    return `cost_${this.#known}`;
  }

  #open() {
    return openPostgresStore({ address: this.#server.url(this.#database), name: CRAWL_NAME, process: OWNER });
  }

  async #use(): Promise<ServerUse> {
    return { cpuMs: this.#server.cpuMs(), walBytes: await this.#server.walBytes() };
  }

  async #rows() {
    const sql = postgres(this.#server.adminUrl(this.#database), { max: 1, fetch_types: false });
    try {
      const [row] = await sql.unsafe<Record<'written' | 'read' | 'transactions' | 'bytes', number>[]>(
        `select (tup_inserted + tup_updated + tup_deleted)::float8 as written, tup_fetched::float8 as read,
           xact_commit::float8 as transactions, pg_database_size(datname)::float8 as bytes
         from pg_stat_database where datname = current_database()`,
      );
      return row!;
    } finally {
      await sql.end();
    }
  }

  /** PostgreSQL itself reads its log for this figure. */
  async #wholeBlockBytes(fromBytes: number, toBytes: number): Promise<number> {
    const sql = postgres(this.#server.adminUrl(this.#database), { max: 1, fetch_types: false, onnotice: () => {} });
    try {
      await sql.unsafe('create extension if not exists pg_walinspect');
      const [row] = await sql.unsafe<{ bytes: number }[]>(
        `select sum(fpi_size)::float8 as bytes
         from pg_get_wal_stats('0/0'::pg_lsn + $1::numeric, '0/0'::pg_lsn + $2::numeric, false)`,
        [fromBytes, toBytes],
      );
      return row!.bytes;
    } finally {
      await sql.end();
    }
  }
}

async function commitPages(store: Store, web: CostWeb, pages: number): Promise<Committed> {
  let done = 0;
  let uncountedLinks = 0;
  const commitAll = async (hosts: readonly WorkedHost[]): Promise<void> => {
    for (const batch of batchesOf(hosts, web)) {
      uncountedLinks = await commitBatch(store, web, batch);
      done += batch.length;
    }
  };
  while (done < pages) {
    const leases = await claimHosts(store);
    await commitAll(leases);
    const more = leases.map(async ({ hostId }) => ({
      hostId,
      urls: await store.claimMore(hostId, { limit: URLS_A_HOST, besides: new Set(), nowMs: Date.now() }),
    }));
    await commitAll(await Promise.all(more));
    for (let from = 0; from < LIVE_HOSTS; from += HOSTS_A_CLAIM) {
      const ids = leases.slice(from, from + HOSTS_A_CLAIM).map(({ hostId }) => hostId);
      await store.release(OWNER, ids, Date.now());
    }
  }
  return { done, uncountedLinks };
}

async function claimHosts(store: Store): Promise<readonly WorkedHost[]> {
  const leases: HostLease[] = [];
  while (leases.length < LIVE_HOSTS) {
    const request = { owner: OWNER, hosts: HOSTS_A_CLAIM, urlsPerHost: URLS_A_HOST };
    const claimed = await store.claim({ ...request, nowMs: Date.now(), leaseMs: LEASE_MS });
    if (claimed.length === 0) throw new Error('there is nothing more to claim');
    leases.push(...claimed);
  }
  return leases;
}

/** Each batch takes a few URLs of every host, as the responses of a crawl arrive. */
function* batchesOf(leases: readonly WorkedHost[], web: CostWeb): Iterable<readonly UrlResult[]> {
  const aHost = PAGES_A_COMMIT / LIVE_HOSTS;
  for (let from = 0; from < URLS_A_HOST; from += aHost) {
    const batch = leases.flatMap(({ hostId, urls }) =>
      urls.slice(from, from + aHost).map((url) => web.resultOf(hostId, url)),
    );
    if (batch.length > 0) yield batch;
  }
}

/** Returns the number of links that are not counted yet. */
async function commitBatch(store: Store, web: CostWeb, results: readonly UrlResult[]): Promise<number> {
  const nowMs = Date.now();
  const manners = { askedAtMs: nowMs, delayMs: 0, blockedUntilMs: 0 };
  const hostIds = new Set(results.map(({ hostId }) => hostId));
  const lastOffset = results.at(-1)!.capture!.offset;
  const receipt = await store.commit({
    owner: OWNER,
    nowMs,
    results,
    hosts: Array.from(hostIds, (hostId) => ({ hostId, manners })),
    found: [],
    archive: new Map([['bench-00001.warc.gz', lastOffset]]),
    patternBudget: 10_000,
    ranks: [],
    learnParameters: true,
    nearDuplicate: NEAR_DUPLICATE,
  });
  const refused = receipt.states.filter((state) => state === null).length;
  if (refused > 0) throw new Error(`${refused} of ${results.length} results were refused`);
  web.learn(results, receipt);
  if (receipt.uncountedLinks < store.mostUncountedLinks) return receipt.uncountedLinks;
  await store.countLinks(false);
  return 0;
}
