/**
 * A small process beside ours that outlives it, whatever ends it: it ends what works in a folder, and removes the folder.
 *
 * In comes the folder; nothing goes out. It waits at a pipe that only we hold, and the kernel closes that pipe with us, after a
 * Ctrl-C as after `kill -9`. What always holds: it is told of no process ids, which are used again; it ends what has its
 * working folder in the folder, so whoever starts something there starts it with that working folder.
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
      // A session of its own keeps the terminal's signals away.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#ended = new Promise((resolve, reject) => {
      this.#process.once('error', reject);
      this.#process.once('exit', () => resolve());
    });
    this.#ended.catch(() => {});
    this.#process.stdin!.on('error', () => {});
    // Neither keeps us running: it is there for when we are not.
    this.#process.unref();
    (this.#process.stdin as unknown as { unref(): void }).unref();
  }

  get pid(): number {
    return this.#process.pid!;
  }

  /** When it returns, nothing works in the folder and the folder is gone. */
  async end(): Promise<void> {
    this.#process.ref();
    this.#process.stdin!.end();
    await this.#ended;
  }
}
