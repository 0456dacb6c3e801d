/** GNU Wget, recursive: one connection, one thread, pages stored as files. */

import type { Crawler } from './crawler.ts';
import { askVersion } from './install.ts';

let compressionFlags: readonly string[] = [];

export const wget: Crawler = {
  name: 'wget',
  slow: false,
  stores: 'pages as files',
  async prepare() {
    const version = await askVersion('wget', '--version');
    if (version === undefined) return { ready: false, reason: 'wget is not installed' };
    // Builds without zlib refuse the flag with an error exit code.
    const canUnpack = (await askVersion('wget', '--compression=auto', '--version')) !== undefined;
    compressionFlags = canUnpack ? ['--compression=auto'] : [];
    return { ready: true, version: version.replace(/ built on.*$/, '') };
  },
  command({ plan, folder }) {
    const hosts = plan.hosts.length > 1 ? ['--span-hosts', `--domains=${plan.hosts.join(',')}`] : [];
    const args = [
      '--recursive',
      '--level=inf',
      '--quiet',
      // Images and stylesheets are not fetched, because no other crawler here fetches them.
      '--follow-tags=a',
      '--execute=robots=on',
      `--directory-prefix=${folder}`,
      ...compressionFlags,
      ...hosts,
      plan.seedUrl,
    ];
    return { program: 'wget', args, cwd: folder };
  },
};
