/**
 * One worker of a cluster as a user starts it: a process of its own, to be waited for, stopped, frozen or killed.
 *
 * In comes what to join and where to run; out goes a process. What always holds: its password is in no argument, and it ends when we end.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { orbweaverCommand } from '../measure/built-orbweaver.ts';
import { processUse } from '../watcher/process-use.ts';

const KEPT_OUTPUT_CHARS = 20_000;
/** Ends what it starts with its parent, whatever ends that. */
export const ENDS_WITH_US = ['setpriv', '--pdeathsig', 'KILL'];

/** A crawl in a database. */
export interface ClusterCrawl {
  /** Without a password. */
  readonly store: string;
  readonly password: string;
  /** Under which the archives of all workers lie. */
  readonly folder: string;
}

export interface WorkerStart {
  readonly name: string;
  /** Such as `--units 1`. */
  readonly flags: readonly string[];
  /** Words in front of the command. */
  readonly prefix?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export class WorkerProcess {
  readonly name: string;
  readonly #child: ChildProcess;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  #stderr = '';

  constructor(crawl: ClusterCrawl, { name, flags, prefix = ENDS_WITH_US, env = {} }: WorkerStart) {
    this.name = name;
    const where = ['--store', crawl.store, '--worker', name, '--dir', join(crawl.folder, name)];
    const command = orbweaverCommand(['work', ...where, ...flags]);
    const words = [...prefix, command.program, ...command.args];
    this.#child = spawn(words[0]!, words.slice(1), {
      cwd: command.cwd,
      env: { ...process.env, PGPASSWORD: crawl.password, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-KEPT_OUTPUT_CHARS);
    });
    this.ended = new Promise((resolve) => {
      this.#child.once('error', () => resolve(-1));
      this.#child.once('close', (code, signal) => resolve(code ?? signal ?? -1));
    });
  }

  get isRunning(): boolean {
    return this.#child.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get peakRssMb(): number {
    try {
      return processUse(this.pid).peakRssMb;
    } catch {
      // It ended by itself in the meantime.
      return 0;
    }
  }

  /** What it said last, or last went wrong: behind that there may be a long way through its code. */
  get lastLine(): string {
    const lines = this.#stderr.trimEnd().split('\n');
    return lines.findLast((line) => /^(?:orbweaver:|\w*Error\b)/.test(line)) ?? lines.at(-1) ?? '';
  }

  signal(signal: NodeJS.Signals): void {
    if (this.isRunning) this.#child.kill(signal);
  }

  async stop(): Promise<void> {
    this.signal('SIGKILL');
    await this.ended;
  }
}
