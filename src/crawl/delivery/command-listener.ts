/**
 * `--on-change <command>`: the command runs through the shell as it was written, once a batch, and reads the changes as JSON
 * lines on its standard input. Nothing from a page is ever part of the command line or the environment. Exit code 0 is
 * arrival, whether it has read everything or not; anything else, or running longer than allowed, is a failure.
 */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Clock } from '../../core/clock.ts';
import { safeJson } from '../../core/safe-text.ts';
import { CommandOutput } from './command-output.ts';
import { type ChangeBatch, DeliveryFailure, type Listener } from './listener.ts';
import { SECRET_VARIABLE } from './webhook-signature.ts';

export interface CommandSettings {
  readonly command: string;
  readonly kinds: Listener['kinds'];
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Shows a line of what the command printed. */
  readonly say: (line: string) => void;
}

/** Between asking a command to end and ending it. */
const KILL_GRACE_MS = 2_000;
/** A process that the command left in the background may hold its output open for ever. */
const OUTPUT_GRACE_MS = 1_000;

export function commandListener(settings: CommandSettings): Listener {
  return {
    name: 'on-change',
    kinds: settings.kinds,
    limits: { maxChanges: 1_000, maxBytes: 4_000_000, gatherMs: 1_000 },
    deliver: (batch, signal) => runCommand(settings, linesOf(batch), signal),
  };
}

function linesOf({ changes }: ChangeBatch): string {
  return changes.map((change) => `${safeJson(change)}\n`).join('');
}

function runCommand({ command, timeoutMs, clock, say }: CommandSettings, input: string, signal: AbortSignal) {
  return new Promise<void>((resolve, reject) => {
    if (signal.aborted) return reject(new DeliveryFailure('the run ended first'));
    const child = spawn(command, { shell: true, detached: hasGroups, env: environment(), stdio: 'pipe' });
    child.on('error', (error) => reject(new DeliveryFailure(`it cannot be run (${error.message})`, { cause: error })));
    // Not started: the error says why. At the limit of open files there are not even streams.
    if (child.pid === undefined) return;
    const output = new CommandOutput(child, say);
    const group = new Group(child, clock);
    let stoppedFor: string | null = null;
    const stop = (why: string): void => {
      stoppedFor ??= why;
      group.end();
    };
    const cancelTimeout = clock.after(timeoutMs, () => stop(`it ran longer than ${timeoutMs / 1_000} s`));
    const onAbort = (): void => stop('the run ended first');
    signal.addEventListener('abort', onAbort, { once: true });
    // A command need not read what it is given.
    child.stdin.on('error', () => {}).end(input);

    child.on('exit', (code, killedBy) => {
      cancelTimeout();
      signal.removeEventListener('abort', onAbort);
      group.isOver(stoppedFor !== null);
      let cancelGrace = (): void => {};
      const over = (): void => {
        cancelGrace();
        child.stdin.destroy();
        output.close();
        const failure = stoppedFor ?? failureOf(code, killedBy, output);
        if (failure === null) resolve();
        else reject(new DeliveryFailure(failure));
      };
      cancelGrace = clock.after(OUTPUT_GRACE_MS, over);
      child.on('close', over);
    });
  });
}

function failureOf(code: number | null, killedBy: string | null, output: CommandOutput): string | null {
  if (code === 0) return null;
  const how = code === null ? `it was ended by ${killedBy}` : `exit code ${code}`;
  return output.lastError === '' ? how : `${how}, ${output.lastError}`;
}

/** The secret of the webhook is nobody else's business. */
function environment(): NodeJS.ProcessEnv {
  const { [SECRET_VARIABLE]: _, ...rest } = process.env;
  return rest;
}

const hasGroups = process.platform !== 'win32';

/** The shell and all that it started. It is a group of its own, which Ctrl-C at the terminal does not reach. */
class Group {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #clock: Clock;
  readonly #onExit = (): void => this.#kill('SIGKILL');
  #cancelKill = (): void => {};

  constructor(child: ChildProcessWithoutNullStreams, clock: Clock) {
    this.#child = child;
    this.#clock = clock;
    process.once('exit', this.#onExit);
  }

  end(): void {
    this.#kill('SIGTERM');
    this.#cancelKill();
    this.#cancelKill = this.#clock.after(KILL_GRACE_MS, () => this.#kill('SIGKILL'));
  }

  /** The shell has ended. What it left in the background may stay, unless it was to be stopped. */
  isOver(wasStopped: boolean): void {
    this.#cancelKill();
    process.removeListener('exit', this.#onExit);
    if (wasStopped) this.#kill('SIGKILL');
  }

  #kill(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      if (hasGroups) process.kill(-pid, signal);
      else this.#child.kill(signal);
    } catch {
      // None of them is left.
    }
  }
}
