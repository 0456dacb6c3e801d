/**
 * Unpacks documentation packages of Debian, which contain real sites. In: the name of a package. Out: a folder with its
 * files. Nothing is installed on the machine, so nothing can be removed from it, and no rights are needed.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PAGES = new Set(['.html', '.htm']);

/** The folder with the files of the package. It is downloaded and unpacked once. */
export async function unpackPackage(workFolder: string, name: string): Promise<string> {
  const folder = join(workFolder, 'debian', name);
  if (existsSync(folder)) return folder;
  await mkdir(join(workFolder, 'debian'), { recursive: true });
  const partial = await mkdtemp(join(workFolder, 'debian', 'partial-'));
  try {
    await run('apt-get', ['download', '-q', name], { cwd: partial });
    const file = (await readdir(partial)).find((each) => each.endsWith('.deb'));
    if (file === undefined) throw new Error(`apt-get downloaded nothing for the package ${name}`);
    await run('dpkg', ['-x', join(partial, file), join(partial, 'files')]);
    await rename(join(partial, 'files'), folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return folder;
}

/** The paths of the HTML files below a folder, sorted. Symbolic links are left out. */
export async function htmlFilesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && PAGES.has(extname(entry.name)))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}
