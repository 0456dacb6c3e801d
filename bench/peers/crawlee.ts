/** Crawlee's CheerioCrawler, the HTTP crawler of the Node world, in its own package folder. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Crawler } from './crawler.ts';
import { install } from './install.ts';

const VERSION = '3.18.1';
const SOURCES = join(import.meta.dirname, 'crawlee');

export const crawlee: Crawler = {
  name: 'crawlee',
  slow: true,
  stores: 'nothing',
  async prepare(workFolder, report) {
    const folder = join(workFolder, 'crawlee');
    const failure = await install(
      {
        folder,
        sources: [
          [join(SOURCES, 'package.json'), 'package.json'],
          [join(SOURCES, 'crawl.mjs'), 'crawl.mjs'],
        ],
        steps: [['npm', 'install', '--no-audit', '--no-fund', '--save-exact', `@crawlee/cheerio@${VERSION}`]],
      },
      report,
    );
    if (failure !== undefined) return { ready: false, reason: failure };
    const installed = await readFile(join(folder, 'node_modules', '@crawlee', 'cheerio', 'package.json'), 'utf8');
    return { ready: true, version: `${JSON.parse(installed).version} on Node ${process.version}` };
  },
  command({ plan, folder }, workFolder) {
    const script = join(workFolder, 'crawlee', 'crawl.mjs');
    const strategy = plan.hosts.length > 1 ? 'all' : 'same-hostname';
    return { program: process.execPath, args: [script, plan.seedUrl, strategy], cwd: folder };
  },
};
