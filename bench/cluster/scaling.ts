/**
 * Measures the pages per second of several workers with the same bandwidth each. In: a number of workers. Out: the
 * figures of one crawl.
 *
 * What always holds: every crawl has the same web, a new database and new folders. It ends by itself when everything is
 * fetched. The web counts the fetched pages. The CPU time of all programs is recorded, because workers, PostgreSQL and
 * the web share one machine here, which they would not do in production.
 */
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ManyHosts } from './many-hosts.ts';
import { type CrawlPlace, dropCrawl, planCrawl } from './plan-crawl.ts';
import type { Limits, PrivateNetwork } from './private-network.ts';
import type { RunningWeb } from './running-web.ts';
import { breachesOf, countPages, rateOf, type WebRequest } from './web-log.ts';
import { WorkerProcess } from './worker-process.ts';

const TICKS_A_SECOND = 100;
const SAMPLE_EVERY_MS = 250;
const PER_HOST = 4;
/**
 * Flags of the crawl and of each worker. The requests that a worker has open must not be more than a few
 * seconds of its bandwidth.
 */
export const CRAWL_FLAGS = ['--delay', '0', '--per-host', String(PER_HOST)];
export const WORKER_FLAGS = ['--units', '1', '--concurrency', '32'];
/** Fifty workers must fit into one machine. A worker needs far less than this limit. */
const WORKER_ENV = { NODE_OPTIONS: '--max-old-space-size=256' };

export interface ScalingRun {
  readonly workers: number;
  readonly round: number;
  /** From the start of the first worker to the end of the last worker. */
  readonly wallSeconds: number;
  readonly pagesPerSecond: number;
  /** Speed while all workers are busy: without the first and the last tenth of the pages. */
  readonly steadyPagesPerSecond: number;
  readonly workersCpuSeconds: number;
  readonly postgresCpuSeconds: number;
  readonly webCpuSeconds: number;
  /** Busy share of all cores, from 0 to 1, by all programs. */
  readonly busyShare: number;
  readonly walBytes: number;
  /** Memory of all workers together. */
  readonly peakRssMb: number;
  readonly pages: number;
  readonly repeatedPages: number;
  /** Undefined for a successful run. */
  readonly failure: string | undefined;
}

export interface ScalingPlace extends CrawlPlace {
  readonly network: PrivateNetwork;
  readonly limits: Limits | null;
  readonly plan: ManyHosts;
  readonly web: RunningWeb;
  readonly timeoutMs: number;
}

/** One crawl, and the requests that the web received. */
export interface WatchedRun {
  readonly run: ScalingRun;
  readonly requests: readonly WebRequest[];
}

export async function runScaling(place: ScalingPlace, workers: number, round: number): Promise<WatchedRun> {
  const { server, web, plan, network } = place;
  const database = `bench_${workers}_workers`;
  const crawl = await planCrawl(place, database, plan.homes, CRAWL_FLAGS);
  const processes: WorkerProcess[] = [];
  try {
    const places = [];
    for (let number = 0; number < workers; number++) places.push(await network.addPlace(place.limits));
    await web.takeRequests();
    const before = await usedSoFar(place);
    const startedAt = performance.now();
    for (const [number, { prefix }] of places.entries()) {
      processes.push(
        new WorkerProcess(crawl, { name: `w${number + 1}`, flags: WORKER_FLAGS, prefix, env: WORKER_ENV }),
      );
    }
    const peakRssMb = await untilEnded(processes, place.timeoutMs);
    const wallSeconds = (performance.now() - startedAt) / 1000;
    const after = await usedSoFar(place);
    const requests = await web.takeRequests();
    const { distinctPages, repeatedPages } = countPages(requests);
    const failures = await complaints(processes, plan.shape.pages - distinctPages, repeatedPages);
    const breaches = breachesOf(requests, { perHost: PER_HOST, delayMs: 0 }).length;
    if (breaches > 0) failures.push(`${breaches} times more than ${PER_HOST} requests at one host`);
    const run = {
      workers,
      round,
      wallSeconds,
      pagesPerSecond: distinctPages / wallSeconds,
      steadyPagesPerSecond: rateOf(requests)?.steadyPagesPerSecond ?? 0,
      workersCpuSeconds: after.children - before.children,
      postgresCpuSeconds: after.postgres - before.postgres,
      webCpuSeconds: after.web - before.web,
      busyShare: (after.busy - before.busy) / (after.busy - before.busy + after.idle - before.idle),
      walBytes: after.walBytes - before.walBytes,
      peakRssMb,
      pages: distinctPages,
      repeatedPages,
      failure: failures.length === 0 ? undefined : failures.join('; '),
    };
    return { run, requests };
  } finally {
    await Promise.all(processes.map((each) => each.stop()));
    await network.close();
    await dropCrawl({ ...place, server }, database, crawl);
  }
}

async function usedSoFar({ server, web }: ScalingPlace) {
  const times = cpus().map((cpu) => cpu.times);
  const idle = times.reduce((sum, each) => sum + each.idle, 0);
  const busy = times.reduce((sum, each) => sum + each.user + each.nice + each.sys + each.irq, 0);
  const walBytes = await server.walBytes();
  return {
    children: endedChildrenSeconds(),
    postgres: server.cpuMs() / 1000,
    web: web.cpuSeconds,
    idle,
    busy,
    walBytes,
  };
}

/** The kernel's CPU time of ended children. It includes the work of the workers in their last moments. */
function endedChildrenSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_A_SECOND;
}

/** Returns the highest memory of all workers at the same time. */
async function untilEnded(processes: readonly WorkerProcess[], timeoutMs: number): Promise<number> {
  const deadline = performance.now() + timeoutMs;
  let peakRssMb = 0;
  while (processes.some((each) => each.isRunning) && performance.now() < deadline) {
    await Promise.race([Promise.all(processes.map((each) => each.ended)), sleep(SAMPLE_EVERY_MS)]);
    peakRssMb = Math.max(
      peakRssMb,
      processes.reduce((sum, each) => sum + each.peakRssMb, 0),
    );
  }
  return peakRssMb;
}

async function complaints(
  processes: readonly WorkerProcess[],
  missingPages: number,
  repeatedPages: number,
): Promise<string[]> {
  const found: string[] = [];
  for (const each of processes) {
    if (each.isRunning) {
      found.push(`${each.name} took too long: ${each.lastLine}`);
      continue;
    }
    const code = await each.ended;
    if (code !== 0) found.push(`${each.name} left with ${code}: ${each.lastLine}`);
  }
  if (missingPages > 0) found.push(`${missingPages} pages were not fetched`);
  if (repeatedPages > 0) found.push(`${repeatedPages} pages were fetched more than once`);
  return found;
}
