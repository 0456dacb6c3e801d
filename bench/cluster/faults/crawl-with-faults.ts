/**
 * Runs one crawl with many faults. In: a size. Out: the observations of the web and of the store.
 *
 * What always holds: a killed worker is started again under its name, as a supervisor would do. A frozen worker
 * continues after its lease has expired. The benchmark does not help the other workers. The crawl must end by itself,
 * and all workers must exit normally.
 */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import postgres from 'postgres';
import { ManyHosts } from '../many-hosts.ts';
import { type CrawlPlace, dropCrawl, planCrawl } from '../plan-crawl.ts';
import { RunningWeb } from '../running-web.ts';
import { countPages, type WebRequest } from '../web-log.ts';
import { type ClusterCrawl, WorkerProcess } from '../worker-process.ts';
import { type CopyReport, readCopy } from './copy-check.ts';
import { type DueFault, FAULTS, type Fault, scheduleFaults } from './fault-schedule.ts';
import type { FaultSize } from './fault-sizes.ts';

const LOOK_EVERY_MS = 50;
/** A frozen worker continues after this many leases: by then other workers have claimed its hosts. */
const FROZEN_LEASES = 2;
const SHIFTED_CLOCK = pathToFileURL(join(import.meta.dirname, 'shifted-clock.ts')).href;

export interface FaultRun {
  readonly size: FaultSize;
  readonly seconds: number;
  /** Number of faults of each kind that really happened. */
  readonly faults: Readonly<Record<Fault, number>>;
  readonly requests: readonly WebRequest[];
  readonly copy: CopyReport;
  /** The last message of each worker that did not exit normally, or a note that the crawl took too long. */
  readonly complaints: readonly string[];
}

export async function crawlWithFaults(
  place: CrawlPlace,
  size: FaultSize,
  report: (text: string) => void,
): Promise<FaultRun> {
  const web = await RunningWeb.start(size.shape);
  try {
    const { perHost, delayMs } = size.manners;
    const plan = new ManyHosts(size.shape);
    const flags = ['--delay', `${delayMs}ms`, '--per-host', String(perHost)];
    const database = `faults_${size.shape.port}`;
    const crawl = await planCrawl(place, database, [plan.seedUrl], flags);
    const run = new FaultyCrawl(place, crawl, database, size, web, report);
    try {
      const startedAt = performance.now();
      await run.toTheEnd();
      const seconds = (performance.now() - startedAt) / 1000;
      const copy = await readCopy(crawl, plan);
      return { size, seconds, faults: run.happened, requests: run.requests, copy, complaints: run.complaints };
    } finally {
      await run.stop();
      await dropCrawl(place, database, crawl);
    }
  } finally {
    await web.stop();
  }
}

class FaultyCrawl {
  readonly requests: WebRequest[] = [];
  readonly complaints: string[] = [];
  readonly happened = Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as Record<Fault, number>;
  readonly #place: CrawlPlace;
  readonly #crawl: ClusterCrawl;
  readonly #database: string;
  readonly #size: FaultSize;
  readonly #web: RunningWeb;
  readonly #report: (text: string) => void;
  readonly #due: DueFault[];
  #workers: WorkerProcess[];
  readonly #frozen = new Map<WorkerProcess, number>();

  constructor(
    place: CrawlPlace,
    crawl: ClusterCrawl,
    database: string,
    size: FaultSize,
    web: RunningWeb,
    report: (text: string) => void,
  ) {
    this.#place = place;
    this.#crawl = crawl;
    this.#database = database;
    this.#size = size;
    this.#web = web;
    this.#report = report;
    this.#due = scheduleFaults(size.faults, size.shape.pages, size.seed);
    this.#workers = Array.from({ length: size.workers }, (_, number) => this.#start(number));
  }

  async toTheEnd(): Promise<void> {
    const deadline = performance.now() + this.#size.timeoutMs;
    while (this.#workers.some((worker) => worker.isRunning)) {
      if (performance.now() > deadline) {
        const said = this.#workers
          .filter((worker) => worker.isRunning)
          .map(({ name, lastLine }) => `${name}: ${lastLine}`);
        this.complaints.push(`the crawl took longer than ${this.#size.timeoutMs / 1000} s (${said.join('; ')})`);
        return;
      }
      await sleep(LOOK_EVERY_MS);
      this.requests.push(...(await this.#web.takeRequests()));
      this.#thaw();
      const { distinctPages } = countPages(this.requests);
      while (this.#due[0] !== undefined && this.#due[0].atPages <= distinctPages)
        await this.#happen(this.#due.shift()!);
    }
    this.requests.push(...(await this.#web.takeRequests()));
    for (const worker of this.#workers) {
      const code = await worker.ended;
      if (code !== 0) this.complaints.push(`${worker.name} left with ${code}: ${worker.lastLine}`);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
  }

  /** The last worker has the wrong clock, also after it was killed and started again. */
  #start(number: number): WorkerProcess {
    const { leaseMs, workers, clockShiftMs } = this.#size;
    const isShifted = number === workers - 1;
    const env: Record<string, string> = isShifted
      ? { NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`, BENCH_CLOCK_SHIFT_MS: String(clockShiftMs) }
      : {};
    const flags = ['--units', '1', '--lease', `${leaseMs}ms`];
    return new WorkerProcess(this.#crawl, { name: `w${number + 1}`, flags, env });
  }

  #thaw(): void {
    for (const [worker, untilMs] of this.#frozen) {
      if (performance.now() < untilMs) continue;
      worker.signal('SIGCONT');
      this.#frozen.delete(worker);
    }
  }

  async #happen({ fault, atPages, lot }: DueFault): Promise<void> {
    const awake = this.#workers.filter((worker) => worker.isRunning && !this.#frozen.has(worker));
    const chosen = awake[Math.floor(lot * awake.length)];
    this.#report(`${atPages} pages: ${fault}${fault === 'kill' || fault === 'freeze' ? ` ${chosen?.name}` : ''}`);
    const { server } = this.#place;
    if (fault === 'restart') await server.restart();
    else if (fault === 'crash') {
      await server.kill();
      await server.start();
    } else if (fault === 'cut') await this.#cutConnections();
    else if (chosen === undefined) return;
    else if (fault === 'freeze') {
      chosen.signal('SIGSTOP');
      this.#frozen.set(chosen, performance.now() + FROZEN_LEASES * this.#size.leaseMs);
    } else {
      const number = this.#workers.indexOf(chosen);
      await chosen.stop();
      this.#workers = this.#workers.with(number, this.#start(number));
    }
    this.happened[fault]++;
  }

  async #cutConnections(): Promise<void> {
    const sql = postgres(this.#place.server.adminUrl(), { max: 1, fetch_types: false });
    try {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${this.#database}`;
    } finally {
      await sql.end();
    }
  }
}
