/**
 * The folder in which the watcher stores its state, with one folder per site, named by its authority. In: the requested
 * folder and the roots of the sites. Out: its real path, or an error that says what to do.
 *
 * What always holds: by real paths, the folder is in no web root, because the web server would serve it to anyone.
 */
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { OrbweaverError } from '../core/errors.ts';

export async function checkStateFolder(asked: string, roots: readonly string[]): Promise<string> {
  const state = await realPathOfNew(resolve(asked));
  for (const root of roots) {
    if (isInside(state, await realpath(root))) {
      const why = 'where anybody could read it; choose a folder outside with --state';
      throw new OrbweaverError('ERR_BAD_OPTION', `the state folder ${asked} is inside the web root ${root}, ${why}`);
    }
  }
  return state;
}

/**
 * `https://www.example.org:8443` → `www.example.org_8443`. An http site gets
 * another name, because it is another site.
 */
export function siteFolderName(site: string): string {
  const { protocol, host } = new URL(site);
  return `${protocol === 'http:' ? 'http_' : ''}${host.replace(/[^\w.-]/g, '_')}`;
}

/** The folder and its parents may not exist yet. */
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
