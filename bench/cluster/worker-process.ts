/**
 * One worker of a cluster as a user starts it: a separate process that can be awaited, stopped, frozen or killed.
 *
 * In: the crawl to join and the place to run in. Out: a process. What always holds: no argument contains the password,
 * and the process ends when we end.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { orbweaverCommand } from '../../testbed/measure/built-orbweaver.ts';
import { processUse } from '../../testbed/watcher/process-use.ts';

const KEPT_OUTPUT_CHARS = 20_000;
/** Ends the started process when its parent ends, for whatever reason. */
export const ENDS_WITH_US = ['setpriv', '--pdeathsig', 'KILL'];

export interface ClusterCrawl {
  /** A URL without the password. */
  readonly store: string;
  readonly password: string;
  /** The folder that holds the archives of all workers. */
  readonly folder: string;
}

export interface WorkerStart {
  readonly name: string;
  /** For example `--units 1`. */
  readonly flags: readonly string[];
  /** Words in front of the command. */
  readonly prefix?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export class WorkerProcess {
  readonly name: string;
  readonly #child: ChildProcess;
  /** The exit code, or the signal that ended the process. */
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
      // The process ended by itself in the meantime.
      return 0;
    }
  }

  /** The last output line or the last error message. A long stack trace may follow an error message. */
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
