/** A web of nginx that is faster than a crawl, and crawls of it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { makeWeb } from '../../bench/web/make.ts';
import { findServerProgram, serveWeb } from '../../bench/web/serve.ts';
import { MAIN } from '../../test/setup/built-program.ts';
import type { ProofContext } from '../proof.ts';

export interface FastWeb {
  readonly seed: string;
  close(): Promise<void>;
}

export async function startFastWeb({ workFolder, report }: ProofContext, pages: number): Promise<FastWeb> {
  const web = await makeWeb(join(workFolder, 'webs'), { seed: 1, pages, hosts: 1 }, report);
  const program = await findServerProgram(report);
  const server = await serveWeb(program, web, join(workFolder, 'nginx'), join(workFolder, 'access.log'));
  return { seed: web.plan.seedUrl, close: () => server.stop() };
}

export interface FinishedCrawl {
  readonly pages: number;
  readonly pagesPerSecond: number;
}

export interface RunningCrawl {
  readonly ended: Promise<FinishedCrawl>;
  stop(): void;
}

export async function startCrawl(seed: string, dir: string): Promise<RunningCrawl> {
  await rm(dir, { recursive: true, force: true });
  const words = ['crawl', seed, '--dir', dir, '--json'];
  const child = spawn(process.execPath, ['--max-semi-space-size=2', MAIN, ...words], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const finished = async (): Promise<FinishedCrawl> => {
    const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    const { pages, pagesPerSecond } = JSON.parse(output.trim().split('\n').at(-1)!) as FinishedCrawl;
    return { pages, pagesPerSecond };
  };
  return { ended: finished(), stop: () => void child.kill('SIGINT') };
}
