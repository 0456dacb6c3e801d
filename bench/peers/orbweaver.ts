/** Orbweaver itself, by its command line as a user would call it: defaults, state and archive on disk. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Crawler } from './crawler.ts';

const ROOT = join(import.meta.dirname, '..', '..');

export const orbweaver: Crawler = {
  name: 'orbweaver',
  slow: false,
  stores: 'archive (WARC) and state',
  async prepare() {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    return { ready: true, version: `${version} on Node ${process.version}` };
  },
  command({ plan, folder }) {
    const scope = plan.hosts.length > 1 ? 'any' : 'host';
    const args = ['crawl', plan.seedUrl, '--dir', folder, '--scope', scope, '--json'];
    return { program: process.execPath, args: [join(ROOT, 'src', 'cli', 'main.ts'), ...args], cwd: ROOT };
  },
};
