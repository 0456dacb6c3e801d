/** spider, the crawler of the Rust world, built as a separate program (which takes some minutes). */
import { join } from 'node:path';
import type { Crawler } from './crawler.ts';
import { askVersion, install } from './install.ts';

const VERSION = '2.53.9';
const SOURCES = join(import.meta.dirname, 'spider');

export const spider: Crawler = {
  name: 'spider',
  slow: false,
  stores: 'nothing',
  async prepare(workFolder, report) {
    const rust = await askVersion('rustc', '--version');
    if (rust === undefined) return { ready: false, reason: 'rust is not installed' };
    const failure = await install(
      {
        folder: join(workFolder, 'spider'),
        sources: [
          [join(SOURCES, 'Cargo.toml'), 'Cargo.toml'],
          [join(SOURCES, 'main.rs'), join('src', 'main.rs')],
        ],
        steps: [['cargo', 'build', '--release', '--quiet']],
      },
      report,
    );
    if (failure !== undefined) return { ready: false, reason: failure };
    return { ready: true, version: `${VERSION}, ${rust}` };
  },
  command({ plan, folder }, workFolder) {
    const program = join(workFolder, 'spider', 'target', 'release', 'spider-crawl');
    return { program, args: [plan.seedUrl, plan.hosts.length > 1 ? 'any' : 'host'], cwd: folder };
  },
};
