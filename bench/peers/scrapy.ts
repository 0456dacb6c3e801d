/** Scrapy, the crawler of the Python world, in its own virtual environment, or else the distribution's package. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Crawler } from './crawler.ts';
import { askVersion, install } from './install.ts';

const VERSION = '2.19.0';
const SCRIPT = join(import.meta.dirname, 'scrapy', 'crawl.py');
const SYSTEM_PYTHON = '/usr/bin/python3';
const PRINT_VERSION = 'import scrapy, platform; print(scrapy.__version__, "on Python", platform.python_version())';

let python = SYSTEM_PYTHON;

export const scrapy: Crawler = {
  name: 'scrapy',
  slow: true,
  stores: 'nothing',
  async prepare(workFolder, report) {
    const folder = join(workFolder, 'scrapy');
    const virtualPython = join('venv', 'bin', 'python');
    const failure = await install(
      {
        folder,
        sources: [[SCRIPT, 'crawl.py']],
        steps: [
          ['python3', '-m', 'venv', 'venv'],
          [virtualPython, '-m', 'pip', 'install', '--quiet', `scrapy==${VERSION}`],
        ],
      },
      report,
    );
    if (failure === undefined) {
      python = join(folder, virtualPython);
    } else if ((await askVersion(SYSTEM_PYTHON, '-c', PRINT_VERSION)) === undefined && process.getuid?.() === 0) {
      await install(
        {
          folder: join(folder, 'system'),
          sources: [[SCRIPT, 'crawl.py']],
          steps: [['apt-get', 'install', '-y', '-q', 'python3-scrapy']],
        },
        report,
      );
    }
    const version = existsSync(python) ? await askVersion(python, '-c', PRINT_VERSION) : undefined;
    return version === undefined ? { ready: false, reason: failure ?? 'cannot be imported' } : { ready: true, version };
  },
  command({ plan, folder }) {
    return { program: python, args: [SCRIPT, plan.seedUrl, plan.hosts.join(',')], cwd: folder };
  },
};
