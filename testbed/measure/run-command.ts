/**
 * Runs one crawler as a process and measures it.
 *
 * In: a command. Out: the wall time from start to exit, the CPU time of the process with its children, the highest
 * memory of the process tree, and the end of its output. What always holds: no process is left running. A crawler that
 * fails or takes too long gives a result with a reason, never an exception.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { descendants, treeUse } from './process-tree.ts';

const SAMPLE_EVERY_MS = 50;
const KEPT_OUTPUT_CHARS = 20_000;
const TIME_PROGRAM = '/usr/bin/time';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Exit codes that mean a finished crawl. Default: only 0. */
  readonly goodExitCodes?: readonly number[];
}

export interface Measured {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly peakRssMb: number;
  readonly stdout: string;
  /** Why the command did not finish normally; undefined when it did. */
  readonly failure: string | undefined;
}

export async function runCommand(command: Command, timeoutMs: number): Promise<Measured> {
  const hasTime = existsSync(TIME_PROGRAM);
  const timePath = join(tmpdir(), `bench-time-${process.pid}-${Date.now()}`);
  const wrapped = hasTime
    ? [TIME_PROGRAM, '-q', '-f', '%U %S %M', '-o', timePath, command.program, ...command.args]
    : [command.program, ...command.args];

  const startedAt = performance.now();
  // The process has its own group, so that a crawler with children can be stopped as a whole.
  const child = spawn(wrapped[0]!, wrapped.slice(1), {
    cwd: command.cwd,
    env: { ...process.env, ...command.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const stdout = keepTail(child.stdout);
  const stderr = keepTail(child.stderr);

  let peakRssBytes = 0;
  let lastCpuSeconds = 0;
  const sampling = setInterval(() => {
    if (child.pid === undefined) return;
    const pids = descendants(child.pid);
    if (!hasTime) pids.push(child.pid);
    const use = treeUse(pids);
    peakRssBytes = Math.max(peakRssBytes, use.rssBytes);
    lastCpuSeconds = Math.max(lastCpuSeconds, use.cpuSeconds);
  }, SAMPLE_EVERY_MS);
  let timedOut = false;
  const limit = setTimeout(() => {
    timedOut = true;
    stopGroup(child.pid);
  }, timeoutMs);

  // The process is in its own group, so it does not receive the Ctrl-C that reaches us.
  const leave = () => {
    stopGroup(child.pid);
    process.exit(130);
  };
  process.once('SIGINT', leave);
  process.once('SIGTERM', leave);

  const ended = await new Promise<{ exitCode: number | null; error?: Error }>((resolve) => {
    child.once('error', (error) => resolve({ exitCode: null, error }));
    child.once('close', (exitCode) => resolve({ exitCode }));
  });
  const wallSeconds = (performance.now() - startedAt) / 1000;
  clearInterval(sampling);
  clearTimeout(limit);
  process.off('SIGINT', leave);
  process.off('SIGTERM', leave);

  const timed = readTimeFile(timePath);
  return {
    wallSeconds,
    cpuSeconds: timed?.cpuSeconds ?? lastCpuSeconds,
    peakRssMb: Math.max(peakRssBytes, timed?.maxRssBytes ?? 0) / 1024 ** 2,
    stdout: stdout(),
    failure: failureOf(command, ended, timedOut ? timeoutMs : undefined, stderr()),
  };
}

function failureOf(
  command: Command,
  ended: { exitCode: number | null; error?: Error },
  timeoutMs: number | undefined,
  stderr: string,
): string | undefined {
  if (timeoutMs !== undefined) return `took longer than ${timeoutMs / 1000} s`;
  if (ended.error !== undefined) return `could not be started: ${ended.error.message}`;
  if ((command.goodExitCodes ?? [0]).includes(ended.exitCode ?? -1)) return undefined;
  const lastLine = stderr.trimEnd().split('\n').at(-1) ?? '';
  return `left with exit code ${ended.exitCode}${lastLine === '' ? '' : `: ${lastLine.slice(0, 200)}`}`;
}

function stopGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process ended by itself in the meantime.
  }
}

function keepTail(stream: NodeJS.ReadableStream): () => string {
  let tail = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    tail = (tail + chunk).slice(-KEPT_OUTPUT_CHARS);
  });
  return () => tail;
}

function readTimeFile(path: string): { cpuSeconds: number; maxRssBytes: number } | undefined {
  if (!existsSync(path)) return undefined;
  const [user, system, maxRssKb] = readFileSync(path, 'utf8').trim().split(' ').map(Number);
  rmSync(path);
  if (user === undefined || system === undefined || maxRssKb === undefined) return undefined;
  return { cpuSeconds: user + system, maxRssBytes: maxRssKb * 1024 };
}
