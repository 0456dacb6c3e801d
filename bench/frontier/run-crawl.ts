/**
 * One measured crawl. In: a copy of a filled folder and the served pages. Out: figures.
 *
 * What always holds: the command is the one that a user would type, and the server is new. A run is successful only if
 * the server's log shows exactly the expected pages, each once, and no page that was not found.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { orbweaverCommand } from '../../testbed/measure/built-orbweaver.ts';
import { type Command, runCommand } from '../../testbed/measure/run-command.ts';
import { lastJsonLine } from '../measure/run-crawler.ts';
import { type FetchedCount, readAccessLog } from '../web/access-log.ts';
import type { LocalWeb } from '../web/make.ts';
import { type ServerProgram, serveWeb } from '../web/serve.ts';
import { copyFilled, type FilledFolder } from './fill.ts';
import type { LinkSeries } from './plan.ts';

export interface FrontierPlace {
  readonly workFolder: string;
  readonly server: ServerProgram;
  readonly timeoutMs: number;
}

export interface FrontierRun extends FetchedCount {
  readonly links: LinkSeries;
  readonly known: number;
  readonly round: number;
  readonly wallSeconds: number;
  readonly pagesPerSecond: number;
  readonly cpuMsPerPage: number;
  readonly peakRssMb: number;
  /** Undefined for a successful run. */
  readonly failure: string | undefined;
  readonly ownCount: unknown;
}

export function crawlCommand(web: LocalWeb, folder: string): Command {
  return orbweaverCommand(['crawl', web.plan.seedUrl, '--dir', folder, '--scope', 'any', '--json']);
}

/** Calls a function with a copy of the folder while the web is served, and deletes the copy afterwards. */
export async function withCopyAndServer<T>(
  place: FrontierPlace,
  filled: FilledFolder,
  web: LocalWeb,
  work: (folder: string, logPath: string, stopServer: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const folder = join(place.workFolder, 'run', 'frontier');
  const logPath = join(place.workFolder, 'server', 'requests.log');
  await copyFilled(filled, folder);
  const server = await serveWeb(place.server, web, join(place.workFolder, 'server'), logPath);
  let stopping: Promise<void> | undefined;
  const stopServer = () => {
    stopping ??= server.stop();
    return stopping;
  };
  try {
    return await work(folder, logPath, stopServer);
  } finally {
    await stopServer();
    await rm(folder, { recursive: true, force: true });
  }
}

export async function runCrawl(
  place: FrontierPlace,
  filled: FilledFolder,
  web: LocalWeb,
  links: LinkSeries,
  round: number,
): Promise<FrontierRun> {
  return withCopyAndServer(place, filled, web, async (folder, logPath, stopServer) => {
    const measured = await runCommand(crawlCommand(web, folder), place.timeoutMs);
    await stopServer();
    const fetched = await readAccessLog(logPath, web.plan);
    const failures = [measured.failure, complaintOf(fetched, web.plan.shape.pages)].filter(
      (failure) => failure !== undefined,
    );
    return {
      links,
      known: filled.known,
      round,
      wallSeconds: measured.wallSeconds,
      pagesPerSecond: fetched.distinctPages / measured.wallSeconds,
      cpuMsPerPage: (measured.cpuSeconds * 1000) / Math.max(1, fetched.distinctPages),
      peakRssMb: measured.peakRssMb,
      ...fetched,
      failure: failures.length === 0 ? undefined : failures.join('; '),
      ownCount: lastJsonLine(measured.stdout),
    };
  });
}

function complaintOf(fetched: FetchedCount, pages: number): string | undefined {
  if (fetched.failures > 0) return `${fetched.failures} requests were not answered with 200`;
  if (fetched.distinctPages !== pages) return `fetched ${fetched.distinctPages} pages instead of ${pages}`;
  if (fetched.repeatedPages > 0) return `fetched ${fetched.repeatedPages} pages more than once`;
  return undefined;
}
