/**
 * Starts crawls and refreshes as processes of their own. In: a copy and the kind of the run. Out: a running process
 * that reports in `live.json` and obeys `control.json`, like a run that was started in a terminal.
 *
 * What always holds: the words of the command line come from this file and from the place of the copy, never from a
 * request. A run that fails says why in the output of the server. If the server is killed, its runs go on.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publish } from '../../core/events.ts';
import { FILE_MODES, makeDataFolder } from '../../core/file-modes.ts';

import type { ServedCopy } from '../served-copy.ts';

export type RunKind = 'crawl' | 'refresh';

/** The messages of the last run that the interface has started. */
const LOG_FILE = 'run.log';
const MOST_OUTPUT_BYTES = 1_000_000;

export class RunStarter {
  readonly #children = new Map<string, { readonly child: ChildProcess; readonly startedAtMs: number }>();
  /** Why the last run of a copy failed. */
  readonly #problems = new Map<string, string>();

  /** The time at which this server started the run that works now; null if there is none. */
  startedAtMs(copy: ServedCopy): number | null {
    return this.#children.get(copy.id)?.startedAtMs ?? null;
  }

  problemOf(copy: ServedCopy): string | null {
    return this.#problems.get(copy.id) ?? null;
  }

  /** `seeds` are those of a new copy. */
  start(copy: ServedCopy, kind: RunKind, seeds: readonly string[] = []): void {
    this.#problems.delete(copy.id);
    const words = [kind, ...seeds, '--dir', copy.place.dir];
    makeDataFolder(copy.place.dir, null);
    const log = join(copy.place.dir, LOG_FILE);
    const output = openSync(log, 'w', FILE_MODES.nobody);
    // The process goes on if this one is killed: it shares neither a pipe nor the signals of the terminal.
    const child = spawn(process.execPath, [...process.execArgv, entryPoint(), ...words], {
      stdio: ['ignore', 'ignore', output],
      detached: true,
    });
    closeSync(output);
    this.#children.set(copy.id, { child, startedAtMs: Date.now() });
    child.on('error', (error) => this.#ended(copy, `it could not be started: ${error.message}`));
    child.on('close', (code) => this.#ended(copy, code === 0 || code === 11 ? null : lastLine(log)));
  }

  /** Waits until all runs of this server have ended. They were asked to stop before. */
  async ended(): Promise<void> {
    const all = [...this.#children.values()];
    await Promise.all(all.map(({ child }) => new Promise<void>((resolve) => child.once('close', () => resolve()))));
  }

  get runningIds(): readonly string[] {
    return [...this.#children.keys()];
  }

  #ended(copy: ServedCopy, problem: string | null): void {
    this.#children.delete(copy.id);
    if (problem === null) return;
    this.#problems.set(copy.id, problem);
    publish('crawl/warning', { message: `the run of ${copy.title} has failed: ${problem}` });
  }
}

function lastLine(file: string): string {
  try {
    const output = readFileSync(file).subarray(-MOST_OUTPUT_BYTES).toString('utf8');
    return output.trim().split('\n').at(-1) || 'it gave no reason';
  } catch {
    return 'its messages cannot be read';
  }
}

/** The program that is running: the built one, or its source. */
function entryPoint(): string {
  // In the bundle, all files are in one folder.
  const isSource = import.meta.url.endsWith('.ts');
  return fileURLToPath(new URL(isSource ? '../../cli/main.ts' : './main.js', import.meta.url));
}
