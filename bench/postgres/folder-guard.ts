/**
 * A small process beside ours that outlives it, whatever ends it: it ends what works in a folder, and removes the folder.
 *
 * In comes the folder; nothing goes out. It waits at a pipe that only we hold, and the kernel closes that pipe with us, after a
 * Ctrl-C as after `kill -9`. What always holds: it is told of no process ids, which are used again; it ends what has its
 * working folder in the folder, so whoever starts something there starts it with that working folder.
 */
import { type ChildProcess, spawn } from 'node:child_process';

/** A session of its own keeps the terminal's signals away. SIGQUIT is PostgreSQL's quick end that leaves no shared memory. */
const SCRIPT = `
folder=$1
while read -r ignored; do :; done
tries=0
while
  running=$(find /proc -maxdepth 2 -name cwd '(' -lname "$folder" -o -lname "$folder/*" ')' 2>/dev/null)
  [ -n "$running" ]
do
  signal=QUIT
  [ $tries -ge 60 ] && signal=KILL
  for link in $running; do
    pid=\${link#/proc/}
    kill -$signal "\${pid%/cwd}" 2>/dev/null
  done
  tries=$((tries + 1))
  sleep 0.05
done
for mounted in "$folder"/*; do
  grep -qsF " $mounted " /proc/mounts && umount "$mounted"
done
rm -rf "$folder"
`;

export class FolderGuard {
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;

  constructor(folder: string) {
    this.#process = spawn('/bin/sh', ['-c', SCRIPT, 'orbweaver-folder-guard', folder], {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#ended = new Promise((resolve, reject) => {
      this.#process.once('error', reject);
      this.#process.once('exit', () => resolve());
    });
    this.#ended.catch(() => {});
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
