/**
 * Orbweaver itself, started by its command line as a user would do: built, with defaults, state and archive on disk.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildOrbweaver, orbweaverCommand } from '../../testbed/measure/built-orbweaver.ts';
import type { Crawler } from './crawler.ts';

const ROOT = join(import.meta.dirname, '..', '..');

export const orbweaver: Crawler = {
  name: 'orbweaver',
  slow: false,
  stores: 'archive (WARC) and state',
  async prepare(_, report) {
    await buildOrbweaver(report);
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    return { ready: true, version: `${version} on Node ${process.version}` };
  },
  command({ plan, folder }) {
    const scope = plan.hosts.length > 1 ? 'any' : 'host';
    return orbweaverCommand(['crawl', plan.seedUrl, '--dir', folder, '--scope', scope, '--json']);
  },
};
