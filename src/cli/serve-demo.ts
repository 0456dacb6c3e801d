/**
 * Serves the demo web for a command: on free ports for a new crawl, and under its former addresses for a later command
 * on the same folder. The code of the demo is imported only here: most commands need no HTTP server.
 */
import { OrbweaverError } from '../core/errors.ts';
import type { OptionSource } from '../core/options/option-table.ts';
import { demoSeeds } from '../crawl/earlier-runs.ts';
import { hasDatabase, withStoreAt } from '../crawl/place/open-store.ts';
import type { DemoWeb } from '../demo/demo-web.ts';
import { say } from './log.ts';

/** The demo web is not mixed with crawls of the user, who will use the default folder for those. */
export const DEMO_DIR = 'orbweaver-demo';

/** The demo is one web on several hosts. It should show retries and delays without making the user wait for them. */
export const DEMO_RULES: OptionSource = {
  from: 'demo web',
  given: { scope: 'any', patience: '3s', patternBudget: 15 },
};

/** The seeds of the demo web, if the folder has its copy. */
export async function demoSeedsIn(dir: string): Promise<readonly string[] | null> {
  if (!hasDatabase(dir)) return null;
  return withStoreAt(dir, demoSeeds).catch((error: unknown) => {
    // An unfinished or older database is no copy of the demo web. The run completes or converts it, or says why not.
    if (error instanceof OrbweaverError) return null;
    throw error;
  });
}

export async function serveDemo(dir: string): Promise<DemoWeb> {
  const demo = await (await import('../demo/demo-web.ts')).startDemoWeb();
  say(`No URL given: crawling the demo web at ${demo.seeds[0]} into ${dir}`);
  return demo;
}

/** Serves the demo web at the addresses of its seeds, so that all its URLs are the same as before. */
export async function serveDemoAgain(seeds: readonly string[]): Promise<DemoWeb> {
  try {
    return await (await import('../demo/demo-web.ts')).startDemoWeb(seeds);
  } catch (error) {
    const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
    const why = code === 'EADDRINUSE' ? 'another program uses this port' : (error as Error).message;
    throw new OrbweaverError(
      'ERR_DEMO_ADDRESS',
      `this is the copy of the demo web, which was at ${address}:${port} and cannot be served there again: ${why}; ` +
        'stop that program, or remove the folder and crawl the demo web again: orbweaver crawl',
      { cause: error },
    );
  }
}
