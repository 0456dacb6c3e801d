/** Colly, the crawler of the Go world, built as a separate program. */
import { join } from 'node:path';
import type { Crawler } from './crawler.ts';
import { askVersion, install } from './install.ts';

const VERSION = 'v2.3.0';
const SOURCES = join(import.meta.dirname, 'colly');

export const colly: Crawler = {
  name: 'colly',
  slow: false,
  stores: 'nothing',
  async prepare(workFolder, report) {
    const go = await askVersion('go', 'version');
    if (go === undefined) return { ready: false, reason: 'go is not installed' };
    const failure = await install(
      {
        folder: join(workFolder, 'colly'),
        sources: [
          [join(SOURCES, 'go.mod'), 'go.mod'],
          [join(SOURCES, 'main.go'), 'main.go'],
        ],
        steps: [
          ['go', 'mod', 'tidy'],
          ['go', 'build', '-o', 'colly-crawl', '.'],
        ],
      },
      report,
    );
    if (failure !== undefined) return { ready: false, reason: failure };
    return { ready: true, version: `${VERSION}, ${go.replace(/^go version /, '')}` };
  },
  command({ plan, folder }, workFolder) {
    return {
      program: join(workFolder, 'colly', 'colly-crawl'),
      args: [plan.seedUrl, plan.hosts.join(',')],
      cwd: folder,
    };
  },
};
