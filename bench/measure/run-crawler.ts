/**
 * One run of one crawler on one web: server up, crawl, server down, count what the server sent.
 *
 * What always holds: every run has a fresh server, a fresh log and an empty folder, and a run counts as good only if the
 * crawler left as it should and the server's log shows every page of the web.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Crawler } from '../peers/crawler.ts';
import { type FetchedCount, readAccessLog } from '../web/access-log.ts';
import type { LocalWeb } from '../web/make.ts';
import { type ServerProgram, serveWeb } from '../web/serve.ts';
import { runCommand } from './run-command.ts';

export interface RunResult extends FetchedCount {
  readonly crawler: string;
  readonly round: number;
  readonly pagesAsked: number;
  readonly wallSeconds: number;
  readonly pagesPerSecond: number;
  readonly cpuSeconds: number;
  readonly cpuMsPerPage: number;
  readonly peakRssMb: number;
  /** Undefined for a good run. */
  readonly failure: string | undefined;
  /** What the crawler says of itself, where that is JSON. */
  readonly ownCount: unknown;
}

export interface RunPlace {
  readonly workFolder: string;
  readonly server: ServerProgram;
  readonly timeoutMs: number;
  /** As if the server were so far away; at once where it is not given. */
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
  // Removed at once, so that writing it back to disk does not burden the next crawler.
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

/** What a crawler printed last, where that is JSON. */
export function lastJsonLine(stdout: string): unknown {
  const text = stdout.trim();
  for (const candidate of [text, text.slice(text.lastIndexOf('\n') + 1)]) {
    try {
      return JSON.parse(candidate);
    } catch {
      // Not this one.
    }
  }
  return undefined;
}
