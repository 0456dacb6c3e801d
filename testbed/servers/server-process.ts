/**
 * One run of the program `postgres`: its start until it is ready, and its end, expected or not.
 *
 * In: a folder with data. Out: a process that answers, or an error with its last output. What always holds: the working
 * folder of the process is the data folder from the first moment, so the folder guard finds it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { descendants, isRunning } from '../measure/process-tree.ts';
import type { ServerAccount } from './server-account.ts';

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 5;
/** Line numbers in `postmaster.pid`, counted from 0. */
const PID_LINE = 0;
const STATUS_LINE = 7;

export interface ServerProcessPlace {
  readonly command: string;
  readonly dataFolder: string;
  readonly logPath: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly account: ServerAccount | undefined;
}

export class PortTakenError extends Error {}

export class ServerProcess {
  readonly #process: ChildProcess;
  readonly #exited: Promise<void>;

  private constructor(child: ChildProcess) {
    this.#process = child;
    this.#exited = new Promise((resolve) => child.once('exit', () => resolve()));
    child.unref();
  }

  static async start(place: ServerProcessPlace): Promise<ServerProcess> {
    const words = Object.entries(place.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const log = openSync(place.logPath, 'w');
    const child = spawn(place.command, ['-D', place.dataFolder, ...words], {
      ...place.account,
      cwd: place.dataFolder,
      // The server has its own process group: a Ctrl-C reaches only us, and we stop the server in the right order.
      detached: true,
      env: { LC_ALL: 'C', PATH: process.env.PATH },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const started = new ServerProcess(child);
    await started.#untilReady(place);
    return started;
  }

  get pid(): number {
    return this.#process.pid!;
  }

  get isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** Ends all sessions. Committed data is then on the disk. */
  async stop(): Promise<void> {
    if (!this.isRunning) return;
    this.#process.ref();
    this.#process.kill('SIGINT');
    const patience = new AbortController();
    const late = sleep(STOP_TIMEOUT_MS, true, { signal: patience.signal }).catch(() => false);
    if (await Promise.race([this.#exited.then(() => false), late])) this.#process.kill('SIGQUIT');
    patience.abort();
    await this.#exited;
  }

  /** Simulates a power failure: no process gets time to write anything. */
  async kill(): Promise<void> {
    const pids = [this.pid, ...descendants(this.pid)];
    this.#process.ref();
    for (const pid of pids) endNow(pid);
    await this.#exited;
    // A process that is still running holds the shared memory, and the next start would fail because of it.
    while (pids.some(isRunning)) await sleep(POLL_MS);
  }

  async #untilReady({ dataFolder, logPath }: ServerProcessPlace): Promise<void> {
    let failure: Error | undefined;
    this.#process.once('error', (error) => {
      failure = error;
    });
    const deadlineMs = performance.now() + START_TIMEOUT_MS;
    while (performance.now() < deadlineMs) {
      if (failure !== undefined) throw failure;
      if (!this.isRunning) throw startError(readFileSync(logPath, 'utf8'));
      const lines = readOrEmpty(join(dataFolder, 'postmaster.pid')).split('\n');
      // After a crash the file of the previous run is still there.
      if (lines[PID_LINE] === String(this.pid) && lines[STATUS_LINE]?.trim() === 'ready') return;
      await sleep(POLL_MS);
    }
    await this.kill();
    throw new Error(`PostgreSQL was not ready in time:\n${readFileSync(logPath, 'utf8').slice(-2_000)}`);
  }
}

function startError(log: string): Error {
  const text = `PostgreSQL did not start:\n${log.slice(-2_000)}`;
  return log.includes('Address already in use') ? new PortTakenError(text) : new Error(text);
}

function endNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended by itself.
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
