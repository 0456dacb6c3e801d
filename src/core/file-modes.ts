/**
 * The modes of the files and folders that we create: only the user may read them, unless the user shares
 * them. The modes do not depend on the umask. Existing folders and files keep their modes, unless the
 * user gives another `--share`.
 */
import { chmodSync, closeSync, fchmodSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { OrbweaverError } from './errors.ts';

export const SHARES = ['nobody', 'group', 'all'] as const;
export type Share = (typeof SHARES)[number];

/** Sharing gives others read access. Nobody else ever gets write access. */
const FOLDER_MODES: Readonly<Record<Share, number>> = { nobody: 0o700, group: 0o750, all: 0o755 };
export const FILE_MODES: Readonly<Record<Share, number>> = { nobody: 0o600, group: 0o640, all: 0o644 };

/**
 * Creates a folder. Missing parent folders get the default modes of the system. Folders are created one by one, because
 * `mkdirSync` with `recursive` never returns where folders cannot be created, such as below /proc.
 */
export function makeDataFolder(dir: string, share: Share | null): void {
  if (isFolder(dir)) {
    if (share !== null) changeMode(dir, FOLDER_MODES[share]);
    return;
  }
  makeFoldersAbove(dir);
  const mode = FOLDER_MODES[share ?? 'nobody'];
  try {
    mkdirSync(dir, { mode });
  } catch (error) {
    // Another thread may have created the folder first.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && isFolder(dir)) return;
    throw error;
  }
  undoUmask(() => chmodSync(dir, mode));
}

function makeFoldersAbove(dir: string): void {
  const above = dirname(dir);
  if (above === dir || isFolder(above)) return;
  makeFoldersAbove(above);
  mkdirSync(above);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Creates an empty file for a program that would create it with another mode. An existing file is not opened. */
export function makeDataFile(path: string, share: Share | null): void {
  let fd: number;
  try {
    fd = openSync(path, 'wx', FILE_MODES[share ?? 'nobody']);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (share !== null) changeMode(path, FILE_MODES[share]);
    return;
  }
  undoUmask(() => fchmodSync(fd, FILE_MODES[share ?? 'nobody']));
  closeSync(fd);
}

/**
 * Sets the mode again, because the umask may have removed bits when the file was created.
 * Some file systems have no modes.
 */
export function undoUmask(change: () => void): void {
  try {
    change();
  } catch {
    // The file then keeps the mode that the file system gives it.
  }
}

export function changeMode(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    const advice = code === 'EPERM' ? '; run the command as the owner, or leave out --share' : '';
    throw new OrbweaverError('ERR_DIR', `cannot change who may read ${path}: ${message}${advice}`, { cause: error });
  }
}
