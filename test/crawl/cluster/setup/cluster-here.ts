/** A cluster for tests: a crawl planned in its own database, and workers in this process or in their own processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { CRAWL_OPTIONS, type GivenOptions, type OptionName } from '../../../../src/core/options/options.ts';
import type { ClusterEntry } from '../../../../src/crawl/cluster/cluster-entry.ts';
import { type RunningCrawl, startCrawl } from '../../../../src/crawl/crawl.ts';
import type { CrawlSummary } from '../../../../src/crawl/crawl-summary.ts';
import { UNIT_FLAGS } from '../../../setup/built-program.ts';
import { testDatabase } from '../../../setup/postgres.ts';
import { dataFolder } from '../../stored-crawl.ts';
import { openCluster } from './open-cluster.ts';

/** So long that leases expire only when the test makes them expire. */
const LEASE_MS = 20_000;
/** For tests that wait for the end of leases. */
export const SHORT_LEASE_MS = 3_000;

/** Turns the URL of a database into the URL that workers use. */
export type WayToDatabase = (url: string) => string | Promise<string>;

export interface ClusterSetup {
  readonly way?: WayToDatabase;
  readonly leaseMs?: number;
}

export class TestCluster {
  /** The URL by which the workers reach the database. */
  readonly url: string;
  readonly databaseUrl: string;
  readonly dir: string;
  readonly leaseMs: number;
  readonly #processes: ChildProcess[] = [];
  #local: GivenOptions = {};

  private constructor(url: string, databaseUrl: string, dir: string, leaseMs: number) {
    this.url = url;
    this.databaseUrl = databaseUrl;
    this.dir = dir;
    this.leaseMs = leaseMs;
  }

  static async open(
    t: TestContext,
    { way = (url) => url, leaseMs = LEASE_MS }: ClusterSetup = {},
  ): Promise<TestCluster> {
    const databaseUrl = await testDatabase(t);
    const cluster = new TestCluster(await way(databaseUrl), databaseUrl, dataFolder(t), leaseMs);
    t.after(() => {
      for (const child of cluster.#processes) child.kill('SIGKILL');
    });
    return cluster;
  }

  entry(name: string, more: Partial<ClusterEntry> = {}): ClusterEntry {
    const archiveDir = join(this.dir, name);
    mkdirSync(archiveDir, { recursive: true });
    const worker = { name, archiveDir, leaseMs: this.leaseMs, stays: false };
    return { open: () => openCluster(this.url, name), worker, ...more };
  }

  /** Any seeds are added to the crawl. */
  crawl(seeds: readonly string[], given: GivenOptions = {}, more: Partial<ClusterEntry> = {}): RunningCrawl {
    const sources = [{ from: 'test', given }];
    return startCrawl({ dir: this.dir, seeds, sources, adds: true, cluster: this.entry('planner', more) });
  }

  /** Workers that are started afterwards get the local settings among the options: a plan does not store them. */
  async plan(seeds: readonly string[], given: GivenOptions = {}): Promise<void> {
    const isLocal = (name: string): boolean => CRAWL_OPTIONS[name as OptionName]?.kind === 'local';
    this.#local = Object.fromEntries(Object.entries(given).filter(([name]) => isLocal(name)));
    await this.crawl(seeds, given, { plansOnly: true }).summary;
  }

  /** Starts a worker in its own process. The worker reports its summary at the end. */
  start(name: string, given: GivenOptions = {}): WorkerProcess {
    const { worker } = this.entry(name);
    const child = spawn(
      process.execPath,
      [
        ...UNIT_FLAGS,
        new URL('worker-process.ts', import.meta.url).pathname,
        JSON.stringify({ worker, given: { ...this.#local, ...given } }),
      ],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, NODE_TEST_CONTEXT: undefined, TEST_STORE: this.url },
      },
    );
    this.#processes.push(child);
    let out = '';
    child.stdout!.on('data', (chunk) => (out += chunk));
    const ended = new Promise<CrawlSummary | null>((resolve) => {
      child.on('close', (code) => resolve(code === 0 ? (JSON.parse(out) as CrawlSummary) : null));
    });
    return { child, ended };
  }
}

export interface WorkerProcess {
  readonly child: ChildProcess;
  /** Null if the worker failed. */
  readonly ended: Promise<CrawlSummary | null>;
}
