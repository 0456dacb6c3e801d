/**
 * One run of one crawler on one web: start the server, crawl, stop the server, count the responses.
 *
 * What always holds: every run has a new server, a new log and an empty folder. A run is successful only if the crawler
 * exited normally and the server's log shows every page of the web.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../testbed/measure/run-command.ts';
import type { Crawler } from '../peers/crawler.ts';
import { type FetchedCount, readAccessLog } from '../web/access-log.ts';
import type { LocalWeb } from '../web/make.ts';
import { type ServerProgram, serveWeb } from '../web/serve.ts';

export interface RunResult extends FetchedCount {
  readonly crawler: string;
  readonly round: number;
  readonly pagesAsked: number;
  readonly wallSeconds: number;
  readonly pagesPerSecond: number;
  readonly cpuSeconds: number;
  readonly cpuMsPerPage: number;
  readonly peakRssMb: number;
  /** Undefined for a successful run. */
  readonly failure: string | undefined;
  /** The statistics that the crawler prints, if they are JSON. */
  readonly ownCount: unknown;
}

export interface RunPlace {
  readonly workFolder: string;
  readonly server: ServerProgram;
  readonly timeoutMs: number;
  /** Simulated latency of the server. Default: none. */
  readonly answerAfterMs?: number;
}

export async function runCrawler(crawler: Crawler, web: LocalWeb, round: number, place: RunPlace): Promise<RunResult> {
  const folder = join(place.workFolder, 'run', crawler.name);
  const logPath = join(place.workFolder, 'server', 'requests.log');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });

  const server = await serveWeb(place.server, web, join(place.workFolder, 'server'), logPath);
  const command = crawler.command({ plan: web.plan, folder }, place.workFolder);
  const measured = await runCommand(command, place.timeoutMs).finally(() => server.stop());
  const fetched = await readAccessLog(logPath, web.plan);
  // Removed at once, so that the system does not write the folder back to the disk during the next run.
  await rm(folder, { recursive: true, force: true });

  const pagesAsked = web.plan.shape.pages;
  const incomplete =
    fetched.distinctPages === pagesAsked ? undefined : `fetched ${fetched.distinctPages} of ${pagesAsked} pages`;
  const failures = [measured.failure, incomplete].filter((failure) => failure !== undefined);
  return {
    crawler: crawler.name,
    round,
    pagesAsked,
    wallSeconds: measured.wallSeconds,
    pagesPerSecond: fetched.distinctPages / measured.wallSeconds,
    cpuSeconds: measured.cpuSeconds,
    cpuMsPerPage: fetched.distinctPages === 0 ? 0 : (measured.cpuSeconds * 1000) / fetched.distinctPages,
    peakRssMb: measured.peakRssMb,
    ...fetched,
    failure: failures.length === 0 ? undefined : failures.join('; '),
    ownCount: lastJsonLine(measured.stdout),
  };
}

/** Parses the whole output of a crawler as JSON, or else its last line. */
export function lastJsonLine(stdout: string): unknown {
  const text = stdout.trim();
  for (const candidate of [text, text.slice(text.lastIndexOf('\n') + 1)]) {
    try {
      return JSON.parse(candidate);
    } catch {
      // This text is not JSON; the next candidate is tried.
    }
  }
  return undefined;
}
