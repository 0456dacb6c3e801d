/**
 * Where the watcher keeps what it knows: a folder for each site, named by its authority. In come the folder that was asked for
 * and the roots of the sites, out goes its real path, or an error that says what to do.
 *
 * What always holds: it lies in no web root, by real paths; what the watcher knows would be served to anybody.
 */
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { OrbweaverError } from '../core/errors.ts';

export async function checkStateFolder(asked: string, roots: readonly string[]): Promise<string> {
  const state = await realPathOfNew(resolve(asked));
  for (const root of roots) {
    if (isInside(state, await realpath(root))) {
      throw new OrbweaverError(
        'ERR_BAD_OPTION',
        `the state folder ${asked} is inside the web root ${root}, where anybody could read it; name one elsewhere with --state`,
      );
    }
  }
  return state;
}

/** `https://www.example.org:8443` → `www.example.org_8443`; of http another, since it is another site. */
export function siteFolderName(site: string): string {
  const { protocol, host } = new URL(site);
  return `${protocol === 'http:' ? 'http_' : ''}${host.replace(/[^\w.-]/g, '_')}`;
}

/** The folder itself may not be there yet, nor the one it is in. */
async function realPathOfNew(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(await realPathOfNew(above), basename(path));
  }
}

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
