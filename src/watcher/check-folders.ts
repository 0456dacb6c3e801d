/**
 * Whether the folders of the settings are good, asked of the file system before anything is written: settings in, the same with
 * absolute paths out, or an error that says what to do.
 *
 * What always holds: the state folder lies in no web root, by real paths; what the watcher knows would be served to anybody.
 */
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { OrbweaverError } from '../core/errors.ts';
import type { WatchedSite, WatchSettings } from './watch-settings.ts';

export async function checkFolders(settings: WatchSettings): Promise<WatchSettings> {
  const state = await realPathOfNew(resolve(settings.state));
  const sites: WatchedSite[] = [];
  for (const site of settings.sites) {
    const roots = [];
    for (const { folder, prefix } of site.roots) roots.push({ folder: await realRoot(folder), prefix });
    for (const { folder } of roots) {
      if (isInside(state, folder)) {
        throw new OrbweaverError(
          'ERR_BAD_OPTION',
          `--state ${settings.state} is inside the web root ${folder}, where anybody could read it; name a folder elsewhere`,
        );
      }
    }
    if (site.writeFiles && !roots.some(({ prefix }) => prefix === '/')) {
      throw new OrbweaverError('ERR_BAD_OPTION', `--write-files needs a folder that is served as ${site.site}/`);
    }
    sites.push({ ...site, roots });
  }
  return Object.freeze({ ...settings, state, sites });
}

async function realRoot(folder: string): Promise<string> {
  try {
    const path = await realpath(folder);
    if ((await stat(path)).isDirectory()) return path;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? `there is no folder ${folder}` : `cannot read ${folder}: ${message}`;
    throw new OrbweaverError('ERR_BAD_OPTION', `${reason}; name the folder your web server serves`);
  }
  throw new OrbweaverError('ERR_BAD_OPTION', `${folder} is no folder; name the one your web server serves`);
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

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
