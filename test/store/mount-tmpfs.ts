/** Mounts a small file system for one test if the tests run as root. Otherwise returns the reason why there is none. */
import { spawnSync } from 'node:child_process';

export interface Mounted {
  remount(options: string): void;
  unmount(): void;
}

export function mountTmpfs(dir: string, options: string): Mounted | string {
  if (process.platform !== 'linux') return 'only Linux has tmpfs';
  if (process.getuid?.() !== 0) return 'mounting a file system needs root';
  const failed = run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', dir]);
  if (failed !== null) return `cannot mount here: ${failed}`;
  return {
    remount(changed) {
      const message = run('mount', ['-o', `remount,${changed}`, dir]);
      if (message !== null) throw new Error(message);
    },
    unmount: () => run('umount', [dir]),
  };
}

function run(command: string, words: readonly string[]): string | null {
  const { status, stderr, error } = spawnSync(command, words, { encoding: 'utf8' });
  return status === 0 ? null : (error?.message ?? stderr.trim());
}
