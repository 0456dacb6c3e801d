/**
 * Runs a command while one of its system calls fails. In: the command, the files that count, and a point: the kind and
 * number of the call that fails, and its error. Out: how the command ended. What always holds: only calls on these
 * files are counted and fail; calls on sockets, pipes and other files are left alone.
 *
 * `strace` does the work. It counts calls of each kind for each thread, so the command must have one crawler thread
 * (`--units 1`) and one thread for file system calls (UV_THREADPOOL_SIZE=1): then a point is one call of one thread. If
 * two threads reach the same number, both calls fail, which tests more than was asked for and never less.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { timestamp14 } from '../../src/archive/archive-file.ts';

/**
 * Every call that can lose bytes, a name or a file. Opening files is among them,
 * because a full disk also refuses new names.
 */
export const CALLS = [
  'write',
  'writev',
  'pwrite64',
  'fsync',
  'fdatasync',
  'ftruncate',
  'rename',
  'unlink',
  'close',
  'mkdir',
  'openat',
] as const;
export type Call = (typeof CALLS)[number];
export type CallError = 'ENOSPC' | 'EIO';

export interface FailingPoint {
  readonly call: Call;
  /** 1 is the first call of this kind that a thread makes on files of the folder. */
  readonly nth: number;
  readonly error: CallError;
}

export interface WatchedCalls {
  readonly calls: readonly Call[];
  /** Null if every file counts. Then `calls` must not name calls that are also used on sockets and pipes. */
  readonly files: readonly string[] | null;
}

export interface EndedCommand {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Calls that failed on purpose. It is 0 if the point is after the last call of the run. */
  readonly failedCalls: number;
}

const TIMEOUT_MS = 60_000;
/** `strace` takes paths, not patterns, and the name of an archive file contains the second in which the file begins. */
const SECONDS_AHEAD = 20;
const SERIALS = 3;
const STATE_FILES = ['', 'crawl.db', 'crawl.db-wal', 'crawl.db-shm', 'crawl.lock', 'crawl.lock-journal'];

/**
 * The files of a data folder that a command may touch from now on. `writers`:
 * the writer names in its archive file names.
 */
export function copyFiles(folder: string, writers: readonly string[] = ['unit0', 'kept']): string[] {
  const names = [...STATE_FILES, 'feed.xml', 'feed.xml.part', 'archive'];
  const nowMs = Date.now();
  for (let second = 0; second < SECONDS_AHEAD; second++) {
    const stamp = timestamp14(nowMs + second * 1_000);
    for (const writer of writers) {
      for (let serial = 1; serial <= SERIALS; serial++) {
        names.push(`archive/orbweaver-${stamp}-${writer}-${String(serial).padStart(5, '0')}.warc.gz`);
      }
    }
  }
  // Retention removes files of earlier runs.
  const archive = join(folder, 'archive');
  for (const name of existsSync(archive) ? readdirSync(archive) : []) names.push(`archive/${name}`);
  return names.map((name) => join(folder, name));
}

export async function runFailing(
  command: readonly string[],
  point: FailingPoint | null,
  { files, calls }: WatchedCalls,
): Promise<EndedCommand & { readonly calls: ReadonlyMap<Call, number> }> {
  const traceFolder = mkdtempSync(join(tmpdir(), 'orbweaver-trace-'));
  const trace = join(traceFolder, 'trace');
  const inject = point === null ? [] : ['-e', `inject=${point.call}:error=${point.error}:when=${point.nth}`];
  const traced = point === null ? calls.join(',') : point.call;
  const paths = files?.flatMap((path) => ['-P', path]) ?? [];
  const words = ['-f', '--seccomp-bpf', '-qqq', '-o', trace, '-e', `trace=${traced}`, ...inject, ...paths, ...command];
  try {
    const ended = await run(['strace', ...words]);
    const lines = readFileSync(trace, 'utf8').split('\n');
    const failedCalls = lines.filter((line) => line.includes('(INJECTED)')).length;
    return { ...ended, failedCalls, calls: mostCalls(lines) };
  } finally {
    rmSync(traceFolder, { recursive: true, force: true });
  }
}

/** Runs the command without strace, which takes less time. */
export async function runUndisturbed(command: readonly string[]): Promise<EndedCommand> {
  return { ...(await run(command)), failedCalls: 0 };
}

async function run([program, ...words]: readonly string[]): Promise<Omit<EndedCommand, 'failedCalls'>> {
  const child = spawn(program!, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    stdout += piece;
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    stderr += piece;
  });
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { exitCode, stdout, stderr };
}

/** For each kind of call, the largest number of calls by one thread. */
function mostCalls(lines: readonly string[]): Map<Call, number> {
  const byThread = new Map<string, number>();
  const most = new Map<Call, number>();
  for (const line of lines) {
    const found = /^(\d+) +([a-z0-9]+)\(/.exec(line);
    if (found === null) continue;
    const [, thread, call] = found as unknown as [string, string, Call];
    const count = (byThread.get(`${thread} ${call}`) ?? 0) + 1;
    byThread.set(`${thread} ${call}`, count);
    most.set(call, Math.max(most.get(call) ?? 0, count));
  }
  return most;
}
