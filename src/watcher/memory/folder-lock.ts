/**
 * Allows one process per folder. The lock is a file that names its holder: the process id, the start time of the
 * process and the boot id of the machine. With these a stale lock, left by a killed process or by a process whose id
 * was reused, can be distinguished from a held lock.
 */

import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OrbweaverError } from '../../core/errors.ts';
import { FILE_MODES, makeDataFolder } from '../../core/file-modes.ts';

const NAME = 'lock';
const TRIES = 5;
let count = 0;

interface Holder {
  readonly pid: number;
  /** The boot id and the start time of the process; '' where the system does not provide them. */
  readonly started: string;
}

const PRIVATE = { mode: FILE_MODES.nobody };

function take(folder: string): string {
  const path = join(folder, NAME);
  const own = `${path}.${process.pid}.${count++}`;
  writeFileSync(own, JSON.stringify({ pid: process.pid, started: startOf(process.pid) } satisfies Holder), PRIVATE);
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      if (isLinked(own, path)) return path;
      const holder = readHolder(path);
      if (holder === undefined) continue;
      if (isHeld(holder)) throw locked(folder, holder);
      moveStaleLock(path, `${own}.stale`, folder);
    }
    throw locked(folder, null);
  } finally {
    unlinkSync(own);
  }
}

function isLinked(own: string, path: string): boolean {
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    // The file system has no hard links. Creating the file is as good, except for a
    // crash between creating and writing it.
    try {
      writeFileSync(path, readFileSync(own), { ...PRIVATE, flag: 'wx' });
      return true;
    } catch (failed) {
      if ((failed as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw failed;
    }
  }
}

/** Another process may have replaced the stale lock in the meantime. In that case its lock is put back. */
function moveStaleLock(path: string, aside: string, folder: string): void {
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  const holder = readHolder(aside);
  const isWrong = holder !== undefined && isHeld(holder);
  if (isWrong) isLinked(aside, path);
  unlinkSync(aside);
  if (isWrong) throw locked(folder, holder);
}

/** Undefined if the lock file is gone; null if the file names no holder. */
function readHolder(path: string): Holder | null | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  try {
    const holder = JSON.parse(text) as Holder;
    return Number.isInteger(holder.pid) && holder.pid > 0 ? holder : null;
  } catch {
    return null;
  }
}

function isHeld(holder: Holder | null): boolean {
  if (holder === null) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const started = startOf(holder.pid);
  return started === '' || holder.started === '' || started === holder.started;
}

function startOf(pid: number): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The process name, in parentheses, may contain any character. The start time is the twentieth field after it.
    return `${boot} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return '';
  }
}

function locked(folder: string, holder: Holder | null): OrbweaverError {
  const who = holder === null ? 'another process' : `process ${holder.pid}`;
  return new OrbweaverError(
    'ERR_LOCKED',
    `${who} already uses the state folder ${folder}; give each watcher its own with --state`,
  );
}

/** Creates the folder if it is missing, and locks it. Returns the function that unlocks it. */
export function lockFolder(folder: string): () => void {
  try {
    // The state folder, and the folder of this site inside it.
    makeDataFolder(dirname(folder), null);
    makeDataFolder(folder, null);
    const path = take(folder);
    return () => {
      try {
        unlinkSync(path);
      } catch {}
    };
  } catch (error) {
    if (error instanceof OrbweaverError) throw error;
    const why = `${(error as Error).message}; choose a writable folder with --state`;
    throw new OrbweaverError('ERR_DIR', `the state folder ${folder} cannot be used: ${why}`, { cause: error });
  }
}
