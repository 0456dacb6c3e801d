/**
 * Older Node versions for tests of code that has to run on them. In: a major version. Out: the path of a binary.
 *
 * They come from npm, as packages by platform, into a folder that git ignores. What always holds: a folder gets its
 * final name only when it is complete, so an interrupted installation is started again.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const CACHE_FOLDER = join(import.meta.dirname, '..', '..', '.cache');
const INSTALL_TIMEOUT_MS = 300_000;
const PACKAGE = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/** Undefined if this version is not installed. */
export function findOldNode(major: number, cacheFolder = CACHE_FOLDER): string | undefined {
  const path = join(cacheFolder, `node-${major}`, 'node_modules', PACKAGE, 'bin', 'node');
  return existsSync(path) ? path : undefined;
}

/** Returns undefined if this version is installed, else the reason. */
export async function installOldNode(
  major: number,
  report: (text: string) => void,
  cacheFolder = CACHE_FOLDER,
): Promise<string | undefined> {
  if (findOldNode(major, cacheFolder) !== undefined) return undefined;
  const folder = join(cacheFolder, `node-${major}`);
  const part = `${folder}.${process.pid}.part`;
  const words = ['install', '--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'];
  report(`npm install ${PACKAGE}@${major}`);
  try {
    await mkdir(part, { recursive: true });
    await promisify(execFile)('npm', [...words, '--prefix', part, `${PACKAGE}@${major}`], {
      cwd: part,
      timeout: INSTALL_TIMEOUT_MS,
    });
    await rm(folder, { recursive: true, force: true });
    await rename(part, folder);
    return undefined;
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    const { stderr = '', message } = error as { stderr?: string; message: string };
    const line = stderr.split('\n').find((each) => /\berror\b/i.test(each)) ?? message.split('\n', 1)[0];
    return `Node ${major} could not be installed from npm (${PACKAGE}@${major}): ${line}`;
  }
}
