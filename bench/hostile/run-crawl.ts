/**
 * One measured crawl. In: the hosts to seed. Out: figures.
 *
 * What always holds: servers, log and folder are new, and the command is the one that a user would type. The flags are
 * the same in every case, so only the hosts beside the healthy host differ. A run is successful only if the server's
 * log shows every healthy page once and every bad URL ended as expected.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { orbweaverCommand } from '../../testbed/measure/built-orbweaver.ts';
import { useOfTree } from '../../testbed/measure/process-tree.ts';
import { type Command, type Measured, runCommand } from '../../testbed/measure/run-command.ts';
import { type FetchedCount, type PageTimes, readAccessLog, readPageTimes } from '../web/access-log.ts';
import type { LocalWeb } from '../web/make.ts';
import { type ServerProgram, serveWeb } from '../web/serve.ts';
import { readFates, unexpectedFates } from './fates.ts';
import { type BadHosts, serveBadHosts } from './serve-bad-hosts.ts';

/** start: only one healthy page, which measures the start cost of every crawl. */
export const CASES = ['healthy', 'both', 'hostile', 'start'] as const;
export type Case = (typeof CASES)[number];

/** Servers that never answer must time out within the run, and retries are left to a later run. */
export const SHORT_TIMES = ['--headers-timeout', '3s', '--body-timeout', '3s', '--timeout', '7s', '--patience', '0s'];
/**
 * Excludes addresses outside loopback, and the links of the page with a million links: they are known and
 * judged, but not requested.
 */
const EXCLUDED = ['--exclude', 'http://169.254.*', '--exclude', 'http://127.*/l/*'];
/** Maximum memory of a crawl with default settings beside hostile servers. The tests use the same limit. */
export const MEMORY_LIMIT_MB = 700;

export interface HostilePlace {
  readonly workFolder: string;
  readonly server: ServerProgram;
  readonly timeoutMs: number;
  readonly copies: number;
}

export interface HostileRun {
  readonly case: Case;
  readonly round: number;
  readonly wallSeconds: number;
  /** From the first to the last response of a healthy page. */
  readonly healthySeconds: number;
  /** The same time for the second half of the pages: most bad URLs have ended by then. */
  readonly laterHalfSeconds: number;
  /** From the start of the process to the last response of a healthy page. */
  readonly untilLastSeconds: number;
  readonly pagesPerSecond: number;
  readonly crawlerCpuSeconds: number;
  readonly healthyServerCpuSeconds: number;
  readonly badServerCpuSeconds: number;
  readonly peakRssMb: number;
  readonly healthyPages: number;
  readonly badUrls: number;
  /** One sentence for each bad URL with an unexpected result. */
  readonly unexpected: readonly string[];
  /** Undefined for a successful run. */
  readonly failure: string | undefined;
}

export function crawlCommand(seeds: readonly string[], folder: string, onlyStart: boolean): Command {
  const limit = onlyStart ? ['--limit', '1'] : [];
  return orbweaverCommand(['crawl', ...seeds, '--dir', folder, ...SHORT_TIMES, ...EXCLUDED, ...limit, '--json']);
}

export async function runCrawl(place: HostilePlace, web: LocalWeb, which: Case, round: number): Promise<HostileRun> {
  const folder = join(place.workFolder, 'run', 'hostile');
  const logPath = join(place.workFolder, 'server', 'requests.log');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const isHostile = which === 'both' || which === 'hostile';
  const bad = isHostile ? await serveBadHosts(place.copies) : null;
  try {
    const server = await serveWeb(place.server, web, join(place.workFolder, 'server'), logPath);
    let measured: Measured;
    let healthyServerCpuSeconds: number;
    const startedAtMs = Date.now();
    try {
      measured = await runCommand(crawlCommand(seedsOf(which, web, bad), folder, which === 'start'), place.timeoutMs);
      healthyServerCpuSeconds = useOfTree(server.pid).cpuSeconds;
    } finally {
      await server.stop();
    }
    const fetched = await readAccessLog(logPath, web.plan);
    const times = await readPageTimes(logPath, web.plan);
    const unexpected = bad === null ? [] : unexpectedFates(bad.urls, await readFates(folder));
    const healthySeconds = secondsBetween(times?.firstAtMs, times);
    const failures = [measured.failure, ...complaints(which, fetched, web, unexpected, measured.peakRssMb)];
    const failure = failures.filter((each) => each !== undefined).join('; ');
    return {
      case: which,
      round,
      wallSeconds: measured.wallSeconds,
      healthySeconds,
      laterHalfSeconds: secondsBetween(times?.halfAtMs, times),
      untilLastSeconds: secondsBetween(startedAtMs, times),
      pagesPerSecond: healthySeconds === 0 ? 0 : fetched.distinctPages / healthySeconds,
      crawlerCpuSeconds: measured.cpuSeconds,
      healthyServerCpuSeconds,
      badServerCpuSeconds: bad?.cpuSeconds() ?? 0,
      peakRssMb: measured.peakRssMb,
      healthyPages: fetched.distinctPages,
      badUrls: bad?.urls.length ?? 0,
      unexpected,
      failure: failure === '' ? undefined : failure,
    };
  } finally {
    await bad?.stop();
    // Removed at once, so that the system does not write the folder back to the disk during the next run.
    await rm(folder, { recursive: true, force: true });
  }
}

function seedsOf(which: Case, web: LocalWeb, bad: BadHosts | null): string[] {
  const badUrls = bad?.urls.map(({ url }) => url) ?? [];
  return which === 'hostile' ? badUrls : [...badUrls, web.plan.seedUrl];
}

function secondsBetween(fromMs: number | undefined, times: PageTimes | null): number {
  return fromMs === undefined || times === null ? 0 : (times.lastAtMs - fromMs) / 1000;
}

function complaints(
  which: Case,
  fetched: FetchedCount,
  web: LocalWeb,
  unexpected: readonly string[],
  peakRssMb: number,
): string[] {
  const pages = { healthy: web.plan.shape.pages, both: web.plan.shape.pages, hostile: 0, start: 1 }[which];
  const found: string[] = [];
  if (fetched.distinctPages !== pages) found.push(`fetched ${fetched.distinctPages} healthy pages instead of ${pages}`);
  if (fetched.repeatedPages > 0) found.push(`fetched ${fetched.repeatedPages} healthy pages more than once`);
  if (fetched.failures > 0) found.push(`${fetched.failures} requests to the healthy host were not answered with 200`);
  if (unexpected.length > 0) found.push(`${unexpected.length} bad URLs did not end as they have to`);
  if (peakRssMb > MEMORY_LIMIT_MB) found.push(`took ${peakRssMb.toFixed(0)} MB, more than ${MEMORY_LIMIT_MB}`);
  return found;
}
