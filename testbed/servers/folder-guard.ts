/**
 * A small process that outlives ours, however ours ends. It ends all processes that work in a folder,
 * and removes the folder.
 *
 * In: the folder. Out: nothing. The guard waits on a pipe that only we hold. The kernel closes that pipe when we end,
 * after a Ctrl-C or after `kill -9`. What always holds: the guard gets no process ids, because the system reuses them.
 * It ends every process whose working folder is inside the folder, so a process that is started for the folder must
 * have such a working folder.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

const SCRIPT = join(import.meta.dirname, 'folder-guard.sh');

export class FolderGuard {
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;

  constructor(folder: string) {
    this.#process = spawn('/bin/sh', [SCRIPT, folder], {
      cwd: '/',
      // The guard has its own session, so that it does not receive the signals of the terminal.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#ended = new Promise((resolve, reject) => {
      this.#process.once('error', reject);
      this.#process.once('exit', () => resolve());
    });
    this.#ended.catch(() => {});
    this.#process.stdin!.on('error', () => {});
    // Neither the guard nor its pipe keeps our process running.
    this.#process.unref();
    (this.#process.stdin as unknown as { unref(): void }).unref();
  }

  get pid(): number {
    return this.#process.pid!;
  }

  /** When this returns, no process works in the folder and the folder is removed. */
  async end(): Promise<void> {
    this.#process.ref();
    this.#process.stdin!.end();
    await this.#ended;
  }
}
