/**
 * Measures how long a crawl needs to continue. In: a filled folder. Out: the times to open it after a normal close, and
 * after a killed crawl, when SQLite must first read the write-ahead log.
 */
import { execFile, spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DATABASE_FILE } from '../../src/store/sqlite/open.ts';
import type { LocalWeb } from '../web/make.ts';
import type { FilledFolder } from './fill.ts';
import { crawlCommand, type FrontierPlace, withCopyAndServer } from './run-crawl.ts';

const execFileAsync = promisify(execFile);
/** Half of the log size at which SQLite moves the log into the database. */
const KILLED_AT_LOG_BYTES = 8 * 1024 ** 2;
const KILLED_AFTER_MS = 30_000;
const POLL_MS = 20;

interface Opening {
  readonly openMs: number;
  readonly firstUrlsMs: number;
  readonly processMs: number;
  readonly urls: number;
}

export interface ReopenRun {
  readonly known: number;
  readonly round: number;
  readonly closed: Opening;
  readonly killed: Opening;
  /** Size of the log that the killed crawl left. */
  readonly logMb: number;
}

export async function runReopen(
  place: FrontierPlace,
  filled: FilledFolder,
  web: LocalWeb,
  round: number,
): Promise<ReopenRun> {
  return withCopyAndServer(place, filled, web, async (folder) => {
    const closed = await openStore(folder);
    const { program, args, cwd } = crawlCommand(web, folder);
    const child = spawn(program, args, { cwd, stdio: 'ignore' });
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const logPath = join(folder, `${DATABASE_FILE}-wal`);
    const deadlineMs = performance.now() + KILLED_AFTER_MS;
    while ((await sizeOf(logPath)) < KILLED_AT_LOG_BYTES && performance.now() < deadlineMs && child.exitCode === null) {
      await sleep(POLL_MS);
    }
    child.kill('SIGKILL');
    await exited;
    const logBytes = await sizeOf(logPath);
    return {
      known: filled.known,
      round,
      closed,
      killed: await openStore(folder),
      logMb: logBytes / 1024 ** 2,
    };
  });
}

async function openStore(folder: string): Promise<Opening> {
  const script = join(import.meta.dirname, 'open-store.ts');
  const { stdout } = await execFileAsync(process.execPath, [script, folder]);
  return JSON.parse(stdout) as Opening;
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => ({ size: 0 }))).size;
}
