/**
 * Pages a second of several workers that have the same bandwidth each: a number of workers in, figures of one crawl out.
 *
 * What always holds: every crawl has the same web, a fresh database and fresh folders; it ends by itself when all is fetched; and what
 * was fetched is counted by the web. The CPU time of everything that takes part is noted, because workers, PostgreSQL
 * and web share one machine here, as they would not in earnest.
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
/** Of the crawl, then of each worker: what one has under way must not be more than a few seconds of its bandwidth. */
export const CRAWL_FLAGS = ['--delay', '0', '--per-host', String(PER_HOST)];
export const WORKER_FLAGS = ['--units', '1', '--concurrency', '32'];
/** Fifty of them have to fit into a machine; what a worker needs is far less. */
const WORKER_ENV = { NODE_OPTIONS: '--max-old-space-size=256' };

export interface ScalingRun {
  readonly workers: number;
  readonly round: number;
  /** From the start of the first worker to the end of the last. */
  readonly wallSeconds: number;
  readonly pagesPerSecond: number;
  /** While all are at work: without the first and the last tenth of the pages. */
  readonly steadyPagesPerSecond: number;
  readonly workersCpuSeconds: number;
  readonly postgresCpuSeconds: number;
  readonly webCpuSeconds: number;
  /** Of all cores, from 0 to 1, whoever used them. */
  readonly busyShare: number;
  readonly walBytes: number;
  /** Of all workers together. */
  readonly peakRssMb: number;
  readonly pages: number;
  readonly repeatedPages: number;
  /** Undefined for a good run. */
  readonly failure: string | undefined;
}

export interface ScalingPlace extends CrawlPlace {
  readonly network: PrivateNetwork;
  readonly limits: Limits | null;
  readonly plan: ManyHosts;
  readonly web: RunningWeb;
  readonly timeoutMs: number;
}

/** One crawl, and what the web saw of it. */
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

/** The kernel's account of children that have ended: of the workers, whatever they did in their last instant included. */
function endedChildrenSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_A_SECOND;
}

/** Gives the most memory that all had at the same time. */
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
