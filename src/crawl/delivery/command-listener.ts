/**
 * `--on-change <command>`: runs the command through the shell, unchanged, once per batch. The command
 * reads the changes as JSON lines on its standard input. No text from a page becomes part of the command
 * line or the environment. Exit code 0 means delivered, even if the command did not read its whole input.
 * Any other exit code, or a timeout, is a failure.
 */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Clock } from '../../core/clock.ts';
import { safeJson } from '../../core/safe-text.ts';
import { CommandOutput } from './command-output.ts';
import { type ChangeBatch, DeliveryFailure, type Listener, RUN_ENDED } from './listener.ts';
import { SECRET_VARIABLE } from './webhook-signature.ts';

export interface CommandSettings {
  readonly command: string;
  readonly kinds: Listener['kinds'];
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Shows one line of the output of the command. */
  readonly say: (line: string) => void;
}

/** Time between SIGTERM and SIGKILL. */
const KILL_GRACE_MS = 2_000;
/** A background process of the command may keep its output open for ever. */
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
    if (signal.aborted) return reject(new DeliveryFailure(RUN_ENDED));
    const child = spawn(command, { shell: true, detached: hasGroups, env: environment(), stdio: 'pipe' });
    child.on('error', (error) =>
      reject(new DeliveryFailure(`it cannot be started (${error.message})`, { cause: error })),
    );
    // The process did not start; the `error` event says why. At the limit of open files,
    // the child has no streams either.
    if (child.pid === undefined) return;
    const output = new CommandOutput(child, say);
    const group = new Group(child, clock);
    let stoppedFor: string | null = null;
    const stop = (why: string): void => {
      stoppedFor ??= why;
      group.end();
    };
    const cancelTimeout = clock.after(timeoutMs, () => stop(`it ran longer than ${timeoutMs / 1_000} s`));
    const onAbort = (): void => stop(RUN_ENDED);
    signal.addEventListener('abort', onAbort, { once: true });
    // A command does not have to read its input.
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
  const how = code === null ? `it was killed by ${killedBy}` : `exit code ${code}`;
  return output.lastError === '' ? how : `${how}, ${output.lastError}`;
}

/** The command does not get the secret of the webhook. */
function environment(): NodeJS.ProcessEnv {
  const { [SECRET_VARIABLE]: _, ...rest } = process.env;
  return rest;
}

const hasGroups = process.platform !== 'win32';

/**
 * The shell and all processes that it started. They are a separate process group, which
 * Ctrl-C in the terminal does not reach.
 */
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

  /** The shell has ended. Its background processes may continue, unless the command was stopped. */
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
      // No process of the group is left.
    }
  }
}
